"""Look-ups in a list of terms by linear search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from tests.reference.text.edit_distance import osa_distance
from tests.reference.text.token_buffer import MAX_TERM


class Vocabulary:
    """A list of terms, searched linearly."""

    def __init__(self, arena: bytes, offsets: Sequence[int], starts: Sequence[int], signatures: Sequence[int]) -> None:
        self.terms = [arena[low:high] for low, high in pairwise(offsets)]

    def __len__(self) -> int:
        return len(self.terms)

    def find(self, form: bytes) -> int:
        return self.terms.index(form) if form in self.terms else -1

    def find_all(self, forms: list[bytes]) -> list[int]:
        return [self.find(form) for form in forms]

    def prefix(self, form: bytes, longest: int = MAX_TERM) -> list[tuple[int, int]]:
        """For each length, the range of terms that begin with `form` and are longer."""
        ranges: list[tuple[int, int]] = []
        if not form:
            return ranges
        for length in range(len(form.decode()) + 1, longest + 1):
            found = [n for n, term in enumerate(self.terms) if len(term.decode()) == length and term.startswith(form)]
            if found:
                ranges.append((found[0], found[-1] + 1))
        return ranges

    def within(self, form: bytes, bound: int, use_simd: bool = True) -> list[tuple[int, int]]:
        """The terms of the form's field at 1 to `bound` edits, fewest edits first."""
        found = []
        for number, term in enumerate(self.terms):
            edits = osa_distance(form.decode(), term.decode(), bound)
            tags = [other[:1] if other[:1] < b" " else b"" for other in (form, term)]
            if form and 0 < edits <= bound and tags[0] == tags[1]:
                found.append((number, edits))
        return sorted(found, key=lambda pair: (pair[1], pair[0]))

    def form(self, number: int) -> bytes:
        return self.terms[number]


def within_each(vocabularies: Iterable[Vocabulary], form: bytes, bound: int) -> list[list[tuple[int, int]]]:
    return [vocabulary.within(form, bound) for vocabulary in vocabularies]
