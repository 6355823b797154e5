"""The eligible vocabulary: the terms of the documents that pass the filters, their frequencies and inflections."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank._core.search.spellings import joined_words, split_words, tagged_terms
from recall_rank.analysis.stemming import irregular_forms
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model.record_classes import frozen
from recall_rank.search.expansion.inflections import Inflection, family, family_in

MIN_PREFIX = 4  # characters from which a word matches the terms that it begins

Terms = Sequence[int]
"""The term numbers of one form: one number in each segment whose eligible documents hold it."""

NO_TERMS: Terms = ()

NearForm = tuple[Terms, int]
"""(terms, edits): the terms of a form, and its edit distance from the form that was asked for."""

Member = tuple[int, int, float]
"""(first, last, similarity): the terms [first, last) of one segment, and how similar each is to the word they match.

Members are plain tuples, as the kernels unpack them: a search makes dozens, and a named tuple costs ten times as much.
"""


class TaggedTerm(NamedTuple):
    """A term that is the name of a tool, an author or a directory.

    `form_at` is the index of the name in the list of forms that was looked up, `tag_at` the index of the kind of name
    in the tags that were looked up, `term` the term number.
    """

    form_at: int
    tag_at: int
    term: int


class JoinedForm(NamedTuple):
    """The words `first` to `last` of a query, both included, written as one form, and the terms of it, if any."""

    first: int
    last: int
    form: bytes
    terms: Terms


@frozen
class _SegmentTerms:
    """The vocabulary of one segment, with document frequencies that count eligible documents only."""

    vocabulary: Vocabulary
    frequency: Callable[[int, int], int]  # documents that hold the terms [first, last), summed over the terms
    complete: bool  # every term is in an eligible document
    first_term: int  # of the segment, in the numbering of all segments

    def number(self, term: int) -> int:
        """Convert a term number of this segment to the numbering over all segments.

        Returns -1 for a negative `term` and for a term that no eligible document holds.
        """
        eligible = term >= 0 and (self.complete or self.frequency(term, term + 1))
        return self.first_term + term if eligible else -1


def never() -> bool:
    """Return False: the function to pass as `late`, the check of the deadline, for a search without a deadline."""
    return False


class Lexicon:
    """The terms that eligible documents hold, over all segments of an index.

    Term numbers run over all segments: those of the second segment follow those of the first. `late` is a function
    that returns whether the deadline has passed; from then on families() returns cached inflections, and others only
    where they are cheap. `languages` are those of the query beside English.
    """

    __slots__ = ("_first_terms", "_languages", "_late", "_only", "_only_postings", "_reader", "_segments")

    def __init__(
        self,
        reader: IndexReader,
        eligible: bytearray | None,
        late: Callable[[], bool] = never,
        languages: Sequence[str] = (),
    ) -> None:
        views = reader.views
        self._reader = reader
        self._late = late
        self._languages = languages
        self._segments = [
            _SegmentTerms(
                view.segment.vocabulary,
                view.frequency(eligible),
                eligible is None and view.sessions is None,
                view.first_term,
            )
            for view in views
        ]
        self._first_terms = [view.first_term for view in views]
        # for a single complete segment the kernels are called directly: its term numbers are the global ones
        self._only: Vocabulary | None = None
        if len(views) == 1 and self._segments[0].complete:
            only = views[0].segment
            self._only, self._only_postings = only.vocabulary, only.postings

    def frequency(self, first: int, last: int) -> int:
        """Return the sum of the document frequencies of the terms [first, last), which are in one segment.

        Only eligible documents are counted; a document that holds two of the terms counts twice.
        """
        segment = self._segment_of(first)
        return segment.frequency(first - segment.first_term, last - segment.first_term)

    def count(self, terms: Terms) -> int:
        """Return the number of eligible documents that hold a form, given by its `terms`: its term number in each
        segment.
        """
        return sum([self.frequency(number, number + 1) for number in terms])

    def frequencies(self, groups: list[list[Member]], most: int) -> list[int]:
        """Return, for each group of term ranges, the sum of the document frequencies of its terms, at most `most`.

        A range is (first, last, similarity). Only eligible documents are counted; a document that holds two terms
        counts twice.
        """
        if self._only is not None:
            return self._only_postings.frequencies(groups, most)
        frequency = self._segments[0].frequency if len(self._segments) == 1 else self.frequency
        return [min(most, sum([frequency(first, last) for first, last, _ in members])) for members in groups]

    def find(self, forms: list[bytes]) -> list[Terms]:
        """Return the term numbers of each form, in the order of `forms`; empty for a form that no eligible document
        holds.
        """
        if self._only is not None:
            return [(number,) if number >= 0 else NO_TERMS for number in self._only.find_all(forms)]
        found = [NO_TERMS] * len(forms)
        for segment in self._segments:
            for at, term in enumerate(segment.vocabulary.find_all(forms)):
                if (number := segment.number(term)) >= 0:
                    found[at] = (*found[at], number)
        return found

    def tagged_terms(self, forms: list[bytes], tags: bytes) -> list[TaggedTerm]:
        """Return the terms that consist of one byte of `tags`, which marks a kind of name, and one of the forms behind
        it.

        They are ordered by form, tag and term number.
        """
        if self._only is not None:
            return [TaggedTerm(*row) for row in tagged_terms(self._only, forms, tags)]
        return sorted(
            TaggedTerm(form_at, tag_at, number)
            for segment in self._segments
            for form_at, tag_at, term in tagged_terms(segment.vocabulary, forms, tags)
            if (number := segment.number(term)) >= 0
        )

    def joined_words(self, forms: list[bytes], longest: int, unknown: bytes) -> list[JoinedForm]:
        """Return the concatenations of two to `longest` neighbouring forms that have terms.

        `unknown` has a byte for each form. Concatenations that include a form with a byte above 0 are also returned
        without terms. An empty form is never joined.
        """
        if self._only is not None:
            rows = joined_words(self._only, forms, longest, unknown)
            return [JoinedForm(*row[:3], (row[3],) if row[3] >= 0 else NO_TERMS) for row in rows]
        found: dict[tuple[int, int, bytes], Terms] = {}
        for segment in self._segments:
            for first, last, form, term in joined_words(segment.vocabulary, forms, longest, unknown):
                terms = found.get((first, last, form), NO_TERMS)
                if (number := segment.number(term)) >= 0:
                    found[first, last, form] = (*terms, number)
                elif any(unknown[first : last + 1]):
                    found[first, last, form] = terms
        return [JoinedForm(*key, found[key]) for key in sorted(found)]

    def split_words(self, forms: list[bytes], shortest: int) -> list[tuple[int, int]]:
        """Return pairs (at, cut): forms[at] divided before byte `cut` gives two forms that eligible documents hold.

        Only forms of ASCII letters and digits are divided, and both halves have `shortest` bytes or more.
        """
        if self._only is not None:
            return split_words(self._only, forms, shortest)
        cuts = [
            (at, cut)
            for at, form in enumerate(forms)
            if form.isalnum()
            for cut in range(shortest, len(form) - shortest + 1)
        ]
        heads = self.find([forms[at][:cut] for at, cut in cuts])
        tails = self.find([forms[at][cut:] for at, cut in cuts])
        return [where for where, head, tail in zip(cuts, heads, tails, strict=True) if head and tail]

    def within(self, form: bytes, bound: int, deadline_ns: int = 0) -> list[NearForm]:
        """Return the terms of the forms at 1 to `bound` edits from `form`, and the number of edits of each.

        Ordered by edits (optimal string alignment), then by length and bytes of the form. At `deadline_ns`, a monotonic
        time, the forms found so far are returned; 0 is no deadline.
        """
        near = self._reader.near_terms(form, bound, deadline_ns)
        if len(self._segments) == 1:
            segment = self._segments[0]
            return [((number,), edits) for term, edits in near[0] if (number := segment.number(term)) >= 0]
        found: dict[bytes, tuple[list[int], int]] = {}
        for segment, others in zip(self._segments, near, strict=True):
            for term, edits in others:
                if (number := segment.number(term)) >= 0:
                    found.setdefault(segment.vocabulary.form(term), ([], edits))[0].append(number)
        order = sorted(found, key=lambda other: (found[other][1], *_vocabulary_order(other)))
        return [found[other] for other in order]

    def longer(self, form: bytes) -> list[Member]:
        """Return the longer terms that begin with `form`, as ranges (first, last, similarity 1).

        Empty for a form of fewer than MIN_PREFIX characters.
        """
        if characters(form) < MIN_PREFIX:
            return []
        return [
            (segment.first_term + first, segment.first_term + last, 1.0)
            for segment in self._segments
            for first, last in segment.vocabulary.prefix(form)
            if segment.frequency(first, last)
        ]

    def families(self, forms: list[bytes], written: Sequence[str] = ()) -> list[Sequence[Inflection]]:
        """Return, for each of `forms`, the other inflections of that word that are in the vocabulary.

        They are those of the word in English, then those in the languages of the query; `written` are the words with
        their accents, by default the forms. After the deadline, words whose inflections are neither cached nor cheap to
        find get none.
        """
        found: list[Sequence[Inflection]]
        if len(self._segments) == 1:
            vocabulary, late = self._segments[0].vocabulary, self._late
            known = vocabulary.families.get
            found = [kin if (kin := known(form)) is not None else family(vocabulary, form, late) for form in forms]
        else:
            found = [self._family(form) for form in forms]
        if self._languages:
            words = written or [form.decode("utf-8", "replace") for form in forms]
            for at, form in enumerate(forms):
                if form and (others := self._family_in_languages(form, words[at])):
                    english = {kin.form for kin in found[at]}
                    found[at] = [*found[at], *(kin for kin in others if kin.form not in english)]
        return found

    def _family_in_languages(self, form: bytes, written: str) -> list[Inflection]:
        """Return the other inflections of one word in the languages of the query, ordered by length and bytes."""
        found: dict[bytes, dict[int, None]] = {}
        for segment in self._segments:
            for language in self._languages:
                for other, (term,) in family_in(segment.vocabulary, form, written, language, self._late):
                    found.setdefault(other, {})[segment.first_term + term] = None
        return [Inflection(other, list(found[other])) for other in sorted(found, key=_vocabulary_order)]

    def _family(self, form: bytes) -> list[Inflection]:
        """Return the other inflections of one English word in the vocabularies of all segments.

        Those in the table of irregular forms come first, the others by length and bytes.
        """
        found: dict[bytes, list[int]] = {}
        for segment in self._segments:
            for other, (term,) in family(segment.vocabulary, form, self._late):
                found.setdefault(other, []).append(segment.first_term + term)
        irregular = irregular_forms(form.decode("utf-8", "replace")) if found else []
        first = [other for other in (word.encode() for word in irregular) if other in found]
        rest = sorted(found.keys() - set(first), key=_vocabulary_order)
        return [Inflection(other, found[other]) for other in (*first, *rest)]

    def form(self, terms: Terms) -> bytes:
        """Return the form, in UTF-8, whose term numbers in the segments are `terms`."""
        segment = self._segment_of(terms[0])
        return segment.vocabulary.form(terms[0] - segment.first_term)

    def _segment_of(self, number: int) -> _SegmentTerms:
        return self._segments[bisect_right(self._first_terms, number) - 1]


def members_of(terms: Terms, similarity: float) -> list[Member]:
    """Return a term range (term, term + 1, similarity) for each of the term numbers `terms`."""
    return [(number, number + 1, similarity) for number in terms]


def characters(form: bytes) -> int:
    """Return the length of a form, which is UTF-8, in characters."""
    return len(form) if form.isascii() else len(form.decode("utf-8", "replace"))


def _vocabulary_order(form: bytes) -> tuple[int, bytes]:
    """Return the sort key by which a vocabulary orders its forms: number of characters, then bytes."""
    return characters(form), form
