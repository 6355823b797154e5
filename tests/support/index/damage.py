"""Damages an index in a cache in many ways and searches it.

`python -m tests.support.index.damage FOLDER COUNT SEED [forge] [from NUMBER]`. Every damaged image must be refused, or
answer as the undamaged index. With `forge` the checksums of a segment are made to fit the changed bytes: then every
answer and every error is accepted, but this process must survive. Prints for each kind of image how many were refused
and how many were not. The file FOLDER.at holds the number of the current image, also after a crash; with `from` that
image is made again.

Files are damaged in place, opened in this process and restored, so that a million images take half an hour.
"""

from __future__ import annotations

import os
import random
import struct
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import xxhash

from recall_rank.corpus import index_of_segments
from recall_rank.histories.cache.refresh import refresh
from recall_rank.histories.cache.store import find
from recall_rank.index.errors import UnusableIndexError
from recall_rank.index.segment.columns import COLUMNS
from recall_rank.index.storage.format import ENTRY, HEADER, SUM, aligned
from recall_rank.model import Reading, Session, Unit
from tests.support.index.history import history, told
from tests.support.search.samples import ENOUGH_MS, NOW

ASKED: Final = [(text, mode) for text in ("lantern", "lantren", "tide table") for mode in ("literal", "smart", "fuzzy")]
WAYS: Final = ("flip a bit", "cut", "lengthen", "blank a stretch", "swap two stretches", "an older stretch", "remove")
Answer = dict[str, Any]


class Shelf:
    """A source of one unit that holds the given sessions."""

    name = "shelf"
    location = "/shelf"

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._sessions = sessions

    def units(self) -> Iterable[Unit]:
        return [Unit("u", "/shelf/u")]

    def signature(self, unit: Unit) -> bytes:
        return xxhash.xxh3_64_digest(repr(self._sessions).encode("utf-8", "backslashreplace"))

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        return Reading(self._sessions)


class Victim:
    """A file that is damaged in place and restored."""

    def __init__(self, path: Path, older: bytes) -> None:
        self.path = path
        self.sound = path.read_bytes()
        self.older = older
        self._away = path.with_name("away")
        self._descriptor = os.open(path, os.O_RDWR)

    def hurt(self, chance: random.Random, way: str) -> None:
        size = len(self.sound)
        at = chance.choice((chance.randrange(size), chance.randrange(min(size, 4096)), size - 1))
        length = min(chance.choice((1, 8, 64, 4096, 65_536)), size - at)
        match way:
            case "flip a bit":
                self._put(at, bytes([self.sound[at] ^ 1 << chance.randrange(8)]))
            case "cut":
                os.ftruncate(self._descriptor, at)
            case "lengthen":
                self._put(size, bytes(length))
            case "blank a stretch":
                self._put(at, bytes(length))
            case "swap two stretches":
                other = chance.randrange(size)
                length = min(length, abs(at - other), size - other)
                self._put(at, self.sound[other : other + length])
                self._put(other, self.sound[at : at + length])
            case "an older stretch":
                self._put(at, self.older[at : at + length].ljust(length, b"\0"))
            case _:
                self.path.rename(self._away)

    def replace(self, data: bytes) -> None:
        self._put(0, data)
        os.ftruncate(self._descriptor, len(data))

    def mend(self) -> None:
        """Restore the bytes of the file; nobody may have it open."""
        if self._away.exists():
            self._away.rename(self.path)
        self.replace(self.sound)

    def _put(self, at: int, data: bytes) -> None:
        os.pwrite(self._descriptor, data, at)


