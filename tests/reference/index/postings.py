"""Postings decoded into a list for each term."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.reference.index.builder import BLOCK


class Postings:
    """All postings, decoded in the constructor: lists[term] is [(document, frequency), ...]."""

    def __init__(
        self,
        shared_bits: Sequence[int],
        shared_ranks: Sequence[int],
        lone_docs: Sequence[int],
        lone_blocks: Sequence[int],
        df: Sequence[int],
        frequent: Sequence[int],
        more: Sequence[int],
        block_starts: Sequence[int],
        block_bits: Sequence[int],
        block_ranks: Sequence[int],
        pointers: Sequence[int],
        frames: Sequence[int],
    ) -> None:
        marks = numbers_of(shared_bits)
        lone = iter(zip(lone_blocks, lone_docs, strict=True))
        self.lists: list[list[tuple[int, int]]] = []
        for term in range(len(lone_docs) + len(df)):
            self.lists.append([] if term in marks else [(block * BLOCK + doc, 1) for block, doc in [next(lone)]])
        shared = [self.lists[term] for term in sorted(marks)]
        left = iter(pointers)
        width = -(-len(shared) // 64)
        for block, start in enumerate(block_starts[:-1]):
            for number in sorted(numbers_of(block_bits[block * width : (block + 1) * width])):
                pointer = next(left)
                alone = [(pointer & 0xFFFF, pointer >> 16 & 0xFF)]
                pairs = alone if pointer >> 31 else unframed(frames, start + pointer)
                shared[number] += [(block * BLOCK + doc, count) for doc, count in pairs]
        higher = dict(zip(frequent, more, strict=True))
        assert [len(pairs) for pairs in shared] == [one + higher.get(number, 0) for number, one in enumerate(df)]

    def __len__(self) -> int:
        return sum(map(len, self.lists))

    def frequency(self, first: int, last: int, eligible: Sequence[int] | None = None) -> int:
        return sum(eligible is None or eligible[doc] != 0 for term in range(first, last) for doc, _ in self.lists[term])

    def frequencies(self, groups: list[list[tuple[int, int, float]]], most: int) -> list[int]:
        return [min(most, sum(self.frequency(first, last) for first, last, _ in group)) for group in groups]

    def postings(self, term: int) -> list[tuple[int, int]]:
        return self.lists[term]


def numbers_of(words: Iterable[int]) -> set[int]:
    """The numbers of the bits that are set."""
    return {64 * k + bit for k, word in enumerate(words) for bit in range(64) if word >> bit & 1}


def unframed(frames: Sequence[int], at: int) -> list[tuple[int, int]]:
    """The (document, frequency) pairs of a term, decoded from its first frame at `at`."""
    pairs: list[tuple[int, int]] = []
    follows = True
    while follows:
        count, low_bits = frames[at] + 1, frames[at + 1] & 15
        counted, follows = bool(frames[at + 1] & 16), bool(frames[at + 1] & 32)
        at += 2
        high_size = frames[at] if counted or follows else 0
        at += counted or follows
        tf_size = frames[at] + 256 * frames[at + 1] if counted and follows else 0
        at += 2 * (counted and follows)
        lows = int.from_bytes(frames[at : at + -(-count * low_bits // 8)], "little")
        at += -(-count * low_bits // 8)
        highs = set_bits(frames[at:], count)
        at += high_size
        ends = set_bits(frames[at:], count) if counted else range(count)
        at += tf_size
        least = pairs[-1][0] + 1 if pairs else 0
        for k, (high, end, before) in enumerate(zip(highs, ends, [-1, *ends], strict=False)):
            low = lows >> k * low_bits & (1 << low_bits) - 1
            pairs.append((least + k + (high - k << low_bits) + low, end - before))
    return pairs


def set_bits(data: Sequence[int], count: int) -> list[int]:
    """The first `count` bits that are set."""
    found: list[int] = []
    for place, byte in enumerate(data):
        found += [8 * place + bit for bit in range(8) if byte >> bit & 1]
        if len(found) >= count:
            break
    return found[:count]


def frequency_in(postings: Postings, first: int, last: int, starts: Sequence[int], ends: Sequence[int]) -> int:
    ranges = list(zip(starts, ends, strict=True))
    docs = [doc for term in range(first, last) for doc, _ in postings.lists[term]]
    return sum(low <= doc < high for low, high in ranges for doc in docs)
