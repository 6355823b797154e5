"""The columns of postings, written with lists and integers of any size."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence


def packed(terms: int, blocks: Sequence[dict[int, list[tuple[int, int]]]]) -> tuple[memoryview, ...]:
    """The columns of PostingsWriter.finish(). A block maps a term to its list of (document, frequency)."""
    lists: list[list[tuple[int, int]]] = [[] for _ in range(terms)]
    for block, entries in enumerate(blocks):
        for term, pairs in entries.items():
            lists[term] += [(block, count) for _, count in pairs]
    kept = [term for term in range(terms) if lists[term]]
    lone = [term for term in kept if len(lists[term]) == 1 and lists[term][0][1] == 1 and lists[term][0][0] < 256]
    shared = sorted({*kept} - {*lone})
    numbers = {term: number for number, term in enumerate(shared)}
    starts, pointers, bits, ranks, frames = [0], [], [], [], b""
    for entries in blocks:
        own = {numbers[term]: pairs for term, pairs in sorted(entries.items()) if term in numbers}
        bits += words(own, len(shared))
        ranks += ranked(own, len(shared), len(pointers))
        for pairs in own.values():
            [(doc, count), *others] = pairs
            pointers.append(len(frames) - starts[-1] if others else 1 << 31 | count << 16 | doc)
            frames += framed(pairs) if others else b""
        starts.append(len(frames))
    places = {term: (block, pairs[0][0]) for block, own in enumerate(blocks) for term, pairs in own.items()}
    frequent = [(numbers[term], len(lists[term]) - 255) for term in shared if len(lists[term]) > 255]
    marked = [number for number, term in enumerate(kept) if term in numbers]
    columns = (
        ("Q", words(marked, len(kept))),
        ("I", ranked(marked, len(kept), 0)),
        ("H", [places[term][1] for term in lone]),
        ("B", [places[term][0] for term in lone]),
        ("B", [min(len(lists[term]), 255) for term in shared]),
        ("I", [number for number, _ in frequent]),
        ("I", [more for _, more in frequent]),
        ("Q", starts),
        ("Q", bits),
        ("I", ranks),
        ("I", pointers),
        ("B", frames + bytes(8)),
    )
    return tuple(memoryview(array(code, column)) for code, column in columns)


def words(numbers: Iterable[int], size: int) -> list[int]:
    """A set of numbers below `size` as a bitset of 64-bit words."""
    whole = sum(1 << number for number in numbers)
    return [whole >> first & (1 << 64) - 1 for first in range(0, size, 64)]


def ranked(numbers: Collection[int], size: int, before: int) -> list[int]:
    """The number of elements below 0, 256, 512 ..., plus `before`."""
    return [before + sum(number < end for number in numbers) for end in range(0, size + 1, 256)]


def framed(pairs: Sequence[tuple[int, int]]) -> bytes:
    """The frames of the postings of one term in one block, 256 postings a frame."""
    made = b""
    for first in range(0, len(pairs), 256):
        frame, follows = pairs[first : first + 256], len(pairs) > first + 256
        least = pairs[first - 1][0] + 1 if first else 0
        values = [doc - least - k for k, (doc, _) in enumerate(frame)]
        low_bits = min(range(15, -1, -1), key=lambda low: split_size(values, low))
        lows, highs, frequencies = 0, 0, 0
        ends = 0
        for k, (value, (_, count)) in enumerate(zip(values, frame, strict=True)):
            lows |= (value & (1 << low_bits) - 1) << k * low_bits
            highs |= 1 << (value >> low_bits) + k
            ends += count
            frequencies |= 1 << ends - 1
        counted = any(count > 1 for _, count in frame)
        head = bytes([len(frame) - 1, low_bits | counted << 4 | follows << 5])
        high = highs.to_bytes(-(-highs.bit_length() // 8), "little")
        tail = frequencies.to_bytes(-(-ends // 8), "little") if counted else b""
        head += bytes([len(high)]) if counted or follows else b""
        head += len(tail).to_bytes(2, "little") if counted and follows else b""
        made += head + lows.to_bytes(-(-low_bits * len(frame) // 8), "little") + high + tail
    return made


def split_size(values: Sequence[int], low_bits: int) -> float:
    """The cost in bytes of a frame with `low_bits` low bits; infinite when the high bits exceed 255 bytes."""
    count = len(values)
    high = -(-((values[-1] >> low_bits) + count) // 8)
    size = -(-low_bits * count // 8) + high
    slow = count > 32 and low_bits not in (0, 4, 8)
    return float("inf") if high > 255 else size * 9 // 8 if slow else size
