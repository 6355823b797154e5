"""Columns of numbers in few bits, packed by whole numbers of any size."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

RUN, STEPS, SLACK, WIDEST = 64, 0x80, 8, 56


def signed(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


def pack(values: Sequence[int]) -> bytearray:
    made, before = bytearray(), 0
    for first in range(0, len(values), RUN):
        run = [signed(value) for value in values[first : first + RUN]]
        steps = [signed(value - last) for value, last in zip(run, [before, *run], strict=False)]
        plain, stepped = ((max(some) - min(some)).bit_length() for some in (run, steps))
        plain, stepped = (64 if bits > WIDEST else bits for bits in (plain, stepped))
        width, kind, chosen = (stepped, STEPS, steps) if stepped < plain else (plain, 0, run)
        least = min(chosen)
        made.append(width | kind)
        base = 2 * least if least >= 0 else -2 * least - 1
        while base >= 0x80:
            made.append(0x80 | base % 0x80)
            base >>= 7
        made.append(base)
        bits = sum((value - least) << (width * k) for k, value in enumerate(chosen))
        made += bits.to_bytes((width * len(run) + 7) // 8, "little")
        before = run[-1]
    return made + bytes(SLACK)


def unpack(data: bytes, count: int, code: str) -> memoryview:
    end, at, before = len(data) - SLACK, 0, 0
    if end < 0 or not 0 <= count <= end // 2 * RUN:
        raise ValueError("count")
    found: list[int] = []
    while len(found) < count:
        size = min(RUN, count - len(found))
        if at >= end:
            raise ValueError("short")
        width, stepped = data[at] % STEPS, data[at] >= STEPS
        at += 1
        base = 0
        for group in range(10):
            if at >= end:
                break
            base |= (data[at] & 0x7F) << 7 * group
            at += 1
            if data[at - 1] < 0x80:
                break
        base %= 2**64
        least = -(base + 1 >> 1) if base & 1 else base >> 1
        behind = at + (width * size + 7) // 8
        if (width > WIDEST and width != 64) or behind > end:
            raise ValueError("width")
        bits = int.from_bytes(data[at:behind], "little")
        for k in range(size):
            value = (bits >> width * k) % 2**width + least
            before = (before + value if stepped else value) % 2**64
            found.append(before)
        before, at = found[-1], behind
    if at != end:
        raise ValueError("long")
    made = array(code)
    for value in found:
        if made.itemsize < 8 and value >> 8 * made.itemsize:
            raise ValueError("number")
        made.append(signed(value) if code == "q" else value)
    return memoryview(made)


GROUP = 64 * RUN


def run_marks(data: bytes, count: int) -> memoryview:
    """Pack what stands before each group: its length without the slack is where the group begins."""
    values = unpack(data, count, "Q").tolist()
    marks = [(len(pack(values[:first])) - SLACK, values[first - 1] if first else 0) for first in range(0, count, GROUP)]
    return memoryview(array("Q", [number for mark in marks for number in mark]))
