"""Stage: which terms of the vocabulary stand for the words of a query, and how well each does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from recall_rank import weights
from recall_rank._core.evidence import idf
from recall_rank._core.window import Matcher
from recall_rank.budget import Deadline
from recall_rank.cues import answer_cues, is_framing
from recall_rank.forms import TAGS, Forms
from recall_rank.index.searched import Searched
from recall_rank.lexicon import MIN_PREFIX, Lexicon, Member
from recall_rank.query import Compound, Query, Word

MAX_JOIN = 5  # neighbouring words of the query that may have been written as one
PROSE_WORDS = 5  # meaning words from which a query is a sentence rather than a name
LONG_QUERY = 12  # words from which only pairs are joined


@dataclass(slots=True)
class TermGroup:
    """Terms that stand for one thing of the query; its factor is rarity times boost."""

    written: str
    at: int  # first word of the query it covers
    span: int
    members: list[Member]
    boost: float
    frequency: int = 0
    factor: float = 0.0
    joint: bool = False  # a document must also hold the group before


@dataclass(slots=True)
class Expansion:
    """The groups of a query, the most evidence a document could give, and the matcher for reading passages."""

    groups: list[TermGroup]
    known: list[tuple[Word, int]]  # words with a form in the vocabulary, for longer_words(), and their places
    ceiling: float
    matcher: Matcher
    word_weights: list[float]
    repaired: dict[str, list[str]]  # words nobody wrote -> what was searched instead
    unknown: list[str]  # words without any form in the vocabulary
    words_done: int  # words that were looked up before the deadline


def expand(
    query: Query, segment: Searched, documents: int, eligible: bytearray | None, deadline: Deadline | None = None
) -> Expansion:
    """The groups of `query` over the eligible documents, of which there are `documents`; after the deadline, of its
    first words only."""
    return _Expander(query, Lexicon(segment, eligible), documents, deadline).run()


def rarity(documents: int, frequency: float) -> float:
    """What a word that `frequency` of the documents hold is worth: its IDF, and a little for standing there at all."""
    return idf(documents, frequency) + weights.PRESENT


def longer_words(
    expansion: Expansion, segment: Searched, documents: int, eligible: bytearray | None
) -> list[TermGroup]:
    """The longer words that known words begin: what they alone give away comes after all other hits."""
    lexicon = Lexicon(segment, eligible)
    groups = []
    for word, at in expansion.known:
        members = lexicon.longer(word.form)
        if members:
            group = TermGroup(word.written, at, 1, members, 1.0)
            group.frequency = min(documents, lexicon.held(members))
            group.factor = rarity(documents, group.frequency)
            groups.append(group)
    return groups


class _Expander:
    def __init__(self, query: Query, lexicon: Lexicon, documents: int, deadline: Deadline | None) -> None:
        self.deadline = deadline
        self.query = query
        self.lexicon = lexicon
        self.documents = documents
        self.groups: list[TermGroup] = []
        self.with_forms: list[tuple[Word, int]] = []
        self.unknown: list[str] = []
        self.neighbours = list(_neighbours(query.words))
        self.lexicon.look_up(self._written())
        self.known = [self.lexicon.find(word.form) for word in query.words]
        self.forms = Forms(query, lexicon, deadline.at_ns if deadline else 0)
        self.prefixes: list[tuple[bytes, int, float]] = []
        matter = sum(word.counts and not is_framing(word.form) for word in query.words)
        self.a_text = sum(word.counts for word in query.words) > PROSE_WORDS
        a_sentence = not all(word.counts for word in query.words)
        self.framed = matter > 1 or (matter == 1 and a_sentence)
        self.covered: set[int] = set()  # words that are pieces of a compound known as one
        self.alone: set[int] = set()  # words with a group of their own

    def _written(self) -> Iterator[bytes]:
        """What will be looked up of the words as they are, so that it can be looked up at once."""
        for word in self.query.words:
            yield word.form
            if word.counts:
                yield from (tag + word.form for tag, _ in TAGS)
        for compound in self.query.compounds:
            yield compound.form
        for _, _, form in self.neighbours:
            yield form

    def run(self) -> Expansion:
        self._compounds()
        self._joins()
        done = 0
        late = self._late()
        for at, word in enumerate(self.query.words):
            if late:
                break
            self._word(at, word)
            late = self._late()  # then near words may have been missed
            done += not late
        for group in self.groups:
            group.frequency = min(self.documents, self.lexicon.held(group.members))
            group.factor = rarity(self.documents, group.frequency) * group.boost * self._share(group)
        # members are of the whole vocabulary; what no eligible document holds must leave no trace
        self.groups = [group for group in self.groups if group.frequency]
        answered = {at for group in self.groups for at in range(group.at, group.at + group.span)}
        self.unknown = [word.written for at, word in enumerate(self.query.words) if word.counts and at not in answered]
        word_weights = self._word_weights()
        matcher = Matcher(word_weights, [word.counts for word in self.query.words])
        matcher.add_all(self.forms.matched, self.prefixes)
        for cue in answer_cues(self.query.text):
            matcher.add_cue(cue)
        for previous, group in zip(self.groups, self.groups[1:], strict=False):
            if group.joint:
                group.factor = min(group.factor, previous.factor)
                previous.factor = 0.0
        # a word nobody wrote could have been the rarest evidence of all: without it nothing answers for certain
        missing = len(self.unknown) * rarity(self.documents, 0)
        ceiling = (weights.K1 + 1) * (missing + sum(group.factor for group in self.groups))
        return Expansion(
            self.groups, self.with_forms, ceiling, matcher, word_weights, self.forms.repaired, self.unknown, done
        )

    def _share(self, group: TermGroup) -> float:
        """What a group's word counts for: less where it is about the talk and others are about its matter."""
        return (
            weights.FRAMING if self.framed and group.span == 1 and is_framing(self.query.words[group.at].form) else 1.0
        )

    def _word_weights(self) -> list[float]:
        """The weight of each word: the rarity of its own group; stop words weigh as the commonest word would."""
        found = [rarity(self.documents, self.documents * weights.STOP_WORD_SHARE)] * len(self.query.words)
        for group in self.groups:
            if group.span == 1 and group.boost >= weights.PIECE and not group.joint:
                found[group.at] = max(found[group.at], self._share(group) * rarity(self.documents, group.frequency))
        for at, word in enumerate(self.query.words):
            if word.cjk:
                pairs = [g for g in self.groups if g.span == 2 and g.at <= at < g.at + 2]
                found[at] = max(
                    [found[at], *(weights.CJK_PAIR_SHARE * rarity(self.documents, g.frequency) for g in pairs)]
                )
            elif word.counts and word.written in self.unknown:
                found[at] = rarity(self.documents, 0)
        return found

    def _add(
        self, written: str, at: int, span: int, members: list[Member], boost: float, *, joint: bool = False
    ) -> None:
        if members and span == 1:
            self.alone.add(at)
        if len(members) == 1:
            self.groups.append(TermGroup(written, at, span, members, boost, joint=joint))
        elif members:
            best: dict[tuple[int, int], float] = {}
            for first, last, weight in members:  # a form may be a neighbour of the word and of the same stem
                best[first, last] = max(weight, best.get((first, last), 0.0))
            unique = [(first, last, weight) for (first, last), weight in sorted(best.items())]
            self.groups.append(TermGroup(written, at, span, unique, boost, joint=joint))

    # --- several words as one ------------------------------------------------------------------

    def _late(self) -> bool:
        return self.deadline is not None and self.deadline.passed()

    def _compounds(self) -> None:
        for compound in self.query.compounds:
            if self._late():
                return
            members = self.forms.of(compound.form, compound.at, compound.span, repair=not compound.cjk)
            if compound.span > 1 and members and not compound.cjk:
                self.covered.update(range(compound.at, compound.at + compound.span))
            boost = weights.HYPHENED if self.a_text and _is_hyphened(compound) else weights.JOINED
            self._add(compound.written, compound.at, compound.span, members, boost)

    def _joins(self) -> None:
        words = self.query.words
        taken = {(c.at, c.span) for c in self.query.compounds}
        boost = weights.PROSE_JOIN if self.a_text else weights.NEIGHBOUR_JOIN
        counted = [0, *accumulate(word.counts for word in words)]  # of the words before each
        unknown = [0, *accumulate(w.counts and not known for w, known in zip(words, self.known, strict=True))]
        for at, last, form in self.neighbours:
            if last == at + 1 and self._late():
                return
            if counted[last + 1] == counted[at]:
                continue
            repair = len(words) <= LONG_QUERY and unknown[last + 1] > unknown[at]
            if (repair or self.lexicon.find(form)) and (at, last + 1 - at) not in taken:
                members = self.forms.of(form, at, last + 1 - at, repair=repair)
                written = " ".join(each.written for each in words[at : last + 1])
                self._add(written, at, last + 1 - at, members, boost)

    # --- one word --------------------------------------------------------------------------------

    def _word(self, at: int, word: Word) -> None:
        if word.cjk and self._in_pair(at):
            self.forms.matched.append((word.form, at, 1, weights.CJK_SINGLE))
            return
        if not word.counts:
            self.forms.matched.append((word.form, at, 1, 1.0))
            return
        written = bool(self.known[at]) or any(self.forms.count(kin) for kin, _ in self.lexicon.family(word.form))
        members = self.forms.of(word.form, at, 1, repair=not written)
        members.extend(self.forms.inflected(word.form, at))
        boost = weights.PIECE if at in self.covered else 1.0
        members.extend(self.forms.tagged(word.form))
        if not self.known[at] and not word.cjk:
            members.extend(self.forms.misspelt_names(word.form))
        self._add(word.written, at, 1, members, boost)
        if word.cjk:
            return
        self._split(at, word, written=written)
        if len(word.form.decode("utf-8", "replace")) >= MIN_PREFIX:
            self.prefixes.append((word.form, at, weights.PREFIX))
        if at in self.alone:
            self.with_forms.append((word, at))
        else:
            self._add(word.written, at, 1, self.lexicon.longer(word.form), weights.PREFIX)

    def _split(self, at: int, word: Word, *, written: bool) -> None:
        """The halves of a word: both or nothing where it is alone or `written` in any form; else each for itself, for
        a blank was forgotten."""
        pairs = list(self.forms.halves(word.form))
        if pairs and not written and sum(other.counts for other in self.query.words) > 1:
            for half in max(pairs, key=lambda pair: min(map(self.forms.count, pair))):
                members = [
                    *self.forms.of(half, at, 1, repair=False),
                    *self.forms.inflected(half, at),
                    *self.forms.tagged(half),
                ]
                self._add(word.written, at, 1, members, weights.BLANK_MISSING)
            return
        worth = weights.SPLIT_KNOWN if written else weights.SPLIT
        for halves in pairs:
            for half, joint in zip(halves, (False, True), strict=True):
                self.forms.matched.append((half, at, 1, worth))
                self._add(word.written, at, 1, self.forms.alone(half), worth, joint=joint)

    def _in_pair(self, at: int) -> bool:
        return any(c.cjk and c.at <= at < c.at + c.span for c in self.query.compounds)


def _neighbours(words: Sequence[Word]) -> Iterator[tuple[int, int, bytes]]:
    """Words [at, last] that may have been written as one, and that form."""
    longest = MAX_JOIN if len(words) <= LONG_QUERY else 2
    for at, first in enumerate(words):
        form = first.form
        for last in range(at + 1, min(at + longest, len(words))):
            if first.cjk or words[last].cjk:
                break
            form += words[last].form
            yield at, last, form


def _is_hyphened(compound: Compound) -> bool:
    """Whether it is words in lower case with hyphens between them, and no other sign."""
    written = compound.written
    return "-" in written and written == written.lower() and all(map(str.isalnum, written.split("-")))
