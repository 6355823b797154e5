"""Text in packed blocks, one sequence at a time."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence

LEAST, HALF, TRIED, ENOUGH, MOST_BYTES = 4, 15, 12, 48, 32_768


def key_of(word: bytes) -> int:
    return int.from_bytes(word, "little") * 2_654_435_761 % 2**32 >> 18


def common(data: bytes, left: int, right: int) -> int:
    """How many bytes from `left` on equal those from `right` on, which go to the end of `data`."""
    return next((k for k in range(len(data) - right) if data[left + k] != data[right + k]), len(data) - right)


def continued(length: int) -> bytes:
    return bytes([255] * ((length - HALF) // 255) + [(length - HALF) % 255]) if length >= HALF else b""


class Places:
    """The places of `data` that were entered, by the hash of their first four bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.known: dict[int, list[int]] = defaultdict(list)

    def enter(self, at: int) -> None:
        if at + LEAST <= len(self.data):
            self.known[key_of(self.data[at : at + LEAST])].append(at)

    def longest(self, at: int, least: int) -> tuple[int, int]:
        """Return (length, where) of the longest match that is longer than `least`, else (least, 0)."""
        best, found = least, 0
        if len(self.data) - at < max(LEAST, least + 1):
            return best, found
        for where in self.known[key_of(self.data[at : at + LEAST])][: -TRIED - 1 : -1]:
            if (length := common(self.data, where, at)) > best:
                best, found = length, where
            if best >= ENOUGH or best == len(self.data) - at:
                break
        return best, found


def packed_block(dictionary: bytes, block: bytes) -> bytes:
    places = Places(dictionary)
    for place in range(len(dictionary)):
        places.enter(place)
    data = places.data = dictionary + block
    made, at, first = bytearray(), len(dictionary), len(dictionary)
    while at < len(data):
        length, where = places.longest(at, LEAST - 1)
        places.enter(at)
        if length < LEAST:
            at += 1
            continue
        while length < ENOUGH and at + 1 + LEAST <= len(data):
            later, other = places.longest(at + 1, length)
            if later <= length:
                break
            at += 1
            places.enter(at)
            length, where = later, other
        made.append(min(at - first, HALF) << 4 | min(length - LEAST, HALF))
        made += continued(at - first) + data[first:at] + (at - where).to_bytes(2, "little") + continued(length - LEAST)
        for place in range(at + 1, at + length):
            places.enter(place)
        at = first = at + length
    if first < at:
        made.append(min(at - first, HALF) << 4)
        made += continued(at - first) + data[first:]
    return bytes(made) if len(made) < len(block) else block


def pack_blocks(text: bytes, dictionary: bytes, block: int) -> tuple[bytearray, memoryview]:
    if not 0 < block <= MOST_BYTES or len(dictionary) > MOST_BYTES:
        raise ValueError("size")
    made, starts = bytearray(), array("Q", [0])
    for at in range(0, len(text), block):
        made += packed_block(dictionary, text[at : at + block])
        starts.append(len(made))
    return made, memoryview(starts).toreadonly()


def unpacked_block(data: bytes, dictionary: bytes, length: int) -> bytes:
    """The text of one block. Raises ValueError, or IndexError when `data` ends too early."""
    if len(data) == length:
        return data
    made, at = bytearray(dictionary), 0

    def read(half: int) -> int:
        nonlocal at
        while half >= HALF:
            at += 1
            half += data[at - 1]
            if data[at - 1] < 255:
                break
        return half

    while len(made) < len(dictionary) + length:
        head = data[at]
        at += 1
        run = read(head >> 4)
        made += data[at : at + run]
        at += run
        if len(made) < len(dictionary) + length:
            distance = data[at] + 256 * data[at + 1]
            at += 2
            run = read(head & HALF) + LEAST
            if not 0 < distance <= len(made):
                raise ValueError("distance")
            for _ in range(run):
                made.append(made[-distance])
    if at != len(data) or len(made) != len(dictionary) + length:
        raise ValueError("length")
    return bytes(made[len(dictionary) :])


def unpack_blocks(
    packed: bytes, starts: Sequence[int], dictionary: bytes, blocks: Sequence[int], text: bytearray, block: int
) -> None:
    if not 0 < block <= MOST_BYTES or len(dictionary) > MOST_BYTES or len(starts) - 1 != -(-len(text) // block):
        raise ValueError("size")
    for number in blocks:
        if number >= len(starts) - 1 or not starts[number] < starts[number + 1] <= len(packed):
            raise ValueError("place")
        length = min(block, len(text) - number * block)
        try:
            made = unpacked_block(packed[starts[number] : starts[number + 1]], dictionary, length)
        except IndexError:
            raise ValueError("end") from None
        text[number * block : number * block + length] = made
