"""Which terms stand for one form of a query: itself, what it was meant to be, its inflections, names and halves."""

from __future__ import annotations

from collections.abc import Iterator

from recall_rank import weights
from recall_rank.lexicon import Lexicon, Member, Terms
from recall_rank.query import Query

TAGS = ((b"\x01", "TOOL_NAME"), (b"\x02", "AUTHOR"), (b"\x03", "DIRECTORY"))
MIN_REPAIR = 4  # characters from which a word may be misspelt
MIN_REPAIR_TWO = 8
MIN_HALF = 3  # characters of each half when a word is taken apart
MAX_FUZZY = 24  # fuzzy mode: neighbours of a known word


class Forms:
    """The forms of one query in the eligible vocabulary, and those that passages are to be read for."""

    def __init__(self, query: Query, lexicon: Lexicon, deadline_ns: int) -> None:
        self.matched: list[tuple[bytes, int, int, float]] = []  # form, first word, words, similarity: for the matcher
        self.repaired: dict[str, list[str]] = {}  # words nobody wrote -> what was searched instead
        self._words = query.words
        self._fuzzy = query.options.match == "fuzzy"
        self._lexicon = lexicon
        self._deadline_ns = deadline_ns

    def count(self, form: bytes) -> int:
        """Documents that hold a form."""
        return self._lexicon.count(self._lexicon.find(form))

    def of(self, form: bytes, at: int, span: int, *, repair: bool) -> list[Member]:
        """The form itself, or what it may have been meant to be; it stands for the words [at, at + span)."""
        terms = self._lexicon.find(form)
        members = _members(terms, 1.0)
        if terms:
            self.matched.append((form, at, span, 1.0))
        if (repair and not terms) or (self._fuzzy and span == 1):
            members.extend(self._repairs(form, at, span, known=bool(terms)))
        return members

    def alone(self, form: bytes) -> list[Member]:
        """The terms of a form and nothing else."""
        return _members(self._lexicon.find(form), 1.0)

    def tagged(self, form: bytes, share: float = 1.0) -> Iterator[Member]:
        """The word as a tool's name, an author or a directory."""
        for tag, name in TAGS:
            for number in self._lexicon.find(tag + form):
                yield number, number + 1, share * getattr(weights, name)

    def inflected(self, form: bytes, at: int, share: float = 1.0) -> Iterator[Member]:
        """Other forms of the word."""
        for other, terms in self._lexicon.family(form):
            self.matched.append((other, at, 1, share * weights.STEM))
            yield from _members(terms, share * weights.STEM)

    def misspelt_names(self, form: bytes) -> Iterator[Member]:
        """Tools, authors and directories that the word may have been meant to be, though nobody wrote them."""
        if len(form) < MIN_REPAIR or form.isdigit():
            return
        bound = 2 if len(form) >= MIN_REPAIR_TWO else 1
        worth = (0.0, weights.REPAIR_ONE, weights.REPAIR_TWO)
        for tag, name in TAGS:
            for terms, edits in self._lexicon.within(tag + form, bound, self._deadline_ns):
                yield from _members(terms, worth[edits] * getattr(weights, name))

    def halves(self, form: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Every pair of known words that `form` is made of."""
        if len(form) < 2 * MIN_HALF or not form.isalnum():
            return
        for place in self._lexicon.splits(form, MIN_HALF):
            yield form[:place], form[place:]

    def _repairs(self, form: bytes, at: int, span: int, *, known: bool) -> Iterator[Member]:
        length = len(form.decode("utf-8", "replace"))
        if length < MIN_REPAIR or form.isdigit():
            return
        bound = (2 if length >= MIN_REPAIR_TWO else 1) + (1 if self._fuzzy else 0)
        near = self._lexicon.within(form, bound, self._deadline_ns)
        if self._fuzzy:
            near = self._capped(near, bound - 1)
        worth = (0.0, weights.REPAIR_ONE, weights.REPAIR_TWO, weights.REPAIR_THREE)
        nearest = near[0][1] if near else 0
        for terms, edits in near:
            similarity = weights.EXPAND_KNOWN * worth[edits] if known else worth[edits]
            if not known and edits > nearest:
                similarity *= weights.FARTHER
            other = self._lexicon.form(terms)
            if other[:1] != form[:1]:
                similarity *= weights.OTHER_INITIAL
            self.matched.append((other, at, span, similarity))
            if not known and span == 1:
                self.repaired.setdefault(self._words[at].written, []).append(other.decode("utf-8", "replace"))
            yield from _members(terms, similarity)
            if not known and span == 1 and edits == nearest:  # all that the right spelling would have found
                yield from self.tagged(other, similarity)
                yield from self.inflected(other, at, similarity)

    def _capped(self, near: list[tuple[Terms, int]], smart: int) -> list[tuple[Terms, int]]:
        """At most MAX_FUZZY neighbours beyond those that smart mode would take: the commonest of the nearest."""
        kept = [pair for pair in near if pair[1] <= smart]
        rest = [pair for pair in near if pair[1] > smart]
        if len(rest) > MAX_FUZZY:
            rest.sort(key=lambda pair: -self._lexicon.count(pair[0]))  # equals stay in the order of the vocabulary
        return kept + rest[:MAX_FUZZY]


def _members(terms: Terms, worth: float) -> list[Member]:
    """The terms of a form, each with what the form is worth."""
    return [(number, number + 1, worth) for number in terms]
