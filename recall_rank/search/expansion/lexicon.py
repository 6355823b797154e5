"""The eligible vocabulary: which terms there are, how often, and which are forms of one word."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from recall_rank._core.index.vocabulary import Vocabulary, within_each
from recall_rank._core.search.spellings import as_one, as_two, tagged
from recall_rank.analysis.stemming import base_form, irregular_forms, stem, stem_all
from recall_rank.index.reader.index_reader import IndexReader

MIN_PREFIX = 4  # characters from which a word stands for the words it begins
MAX_FAMILIES = 65_536  # words whose other forms a vocabulary remembers
FEW = 64  # terms whose stems may always be looked at
STEM_TAIL = 7  # characters an inflected form may be longer than its stem

Member = tuple[int, int, float]  # terms [first, last) and what one of them is worth
Terms = Sequence[int]  # the numbers of one form: one in each segment whose eligible documents hold it
NO_TERMS: Terms = ()


def never() -> bool:
    return False


class Lexicon:
    """The eligible vocabulary: what no eligible document holds does not exist.

    Every segment numbers its own terms; here those of the second follow those of the first, and so on. A form has a
    number in each segment that holds it, and all of them together stand for it.
    """

    __slots__ = ("_firsts", "_late", "_only", "_only_postings", "_rooms")

    def __init__(self, segment: IndexReader, eligible: bytearray | None, late: Callable[[], bool] = never) -> None:
        pieces = segment.views
        self._late = late  # whether what would take long is to be left
        self._rooms = [
            (
                piece.segment.vocabulary,
                piece.frequency(eligible),
                eligible is None and piece.sessions is None,  # all terms are there
                piece.first_term,
            )
            for piece in pieces
        ]
        self._firsts = [piece.first_term for piece in pieces]
        # the one segment, all of it: numbers are its own, and every term exists
        self._only: Vocabulary | None = None
        if len(pieces) == 1 and self._rooms[0][2]:
            only = pieces[0].segment
            self._only, self._only_postings = only.vocabulary, only.postings

    def frequency(self, first: int, last: int) -> int:
        """Documents that hold the terms [first, last), summed over the terms, which are of one segment."""
        _, frequency, _, start = self._rooms[bisect_right(self._firsts, first) - 1]
        return frequency(first - start, last - start)

    def count(self, terms: Terms) -> int:
        """Documents that hold a form."""
        return sum([self.frequency(number, number + 1) for number in terms])

    def held(self, groups: list[list[Member]], most: int) -> list[int]:
        """For each group the documents that hold a member, summed over the members, but no more than `most`."""
        if self._only is not None:
            return self._only_postings.frequencies(groups, most)
        frequency = self._rooms[0][1] if len(self._rooms) == 1 else self.frequency
        return [min(most, sum([frequency(first, last) for first, last, _ in members])) for members in groups]

    def find(self, forms: list[bytes]) -> list[Terms]:
        """The terms of each form; none where no eligible document holds it."""
        if self._only is not None:
            return [(number,) if number >= 0 else NO_TERMS for number in self._only.find_all(forms)]
        found = [NO_TERMS] * len(forms)
        for vocabulary, frequency, whole, start in self._rooms:
            for at, number in enumerate(vocabulary.find_all(forms)):
                if number >= 0 and (whole or frequency(number, number + 1)):
                    found[at] = (*found[at], start + number)
        return found

    def tagged(self, forms: list[bytes], tags: bytes) -> list[tuple[int, int, int]]:
        """Terms that are a byte of `tags` and then a form: (place of the form, place of the tag, term), ascending."""
        if self._only is not None:
            return tagged(self._only, forms, tags)
        return sorted(
            (at, tag, start + number)
            for vocabulary, frequency, whole, start in self._rooms
            for at, tag, number in tagged(vocabulary, forms, tags)
            if whole or frequency(number, number + 1)
        )

    def as_one(self, forms: list[bytes], longest: int, unknown: bytes) -> list[tuple[int, int, bytes, Terms]]:
        """Two to `longest` neighbours as one form, (first, last, form, terms): those that have terms, and those with a
        word among them that is marked as `unknown`. An empty form is not joined."""
        if self._only is not None:
            rows = as_one(self._only, forms, longest, unknown)
            return [(first, last, form, (number,) if number >= 0 else NO_TERMS) for first, last, form, number in rows]
        found: dict[tuple[int, int, bytes], Terms] = {}
        for vocabulary, frequency, whole, start in self._rooms:
            for first, last, form, number in as_one(vocabulary, forms, longest, unknown):
                terms = found.get((first, last, form), NO_TERMS)
                if number >= 0 and (whole or frequency(number, number + 1)):
                    found[first, last, form] = (*terms, start + number)
                elif any(unknown[first : last + 1]):
                    found[first, last, form] = terms
        return [(*key, found[key]) for key in sorted(found)]

    def as_two(self, forms: list[bytes], shortest: int) -> list[tuple[int, int]]:
        """Where forms of ASCII letters and digits are two forms of at least `shortest` characters: (place of the form,
        cut), ascending."""
        if self._only is not None:
            return as_two(self._only, forms, shortest)
        cuts = [
            (at, cut)
            for at, form in enumerate(forms)
            if form.isalnum()
            for cut in range(shortest, len(form) - shortest + 1)
        ]
        heads = self.find([forms[at][:cut] for at, cut in cuts])
        tails = self.find([forms[at][cut:] for at, cut in cuts])
        return [where for where, head, tail in zip(cuts, heads, tails, strict=True) if head and tail]

    def within(self, form: bytes, bound: int, deadline_ns: int = 0) -> list[tuple[Terms, int]]:
        """The forms at 1 to `bound` edits and how many, nearest first, then in the order of a vocabulary.

        After the deadline, those that were found until then.
        """
        near = within_each([vocabulary for vocabulary, *_ in self._rooms], form, bound, deadline_ns=deadline_ns)
        if len(self._rooms) == 1:
            _, frequency, whole, start = self._rooms[0]
            return [((start + at,), edits) for at, edits in near[0] if whole or frequency(at, at + 1)]
        found: dict[bytes, tuple[list[int], int]] = {}
        for (vocabulary, frequency, whole, start), others in zip(self._rooms, near, strict=True):
            for number, edits in others:
                if whole or frequency(number, number + 1):
                    found.setdefault(vocabulary.form(number), ([], edits))[0].append(start + number)
        return [found[other] for other in sorted(found, key=lambda other: (found[other][1], *_place(other)))]

    def longer(self, form: bytes) -> list[Member]:
        """The terms that a word of MIN_PREFIX characters or more begins."""
        if characters(form) < MIN_PREFIX:
            return []
        return [
            (start + first, start + last, 1.0)
            for vocabulary, frequency, _, start in self._rooms
            for first, last in vocabulary.prefix(form)
            if frequency(first, last)
        ]

    def families(self, forms: list[bytes]) -> list[Sequence[tuple[bytes, Terms]]]:
        """The other forms of each English word and their terms, whether an eligible document holds them or not; of one
        that was never asked for before none, once it is late."""
        if len(self._rooms) == 1:
            vocabulary, late = self._rooms[0][0], self._late
            known = vocabulary.families.get
            return [found if (found := known(form)) is not None else family(vocabulary, form, late) for form in forms]
        return [self._family(form) for form in forms]

    def _family(self, form: bytes) -> list[tuple[bytes, Terms]]:
        found: dict[bytes, list[int]] = {}
        for vocabulary, _, _, start in self._rooms:
            for other, (number,) in family(vocabulary, form, self._late):
                found.setdefault(other, []).append(start + number)
        irregular = irregular_forms(form.decode("utf-8", "replace")) if found else []
        kin = [other for other in (word.encode() for word in irregular) if other in found]
        rest = sorted(found.keys() - set(kin), key=_place)
        return [(other, found[other]) for other in (*kin, *rest)]

    def form(self, terms: Terms) -> bytes:
        """What is written where one of the terms is."""
        number = terms[0]
        vocabulary, _, _, start = self._rooms[bisect_right(self._firsts, number) - 1]
        return vocabulary.form(number - start)


def characters(form: bytes) -> int:
    """How many characters a form has."""
    return len(form) if form.isascii() else len(form.decode("utf-8", "replace"))


def _place(form: bytes) -> tuple[int, bytes]:
    """Forms stand in a vocabulary in the order of this."""
    return characters(form), form


def family(vocabulary: Vocabulary, form: bytes, late: Callable[[], bool]) -> tuple[tuple[bytes, tuple[int]], ...]:
    """The other terms that are forms of the same English word, by stem or by irregular form, and their numbers. None
    where it is `late` and many terms would have to be looked at."""
    known = vocabulary.families.get(form)
    if known is None:
        word = form.decode() if form.isalpha() else ""
        root = stem(base_form(word))
        ranges = _likely(vocabulary, root)
        if sum([last - first for first, last in ranges]) > FEW and late():
            return ()
        if len(vocabulary.families) >= MAX_FAMILIES:
            vocabulary.families.clear()
        irregular = vocabulary.find_all([other.encode() for other in irregular_forms(word)])
        numbers = dict.fromkeys([*(number for number in irregular if number >= 0), *_of_root(vocabulary, root, ranges)])
        kin = [(vocabulary.form(number), (number,)) for number in numbers]
        known = vocabulary.families[form] = tuple([(other, terms) for other, terms in kin if other != form])
    return known


def _likely(vocabulary: Vocabulary, root: str) -> list[tuple[int, int]]:
    """Terms [first, last) among which those with this stem are."""
    if len(root) < 3:
        return []
    shared = (root[:-1] if root[-1] in "iye" and len(root) > 3 else root).encode()
    exact = vocabulary.find(shared)
    ranges = [(exact, exact + 1)] if exact >= 0 else []
    return ranges + vocabulary.prefix(shared, min(len(root) + STEM_TAIL, 64))


def _of_root(vocabulary: Vocabulary, root: str, ranges: list[tuple[int, int]]) -> list[int]:
    """The terms of `ranges` that have this stem."""
    numbers = [number for first, last in ranges for number in range(first, last)]
    words = [(number, other.decode()) for number in numbers if (other := vocabulary.form(number)).isalpha()]
    stems = stem_all([word for _, word in words])
    return [number for (number, _), own in zip(words, stems, strict=True) if own == root]
