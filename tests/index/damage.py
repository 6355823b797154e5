"""Damage a saved index in many ways and search it: `python damage.py FOLDER COUNT SEED [forge]`.

Every image must be refused or answer as the undamaged one. With `forge` the checksums are made to fit what was
changed: then any answer will do, and any error, but this process must live. Prints how many images of which kind
were refused and how many were not.
"""

from __future__ import annotations

import random
import struct
import sys
from collections import Counter
from pathlib import Path

import xxhash
from index.history import answers, history

from recall_rank.corpus import Index
from recall_rank.index.errors import IndexFolderError, MissingIndexError, UnusableIndexError
from recall_rank.index.format import BLOCK, ENTRY, HEADER, SUM, aligned

ASKED = ("lantern", "lantren", "tide table")
WAYS = ("flip a bit", "cut", "lengthen", "blank a stretch", "swap two stretches", "an older stretch", "remove")


def hurt(chance: random.Random, way: str, data: bytes, older: bytes) -> bytes | None:
    """The file after something happened to it; None when it is gone."""
    made = bytearray(data)
    at = chance.choice((chance.randrange(len(made)), chance.randrange(min(len(made), 4096)), len(made) - 1))
    size = chance.choice((1, 8, 64, 4096, BLOCK))
    match way:
        case "flip a bit":
            made[at] ^= 1 << chance.randrange(8)
        case "cut":
            del made[at:]
        case "lengthen":
            made += bytes(size)
        case "blank a stretch":
            made[at : at + size] = bytes(len(made[at : at + size]))
        case "swap two stretches":
            other = chance.randrange(len(made))
            size = min(size, abs(at - other), len(made) - max(at, other))
            made[at : at + size], made[other : other + size] = made[other : other + size], made[at : at + size]
        case "an older stretch":
            made[at : at + size] = older[at : at + size].ljust(len(made[at : at + size]), b"\0")
        case _:
            return None
    return bytes(made)


def forged(chance: random.Random, data: bytes) -> bytes:
    """A segment with a few numbers changed, in columns or the directory, and with checksums that fit them."""
    made = bytearray(data)
    magic, version, zero, place, length, total, _ = HEADER.unpack_from(made)
    entries = [list(entry) for entry in ENTRY.iter_unpack(made[place : place + length])]
    odd = (0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 2**63, 2**64 - 1, len(made))
    for _ in range(chance.randrange(1, 4)):
        entry = chance.choice(entries)
        _, code, start, size, _ = entry
        if chance.random() < 0.1:
            entry[chance.randrange(2, 4)] = chance.choice((*odd, start + 8, size + 8, max(size - 8, 0)))
        elif size:
            width = struct.calcsize(code)
            at = start + chance.randrange(size // width) * width
            value = chance.choice((*odd, chance.getrandbits(64))) % 256**width
            made[at : at + width] = value.to_bytes(width, "little")
    for entry in entries:
        _, _, start, size, _ = entry
        if start + size > place:
            continue  # outside: to be refused whatever the sums say
        blocks = range(start, start + size, BLOCK)
        sums = b"".join(xxhash.xxh3_64_digest(made[at : min(at + BLOCK, start + size)])[::-1] for at in blocks)
        at = aligned(start + size, SUM.size)
        if at + len(sums) <= place:
            made[at : at + len(sums)] = sums
        entry[-1] = xxhash.xxh3_64_intdigest(sums)
    directory = b"".join(ENTRY.pack(*entry) for entry in entries)
    made[place : place + length] = directory
    header = HEADER.pack(magic, version, zero, place, length, total, xxhash.xxh3_128_digest(directory))
    made[: HEADER.size + SUM.size] = header + SUM.pack(xxhash.xxh3_64_intdigest(header))
    return bytes(made)


def manifest_for(manifest: bytes, segment: bytes) -> bytes:
    """The manifest with the size and the seal of a forged segment."""
    first, marks, line, _ = manifest.decode().splitlines()
    name = line.split()[0]
    seal = xxhash.xxh3_128_hexdigest(segment[: HEADER.size + SUM.size])
    text = f"{first}\n{marks}\n{name} {len(segment)} {seal}\n".encode()
    return text + f"{xxhash.xxh3_128_hexdigest(text)}\n".encode()


def run(folder: Path, count: int, seed: int, *, forge: bool) -> Counter[str]:
    chance = random.Random(seed)
    index = Index.build(history(1))
    wanted = answers(index, ASKED)
    Index.build(history(2)).save(folder)
    older = {path.name.partition("-")[0]: path.read_bytes() for path in folder.iterdir()}
    index.save(folder)
    sound = {path: path.read_bytes() for path in folder.iterdir()}
    segment, manifest = (next(path for path in sound if path.name.startswith(kind)) for kind in ("segment", "manifest"))
    told: Counter[str] = Counter()
    for number in range(count):
        way = "forge" if forge else WAYS[number % len(WAYS)]
        if forge:
            data = forged(chance, sound[segment])
            segment.write_bytes(data)
            manifest.write_bytes(manifest_for(sound[manifest], data))
        else:
            victim = chance.choice((segment, segment, segment, manifest))
            made = hurt(chance, way, sound[victim], older[victim.name.partition("-")[0]])
            victim.unlink() if made is None else victim.write_bytes(made)
        print(f"image {number}: {way}", file=sys.stderr, flush=True)  # the last line names the one that killed us
        told[f"{way}: {look(folder, wanted, forge=forge)}"] += 1
        for path, data in sound.items():
            if path.exists():
                path.write_bytes(data)
            else:
                path.touch(mode=0o600)
                path.write_bytes(data)
    return told


def look(folder: Path, wanted: list[dict[str, object]], *, forge: bool) -> str:
    try:
        with Index.open(folder) as opened:
            found = answers(opened, ASKED)
    except (UnusableIndexError, MissingIndexError, IndexFolderError):
        return "refused"
    except Exception:
        if forge:
            return "refused"
        raise
    assert forge or found == wanted, "a wrong answer"
    return "answered"


if __name__ == "__main__":
    seen = run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), forge="forge" in sys.argv)
    for line, times in sorted(seen.items()):
        print(times, line)
