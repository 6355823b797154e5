"""Postings of documents in ranges."""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.index.postings import Postings


def held_in(postings: Postings, first: int, last: int, starts: Sequence[int], ends: Sequence[int]) -> int:
    ranges = list(zip(starts, ends, strict=True))
    held = [doc for term in range(first, last) for doc, _ in postings.lists[term]]
    return sum(low <= doc < high for low, high in ranges for doc in held)
