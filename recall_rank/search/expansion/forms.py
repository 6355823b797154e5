"""Which terms stand for one form of a query: itself, what it was meant to be, its inflections and names."""

from __future__ import annotations

from collections.abc import Iterable

from recall_rank.search.expansion.lexicon import Lexicon, Member, Terms, characters
from recall_rank.search.query import Query

TAGS = b"\x01\x02\x03"  # first bytes of the terms that are names of tools, authors and directories
MIN_REPAIR = 4  # characters from which a word may be misspelt
MIN_REPAIR_TWO = 8
MAX_FUZZY = 24  # fuzzy mode: neighbours of a known word


class Forms:
    """The forms of one query in the eligible vocabulary, and those that passages are to be read for."""

    __slots__ = ("_deadline_ns", "_fuzzy", "_lexicon", "_tag_weights", "_weights", "_words", "matched", "repaired")

    def __init__(self, query: Query, lexicon: Lexicon, deadline_ns: int) -> None:
        self.matched: list[tuple[bytes, int, int, float]] = []  # form, first word, words, similarity: for the matcher
        self.repaired: dict[str, list[str]] = {}  # words nobody wrote -> what was searched instead
        self._words = query.words
        self._weights = weights = query.weights
        self._tag_weights = (weights.tool_name, weights.author, weights.directory)
        self._fuzzy = query.options.match == "fuzzy"
        self._lexicon = lexicon
        self._deadline_ns = deadline_ns

    def of(self, form: bytes, terms: Terms, at: int, span: int, *, repair: bool) -> list[Member]:
        """The form itself, which is `terms`, or what it may have been meant to be; it stands for the words
        [at, at + span)."""
        members: list[Member] = []
        if terms:
            self.matched.append((form, at, span, 1.0))
            members = members_of(terms, 1.0)
        if (repair and not terms) or (self._fuzzy and span == 1):
            members += self._repairs(form, at, span, known=bool(terms))
        return members

    def inflected(self, family: Iterable[tuple[bytes, Terms]], at: int, share: float = 1.0) -> list[Member]:
        """Other forms of the word `at`."""
        members, similarity = [], share * self._weights.stem
        for other, terms in family:
            self.matched.append((other, at, 1, similarity))
            members += members_of(terms, similarity)
        return members

    def tagged(self, forms: list[bytes], share: float = 1.0) -> dict[int, list[Member]]:
        """The forms that are names of tools, authors or directories: place of the form -> its terms."""
        found: dict[int, list[Member]] = {}
        for at, tag, number in self._lexicon.tagged(forms, TAGS):
            found.setdefault(at, []).append((number, number + 1, share * self._tag_weights[tag]))
        return found

    def misspelt_names(self, form: bytes) -> list[Member]:
        """Tools, authors and directories that the word may have been meant to be, though nobody wrote them."""
        members: list[Member] = []
        if len(form) < MIN_REPAIR or form.isdigit():
            return members
        bound = 2 if len(form) >= MIN_REPAIR_TWO else 1
        worth = (0.0, self._weights.repair_one, self._weights.repair_two)
        for tag, weight in zip(TAGS, self._tag_weights, strict=True):
            for terms, edits in self._lexicon.within(bytes((tag,)) + form, bound, self._deadline_ns):
                members += members_of(terms, worth[edits] * weight)
        return members

    def _repairs(self, form: bytes, at: int, span: int, *, known: bool) -> list[Member]:
        members: list[Member] = []
        length = characters(form)
        if length < MIN_REPAIR or form.isdigit():
            return members
        bound = (2 if length >= MIN_REPAIR_TWO else 1) + (1 if self._fuzzy else 0)
        near = self._lexicon.within(form, bound, self._deadline_ns)
        if self._fuzzy:
            near = self._capped(near, bound - 1)
        weights = self._weights
        worth = (0.0, weights.repair_one, weights.repair_two, weights.repair_three)
        nearest = near[0][1] if near else 0
        for terms, edits in near:
            similarity = weights.expand_known * worth[edits] if known else worth[edits]
            if not known and edits > nearest:
                similarity *= weights.farther
            other = self._lexicon.form(terms)
            if other[:1] != form[:1]:
                similarity *= weights.other_initial
            self.matched.append((other, at, span, similarity))
            if not known and span == 1:
                self.repaired.setdefault(self._words[at].written, []).append(other.decode("utf-8", "replace"))
            members += members_of(terms, similarity)
            if not known and span == 1 and edits == nearest:  # all that the right spelling would have found
                members += self.tagged([other], similarity).get(0, ())
                members += self.inflected(self._lexicon.families([other])[0], at, similarity)
        return members

    def _capped(self, near: list[tuple[Terms, int]], smart: int) -> list[tuple[Terms, int]]:
        """At most MAX_FUZZY neighbours beyond those that smart mode would take: the commonest of the nearest."""
        kept = [pair for pair in near if pair[1] <= smart]
        rest = [pair for pair in near if pair[1] > smart]
        if len(rest) > MAX_FUZZY:
            rest.sort(key=lambda pair: -self._lexicon.count(pair[0]))  # equals stay in the order of the vocabulary
        return kept + rest[:MAX_FUZZY]


def members_of(terms: Terms, worth: float) -> list[Member]:
    """The terms of a form, each with what the form is worth."""
    if len(terms) == 1:
        number = terms[0]
        return [(number, number + 1, worth)]
    return [(number, number + 1, worth) for number in terms]