def forged(chance: random.Random, data: bytes) -> bytes:
    """Return a segment with a few numbers changed, in columns or the directory, and with checksums that fit them."""
    made = bytearray(data)
    *_, place, length, _, _ = HEADER.unpack_from(made)
    entries = [list(entry) for entry in ENTRY.iter_unpack(made[place : place + length])]
    odd = (0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 2**63, 2**64 - 1, len(made))
    for _ in range(chance.randrange(1, 4)):
        entry = chance.choice(entries)
        _, code, start, size, *_ = entry
        if chance.random() < 0.1:
            entry[chance.randrange(2, 5)] = chance.choice((*odd, start + 8, size + 8, max(size - 8, 0)))
        elif size:
            width = min(struct.calcsize(code), size)  # a packed column may be shorter than one of its numbers
            at = start + chance.randrange(size // width) * width
            value = chance.choice((*odd, chance.getrandbits(64))) % 256**width
            made[at : at + width] = value.to_bytes(width, "little")
    made[place : place + length] = b"".join(ENTRY.pack(*entry) for entry in entries)
    return resealed(made, data)


def resealed(made: bytearray, sound: bytes) -> bytes:
    """Return the bytes of a changed segment with checksums that fit them; where its directory lies `sound` tells."""
    magic, version, zero, place, length, total, _ = HEADER.unpack_from(sound)
    entries = [list(entry) for entry in ENTRY.iter_unpack(made[place : place + length])]
    labels = [label for label, *_ in ENTRY.iter_unpack(sound[place : place + length])]  # a changed one names no column
    for entry, label in zip(entries, labels, strict=True):
        _, _, start, size, *_ = entry
        if start + size > place:
            continue  # outside: to be refused whatever the sums say
        step = COLUMNS[label.rstrip(b"\0").decode()].block
        blocks = range(start, start + size, step)
        sums = b"".join(xxhash.xxh3_64_digest(made[at : min(at + step, start + size)])[::-1] for at in blocks)
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
    """Return the manifest with the size and the checksum of a forged segment."""
    first, marks, line, *others = manifest.decode().splitlines()[:-1]
    name = line.split()[0]
    seal = xxhash.xxh3_128_hexdigest(segment[: HEADER.size + SUM.size])
    text = "".join(f"{each}\n" for each in (first, marks, f"{name} {len(segment)} {seal}", *others)).encode()
    return text + f"{xxhash.xxh3_128_hexdigest(text)}\n".encode()


def run(folder: Path, count: int, seed: int, *, forge: bool, first: int = 0) -> Counter[str]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    refresh(folder, [Shelf(history(2))])
    older = {path.name.partition("-")[0]: path.read_bytes() for path in folder.iterdir()}
    refresh(folder, [Shelf(history(1))])
    wanted = [asked(folder, number)[1] for number in range(len(ASKED))]
    victims = {kind: Victim(path, older[kind]) for path in folder.iterdir() for kind in [path.name.partition("-")[0]]}
    segment, manifest = victims["segment"], victims["manifest"]
    seen: Counter[str] = Counter()
    under_way = os.open(f"{folder}.at", os.O_WRONLY | os.O_CREAT, 0o600)
    for number in range(first, count):
        os.pwrite(under_way, b"%9d" % number, 0)
        chance = random.Random(seed << 40 | number)
        way = "forge" if forge else WAYS[number % len(WAYS)]
        if forge:
            hurt = [segment, manifest]
            data = forged(chance, segment.sound)
            segment.replace(data)
            manifest.replace(manifest_for(manifest.sound, data))
        else:
            hurt = [victims[chance.choice(("segment", "segment", "table", "manifest"))]]
            hurt[0].hurt(chance, way)
        question = chance.randrange(len(ASKED))
        what, answer = look(folder, question, forge=forge)
        if answer is not None and not forge and answer != wanted[question]:
            raise AssertionError(f"image {number} of seed {seed}, {way}: a wrong answer to {ASKED[question]}")
        seen[f"{way}: {what}"] += 1
        for victim in hurt:
            victim.mend()
        if number % 20_000 == 19_999:
            print(f"{number + 1:,} images", file=sys.stderr, flush=True)
    os.close(under_way)
    return seen


def look(folder: Path, question: int, *, forge: bool) -> tuple[str, Answer | None]:
    try:
        return asked(folder, question)
    except UnusableIndexError:
        return "refused", None
    except Exception:
        if forge:
            return "refused", None
        raise


def asked(folder: Path, question: int) -> tuple[str, Answer | None]:
    """Return the answers of an index that is read from the disk anew to one of the queries."""
    state = find(folder).state
    if state is None:
        return "refused", None
    text, mode = ASKED[question]
    with index_of_segments(state.segments, state.dead) as index:
        answer = told(index.search(text, match=mode, now=NOW, budget_ms=ENOUGH_MS))
    if question == 0:
        state.view.table()
    state.view.reports()
    return "answered", answer


if __name__ == "__main__":
    begin = int(sys.argv[sys.argv.index("from") + 1]) if "from" in sys.argv else 0
    found = run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), forge="forge" in sys.argv, first=begin)
    for line, times in sorted(found.items()):
        print(times, line)
