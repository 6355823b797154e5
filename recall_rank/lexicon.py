"""The eligible vocabulary: which terms there are, how often, and which are forms of one word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recall_rank._core.postings import Postings
from recall_rank._core.vocabulary import Vocabulary
from recall_rank.irregular import BASE, FORMS
from recall_rank.text import stem

MIN_PREFIX = 4  # characters from which a word stands for the words it begins
MAX_FAMILIES = 65_536  # words whose other forms a vocabulary remembers
STEM_TAIL = 7  # characters an inflected form may be longer than its stem

Member = tuple[int, int, float]  # terms [first, last) and what one of them is worth


class Lexicon:
    """The eligible vocabulary: what no eligible document holds does not exist."""

    def __init__(self, vocabulary: Vocabulary, postings: Postings, eligible: bytearray | None) -> None:
        self.vocabulary = vocabulary
        self.postings = postings
        self.eligible = eligible

    def frequency(self, first: int, last: int) -> int:
        return int(self.postings.frequency(first, last, self.eligible))

    def find(self, form: bytes) -> int:
        """The term's number, or -1 when no eligible document holds it."""
        number = int(self.vocabulary.find(form))
        return number if number >= 0 and (self.eligible is None or self.frequency(number, number + 1)) else -1

    def within(self, form: bytes, bound: int) -> list[tuple[int, int]]:
        near = self.vocabulary.within(form, bound)
        if self.eligible is None:
            return near
        return [(number, edits) for number, edits in near if self.frequency(number, number + 1)]

    def held(self, members: Iterable[Member]) -> int:
        """Documents that hold a member, summed over the members."""
        frequency, eligible = self.postings.frequency, self.eligible
        return sum(frequency(first, last, eligible) for first, last, _ in members)

    def longer(self, form: bytes) -> list[Member]:
        """The terms that a word of MIN_PREFIX characters or more begins."""
        if len(form.decode("utf-8", "replace")) < MIN_PREFIX:
            return []
        ranges = self.vocabulary.prefix(form)
        return [(first, last, 1.0) for first, last in ranges if self.frequency(first, last)]

    def form(self, number: int) -> bytes:
        return bytes(self.vocabulary.form(number))


def family(vocabulary: Vocabulary, form: bytes) -> tuple[int, ...]:
    """The numbers of the other terms that are forms of the same English word, by stem or by irregular form."""
    known = vocabulary.families.get(form)
    if known is None:
        if len(vocabulary.families) >= MAX_FAMILIES:
            vocabulary.families.clear()
        known = vocabulary.families[form] = tuple(dict.fromkeys(_family(vocabulary, form)))
    return known


def _family(vocabulary: Vocabulary, form: bytes) -> Iterator[int]:
    word = form.decode("utf-8", "replace")
    if not word.isascii() or not word.isalpha():
        return
    base = BASE.get(word, word)
    for kin in (base, *FORMS.get(base, ())):
        number = vocabulary.find(kin.encode())
        if kin != word and number >= 0:
            yield number
    root = stem(base)
    if len(root) < 3:
        return
    shared = (root[:-1] if root[-1] in "iye" and len(root) > 3 else root).encode()
    exact = vocabulary.find(shared)
    ranges = [(exact, exact + 1)] if exact >= 0 else []
    ranges += vocabulary.prefix(shared, min(len(root) + STEM_TAIL, 64))
    for first, last in ranges:
        for number in range(first, last):
            other = vocabulary.form(number)
            if other != form and other.isalpha() and stem(other.decode("utf-8", "replace")) == root:
                yield number
