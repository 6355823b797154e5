"""Look up the terms for one form, that is, one spelling, of a query word: itself, misspellings, inflections, names."""

from __future__ import annotations

from collections.abc import Iterable

from recall_rank.search.expansion.inflections import Inflection
from recall_rank.search.expansion.lexicon import Lexicon, Member, NearForm, Terms, characters, members_of
from recall_rank.search.query import Query, is_special

TAGS = b"\x01\x02\x03"  # first bytes of the terms that are names of tools, authors and directories
MIN_REPAIR = 4  # characters from which a word may be misspelt by one edit
MIN_REPAIR_TWO = 8  # characters from which a word may be misspelt by two edits
ENDING = 3  # characters at the end of a word in which forms differ that have no stem in common
GUESSED = 3  # edits of which a repair is no evidence
MAX_FUZZY = 24  # fuzzy mode: terms close to a known word


MatchedForm = tuple[bytes, int, int, float]
"""(form, word, span, similarity): a form that counts in passages for the words [word, word + span) of the query."""

MatchedPrefix = tuple[bytes, int, float]
"""(form, word, similarity): a beginning of longer words that counts in passages for one word of the query."""


class FormLookup:
    """Looks up forms of one query in the eligible vocabulary, and collects the forms to find in passages.

    `matched` are the collected forms. `guesses` are the terms of spellings that only fuzzy mode takes for a word or
    compound: near terms of a known one, and terms at GUESSED edits; they make fallback hits. `repaired` maps a word of
    the query that no document holds to the forms and names searched in its place. `deadline_ns` is a monotonic time, 0
    for none; after it no repairs, that is, forms within a few edits, are looked up.
    """

    __slots__ = (
        "_deadline_ns",
        "_fuzzy",
        "_inflected",
        "_lexicon",
        "_tag_weights",
        "_weights",
        "_words",
        "guesses",
        "matched",
        "repaired",
    )

    def __init__(self, query: Query, lexicon: Lexicon, deadline_ns: int) -> None:
        self.matched: list[MatchedForm] = []
        self.guesses: dict[tuple[int, int], list[Member]] = {}  # by the query words [at, at + span)
        self.repaired: dict[str, list[str]] = {}
        self._words = query.words
        self._weights = weights = query.weights
        self._tag_weights = (weights.metadata, weights.author, weights.metadata)
        self._fuzzy = query.options.match == "fuzzy"
        self._inflected = bool(query.languages)
        self._lexicon = lexicon
        self._deadline_ns = deadline_ns

    def members(self, form: bytes, terms: Terms, at: int, span: int, *, repair: bool) -> list[Member]:
        """Return the terms that match a form, which covers the query words [at, at + span).

        They are term ranges (first, last, similarity): the form's own `terms`, or, with `repair` and without own terms,
        those of similar spellings. In fuzzy mode the similar spellings of a single word with own terms are guesses.
        """
        members: list[Member] = []
        if terms:
            self.matched.append((form, at, span, 1.0))
            members = members_of(terms, 1.0)
        if (repair and not terms) or (self._fuzzy and span == 1):
            members += self._repairs(form, at, span, known=bool(terms))
        return members

    def inflected(self, family: Iterable[Inflection], at: int, share: float = 1.0) -> list[Member]:
        """Return the term ranges (first, last, similarity) of the inflections `family` of the query word at index `at`.

        Each has the similarity `share` times the weight `stem`. The inflections are also noted as forms to find in
        passages.
        """
        members, similarity = [], share * self._weights.stem
        for form, terms in family:
            self.matched.append((form, at, 1, similarity))
            members += members_of(terms, similarity)
        return members

    def tagged(self, forms: list[bytes], share: float = 1.0) -> dict[int, list[Member]]:
        """Return a mapping from index in `forms` to the term ranges of the names of tools, authors and directories that
        equal it.

        A range is (first, last, similarity); the similarity is `share` times the weight of the kind of name.
        """
        found: dict[int, list[Member]] = {}
        for at, tag, number in self._lexicon.tagged_terms(forms, TAGS):
            found.setdefault(at, []).append((number, number + 1, share * self._tag_weights[tag]))
        return found

    def of_variant(self, form: bytes, at: int, span: int, share: float, shown: float) -> list[Member]:
        """Return the term ranges (first, last, similarity) of a form that counts in place of the query words
        [at, at + span): its own terms, its inflections, and the names that equal it.

        Their similarity is at most `share`. They are noted as forms to find in passages, with at most `shown`.
        """
        terms, family = self._lexicon.find([form])[0], self._lexicon.families([form])[0]
        members = self.tagged([form], share).get(0, [])
        for own, similarity in ((form, 1.0), *((other, self._weights.stem) for other, _ in family)):
            self.matched.append((own, at, span, similarity * shown))
        members += members_of(terms, share)
        for _, others in family:
            members += members_of(others, share * self._weights.stem)
        return members

    def misspelt_names(self, form: bytes, at: int, *, repair: bool) -> list[Member]:
        """Return the term ranges (first, last, similarity) of names of tools, authors and directories at one or two
        edits from `form`, the query word at index `at`.

        With `repair`, that is for a word that no document and no name holds, the names are noted as repairs.
        """
        members: list[Member] = []
        length = characters(form)
        if length < MIN_REPAIR or form.isdigit() or is_special(form):
            return members
        bound = 2 if length >= MIN_REPAIR_TWO else 1
        for tag, weight in zip(TAGS, self._tag_weights, strict=True):
            for terms, edits in self._lexicon.within(bytes((tag,)) + form, bound, self._deadline_ns):
                members += members_of(terms, (self._weights.repair if edits else 0.0) * weight)
                if repair:
                    self.note_repair(at, self._lexicon.form(terms)[1:])
        return members

    def guess(self, form: bytes, at: int, span: int) -> None:
        """In fuzzy mode, note the terms at one edit from a pair of characters that no document holds as guesses.

        Characters of one code point are left out: at one edit their pairs have another meaning.
        """
        if self._fuzzy and characters(form) > span:
            for terms, _ in self._lexicon.within(form, 1, self._deadline_ns):
                self.guesses.setdefault((at, span), []).extend(members_of(terms, 1.0))

    def near_join(self, form: bytes, at: int, span: int) -> tuple[list[Member], list[bytes]]:
        """Return the term ranges (first, last, similarity) of the spellings near to a join of the query words
        [at, at + span) that no document holds, and these spellings.

        They are not noted as forms to find in passages, since what they say of each word is not known yet.
        """
        members: list[Member] = []
        near = []
        for terms, edits in self._near(form):
            if edits == GUESSED:
                self.guesses.setdefault((at, span), []).extend(members_of(terms, 1.0))
            else:
                near.append(self._lexicon.form(terms))
                members += members_of(terms, self._weights.repair)
        return members, near

    def _near(self, form: bytes) -> list[NearForm]:
        """Return the terms of other spellings of a form, that is, of forms within a few edits, the nearest first.

        A special form has none, and is none: at one edit from --log there is every word of its length, and _at is a
        spelling of at only for somebody who means both.
        """
        length = characters(form)
        if length < MIN_REPAIR or form.isdigit() or is_special(form):
            return []
        bound = (2 if length >= MIN_REPAIR_TWO else 1) + (1 if self._fuzzy else 0)
        near = self._lexicon.within(form, bound, self._deadline_ns)
        near = [each for each in near if not is_special(self._lexicon.form(each[0]))]
        if self._inflected:
            near = self._other_endings(form, near) or near
        return self._limited(near, bound - 1) if self._fuzzy else near

    def _repairs(self, form: bytes, at: int, span: int, *, known: bool) -> list[Member]:
        """Return the term ranges (first, last, similarity) of other spellings of a form, that is, of forms within a few
        edits.

        `known` tells whether documents hold the form itself; then all of them are guesses. If not, the nearest
        spellings of a single word also add their inflections and the names of tools, authors and directories that equal
        them.
        """
        members: list[Member] = []
        near = self._near(form)
        similarity = self._weights.repair
        nearest = near[0][1] if near else 0
        for terms, edits in near:
            other = self._lexicon.form(terms)
            if not known and span == 1:
                self.note_repair(at, other)
            if known or edits == GUESSED:
                self.guesses.setdefault((at, span), []).extend(members_of(terms, 1.0))
                continue
            self.matched.append((other, at, span, similarity))
            members += members_of(terms, similarity)
            if span == 1 and edits == nearest:  # all that the right spelling would have found
                members += self.tagged([other], similarity).get(0, ())
                members += self.inflected(self._lexicon.families([other])[0], at, similarity)
        return members

    def note_repair(self, at: int, other: bytes) -> None:
        """Note that the form `other` is searched in place of the query word at index `at`."""
        others = self.repaired.setdefault(self._words[at].written, [])
        if (text := other.decode("utf-8", "replace")) not in others:
            others.append(text)

    def _other_endings(self, form: bytes, near: list[NearForm]) -> list[NearForm]:
        """Return the near forms that differ from `form` in its ending only: forms of the word, not of another one."""
        kept = form.decode("utf-8", "replace")
        kept = kept[: max(MIN_REPAIR, len(kept) - ENDING)]
        return [each for each in near if self._lexicon.form(each[0]).decode("utf-8", "replace").startswith(kept)]

    def _limited(self, near: list[NearForm], smart_bound: int) -> list[NearForm]:
        """Return the near forms within `smart_bound` edits, then the MAX_FUZZY most frequent of the near forms beyond
        that.
        """
        kept = [(terms, edits) for terms, edits in near if edits <= smart_bound]
        rest = [(terms, edits) for terms, edits in near if edits > smart_bound]
        if len(rest) > MAX_FUZZY:
            rest.sort(key=lambda each: -self._lexicon.count(each[0]))  # equals stay in vocabulary order
        return kept + rest[:MAX_FUZZY]
