"""Query expansion, the first half of the prefilter: find the terms that match the words of a query, and weigh them.

Terms are those of the eligible vocabulary, that is, of the documents that pass the filters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from recall_rank._core.rank.matcher import Matcher
from recall_rank._core.runtime.record_factory import RecordFactory
from recall_rank._core.search.evidence import idf
from recall_rank.analysis.question_intent import answer_cues, framing_words, light_words
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.search.deadline import Deadline
from recall_rank.search.expansion.expansion import Expansion, TermGroup, UnknownName
from recall_rank.search.expansion.forms import FormLookup, MatchedPrefix
from recall_rank.search.expansion.lexicon import MIN_PREFIX, Lexicon, Member, characters, members_of, never
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.query import Compound, Query, Variant, Word, is_special
from recall_rank.weights import Weights

MIN_HALF = 3  # characters of each half when a word is split
MAX_JOIN = 5  # neighbouring words of the query that are tried as one
LONG_QUERY = 12  # a query with more words than this is joined in pairs only


_group, _expansion = RecordFactory(TermGroup).make, RecordFactory(Expansion).make


def expand(query: Query, reader: IndexReader, eligible: EligibleSet, deadline: Deadline | None = None) -> Expansion:
    """Return the expansion of `query`: the terms of eligible documents that match its words.

    Words that are not looked up before the deadline get no terms.
    """
    late, deadline_ns = (deadline.passed, deadline.at_ns) if deadline else (never, 0)
    lexicon = Lexicon(reader, eligible.doc_marks, late, query.languages)
    return _Expander(query, lexicon, eligible.doc_count, late, deadline_ns).run()


def rarity(documents: int, frequency: float, weights: Weights) -> float:
    """Return the weight of a word that `frequency` of `documents` documents hold.

    It is the inverse document frequency plus `weights.present`, a bonus for any match.
    """
    return idf(documents, frequency) + weights.present


def fallback_groups(expansion: Expansion, reader: IndexReader, eligible: EligibleSet) -> list[TermGroup]:
    """Return the term groups of fallback hits: of each word of the query with terms of its own all terms that begin
    with it, and the guesses of the expansion.

    Hits by these groups alone rank behind the hits of the words themselves.
    """
    lexicon = Lexicon(reader, eligible.doc_marks)
    longer = ((word, at, lexicon.longer(word.form)) for word, at in expansion.known)
    groups = [TermGroup(word.written, at, 1, members, 1.0, factor=1.0) for word, at, members in longer if members]
    return groups + expansion.guesses


class _Expander:
    """Builds the expansion of one query: first its compounds, then joins of neighbouring words, then single words.

    Forms found on the way are collected for the matcher, which finds the query in passages.
    """

    __slots__ = (
        "a_text",
        "alone",
        "counts",
        "covered",
        "cuts",
        "documents",
        "families",
        "forms",
        "framing",
        "groups",
        "guesses",
        "known",
        "known_compounds",
        "late",
        "lexicon",
        "light",
        "marked",
        "names",
        "near_joins",
        "others",
        "prefixes",
        "query",
        "tagged",
        "weights",
        "with_forms",
        "written",
    )

    def __init__(
        self, query: Query, lexicon: Lexicon, documents: int, late: Callable[[], bool], deadline_ns: int
    ) -> None:
        self.late = late
        self.query = query
        self.weights = query.weights
        self.lexicon = lexicon
        self.documents = documents
        self.groups: list[TermGroup] = []
        self.guesses: list[TermGroup] = []
        self.with_forms: list[tuple[Word, int]] = []
        self.forms = FormLookup(query, lexicon, deadline_ns)
        self.prefixes: list[MatchedPrefix] = []
        self.near_joins: list[tuple[TermGroup, list[bytes]]] = []  # groups of repaired joins, and the forms to find
        self.covered: set[int] = set()  # words that are pieces of a compound or of a special form with terms
        self.marked: set[int] = set()  # words that have punctuation in the query and a special form with terms
        self.alone: set[int] = set()  # words with a group of their own
        self.written: set[int] = set()  # words that a document holds, in this form or another inflection
        self.names: list[UnknownName] = []
        self.others: dict[int, list[Member]] = {}  # of the word at an index: terms of its variants

        forms = [word.form for word in query.words]
        self.counts = [word.counts for word in query.words]
        self.a_text = query.counting > self.weights.prose_words
        asked = [form if counts else b"" for form, counts in zip(forms, self.counts, strict=True)]
        known = lexicon.find(forms + [compound.form for compound in query.compounds])
        self.known = known[: len(forms)]
        self.known_compounds = known[len(forms) :]
        self.families = lexicon.families(asked, [word.written for word in query.words] if query.languages else ())
        self.tagged = self.forms.tagged(asked)
        self.cuts: dict[int, list[int]] = {}
        for at, cut in lexicon.split_words(asked, MIN_HALF):
            self.cuts.setdefault(at, []).append(cut)
        self.light = light_words(forms, self.counts)
        self.framing = framing_words(forms)
        if self.framing:
            subject_words = sum(word.counts and word.form not in self.framing for word in query.words)
            if subject_words < 1 or (subject_words == 1 and query.counting == len(forms)):
                self.framing = frozenset()  # the conversation itself is the subject

    def run(self) -> Expansion:
        self._compounds()
        self._joins()
        for variant in self.query.variants:
            if not self.late():
                self._variant(variant)
        done = 0
        late = self.late()
        for at, word in enumerate(self.query.words):
            if late:
                break
            self._word(at, word)
            late = self.late()  # repairs may have been left out
            done += not late
        word_weights, unknown = self._weigh()
        for group, near in self.near_joins:
            # the form is shown where it stands, but no word that remains unknown counts as found there
            similarity = 0.0 if group.nearly else self.weights.repair
            self.forms.matched += [(form, group.at, group.span, similarity) for form in near]
        matcher = Matcher(word_weights, self.counts)
        matcher.add_all(self.forms.matched, self.prefixes)
        for name in self.names:
            self._describe(name)
            matcher.add_name(name.at, name.span)
        for cue in answer_cues(self.query.text):
            matcher.add_cue(cue)
        for previous, group in pairwise(self.groups):
            if group.joint:
                group.factor = min(group.factor, previous.factor)
                previous.factor = 0.0
        # a word that no document holds would be the rarest: the ceiling includes it, so that no answer seems complete
        weights = self.weights
        missing = len(unknown) * rarity(self.documents, 0, weights)
        total = sum([group.factor for group in self.groups])
        if self.query.variants:
            total -= self._surplus()
        ceiling = (weights.k1 + 1) * (missing + total)
        return _expansion(
            self.groups,
            self.with_forms,
            self._guessed(),
            ceiling,
            matcher,
            word_weights,
            self.forms.repaired,
            unknown,
            self.names if done == len(self.query.words) else [],
            done,
        )

    def _guessed(self) -> list[TermGroup]:
        """Return the groups of fallback hits: halves of known words, and spellings that only fuzzy mode takes."""
        words = self.query.words
        return self.guesses + [
            TermGroup(" ".join([word.written for word in words[at : at + span]]), at, span, members, 1.0, factor=1.0)
            for (at, span), members in self.forms.guesses.items()
        ]

    def _describe(self, name: UnknownName) -> None:
        """Complete the record of a name that no document writes as one: its words that no document has, and the forms
        searched.
        """
        for at in range(name.at, name.at + name.span):
            word = self.query.words[at]
            if not self.counts[at]:
                continue
            if self.known[at]:
                name.instead.append(word.form.decode("utf-8", "replace"))
                continue
            name.missing.append(word.written)
            if at in self.written:
                kin = [form for form, terms in self.families[at] if self.lexicon.count(terms)]
                name.instead += [form.decode("utf-8", "replace") for form in kin]
            else:
                name.absent.append(word.written)
                name.instead += self.forms.repaired.get(word.written, ())

    def _weigh(self) -> tuple[list[float], list[str]]:
        """Set the factor of every group, and remove the groups that no eligible document matches.

        Returns the weight of each word of the query, and the words, as written, that count and that no group covers. A
        word has the rarity of its own group. A stop word is weighed as if the share `stop_word_share` of the documents
        held it.
        """
        documents, words, weights = self.documents, self.query.words, self.weights
        weighed = [rarity(documents, documents * weights.stop_word_share, weights)] * len(words)
        answered: set[int] = set()
        kept = []
        frequencies = self.lexicon.frequencies([group.members for group in self.groups], documents)
        for group, frequency in zip(self.groups, frequencies, strict=True):
            if not frequency:  # inflections are cached for the whole vocabulary, not for the eligible documents
                continue
            kept.append(group)
            at = group.at
            group.frequency = frequency
            worth = rarity(documents, frequency, weights)
            if group.span > 1:
                if not group.nearly:
                    answered.update(range(at, at + group.span))
                group.factor = worth * group.boost
                continue
            answered.add(at)
            form = words[at].form
            share = weights.framing if form in self.framing else weights.light if form in self.light else 1.0
            group.factor = worth * group.boost * share
            if share * worth > weighed[at] and group.boost >= weights.partial and not group.joint:
                weighed[at] = share * worth
        self.groups = kept
        missing = [at for at, word in enumerate(words) if word.counts and at not in answered]
        unknown = [words[at].written for at in missing]
        for group, _ in self.near_joins:
            group.nearly = any(group.at <= at < group.at + group.span for at in missing)
        for at, word in enumerate(words):
            if word.cjk:
                pairs = [g for g in kept if g.span == 2 and g.at <= at < g.at + 2]
                # the two characters of a pair share its weight
                weighed[at] = max([weighed[at], *(rarity(documents, g.frequency, weights) / g.span for g in pairs)])
            elif word.counts and word.written in unknown:
                weighed[at] = rarity(documents, 0, weights)
        return weighed, unknown

    def _surplus(self) -> float:
        """Return what the factors of variants add to the ceiling too much: words and their variants count as one."""
        best: dict[tuple[int, int], float] = {}
        surplus = 0.0
        for group in self.groups:
            if group.variant:
                surplus += group.factor
                best[group.at, group.span] = max(group.factor, best.get((group.at, group.span), 0.0))
        for (at, span), factor in best.items():
            own = (
                each for each in self.groups if not each.variant and each.at < at + span and at < each.at + each.span
            )
            surplus -= max(0.0, factor - sum(each.factor for each in own))
        return surplus

    def _add(
        self,
        written: str,
        at: int,
        span: int,
        members: list[Member],
        boost: float,
        *,
        joint: bool = False,
        variant: bool = False,
    ) -> None:
        """Append a term group for the `span` query words from index `at` on, unless `members` is empty.

        `members` are term ranges (first, last, similarity); of equal ranges, the most similar one is kept. With
        `joint`, a document must also hold the group before it. `variant` is as in TermGroup.
        """
        if not members:
            return
        if span == 1:
            self.alone.add(at)
        if len(members) > 1:
            best: dict[tuple[int, int], float] = {}
            for first, last, similarity in members:  # a form may be a repair of the word and an inflection too
                best[first, last] = max(similarity, best.get((first, last), 0.0))
            members = [(first, last, similarity) for (first, last), similarity in sorted(best.items())]
        self.groups.append(_group(written, at, span, members, boost, 0, 0.0, joint, variant, False))

    def _add_join(
        self, written: str, at: int, span: int, members: list[Member], boost: float, near: list[bytes]
    ) -> None:
        """Append a term group for words written as one, unless `members` is empty.

        `near` are the spellings of these members if they are repairs: then a word of it may remain unknown.
        """
        self._add(written, at, span, members, boost)
        if near:
            self.groups[-1].nearly = True
            self.near_joins.append((self.groups[-1], near))

    def _compounds(self) -> None:
        """Add a term group for each compound of the query: words written as one, or a word with its punctuation.

        A special form behind its joined form only separates the two, since the joined form weighs as the name already.
        """
        weights = self.weights
        for compound, terms in zip(self.query.compounds, self.known_compounds, strict=True):
            if self.late():
                return
            at, span = compound.at, compound.span
            if compound.cjk and not terms:
                self.forms.guess(compound.form, at, span)
            special = is_special(compound.form)
            near: list[bytes] = []
            if terms or compound.cjk or special:
                members = self.forms.members(compound.form, terms, at, span, repair=False)
            else:
                members, near = self.forms.near_join(compound.form, at, span)
            prose = self.a_text and _is_hyphened(compound)
            again = special and at in self.covered
            boost = 1.0 if compound.cjk else weights.partial if prose or again else weights.joined
            # in a sentence @ mentions a file or a person, whose name is often written without it
            if self.a_text and (again or compound.form[:1] == b"@"):
                boost = weights.prose_join
            if members and not compound.cjk:
                (self.covered if span > 1 else self.marked).update(range(at, at + span))
            if not members and not compound.cjk and not special and span > 1 and not prose:
                self.names.append(UnknownName(compound.written, at, span))
            self._add_join(compound.written, at, span, members, boost, near)

    def _joins(self) -> None:
        """Add a term group for each run of neighbouring words of the query that a document writes as one word."""
        words, weights = self.query.words, self.weights
        joinable = [b"" if word.cjk or is_special(word.form) else word.form for word in words]
        few = len(words) <= LONG_QUERY
        known: Sequence[object] = self.known
        if self.query.languages:  # a word with other forms is not misspelt
            known = [terms or kin for terms, kin in zip(known, self.families, strict=True)]
        unknown = bytes([few and word.counts and not found for word, found in zip(words, known, strict=True)])
        taken = {(c.at, c.at + c.span - 1) for c in self.query.compounds}
        boost = weights.prose_join if self.a_text else weights.neighbour_join
        for at, last, form, terms in self.lexicon.joined_words(joinable, MAX_JOIN if few else 2, unknown):
            if self.late():
                return
            if (at, last) in taken or not any(self.counts[at : last + 1]):
                continue
            span = last + 1 - at
            near: list[bytes] = []
            if terms:
                members = self.forms.members(form, terms, at, span, repair=False)
            else:
                members, near = self.forms.near_join(form, at, span)
            written = " ".join([each.written for each in words[at : last + 1]])
            self._add_join(written, at, span, members, boost, near)

    def _variant(self, variant: Variant) -> None:
        """Look up the terms of a variant. Those of a single word, and of several written as one, join the group of the
        query word that it stands for; else they get a group of their own.

        Several words get a group, too, which a document matches that holds the two rarest of them.
        """
        at, span, share, forms = variant.at, variant.span, variant.share, self.forms
        words = [word.form for word in variant.words if word.counts]
        alone = words if len(words) == 1 else [variant.joined] if variant.joined else []
        members = [member for form in alone for member in forms.of_variant(form, at, span, share, share)]
        if self._frequency(members):
            if span == 1:
                self.others.setdefault(at, []).extend(members)
            else:
                self._add(variant.written, at, span, members, 1.0, variant=True)
        if len(words) > 1:
            shown = share * self.weights.partial  # one word in a passage is not yet the variant
            found = [forms.of_variant(form, at, span, share, shown) for form in words]
            rarest = sorted(found, key=self._frequency)[:2]
            if self._frequency(rarest[0]):
                self._add(variant.written, at, span, rarest[0], 1.0, variant=True)
                self._add(variant.written, at, span, rarest[1], 1.0, variant=True, joint=True)

    def _frequency(self, members: list[Member]) -> int:
        return self.lexicon.frequencies([members], self.documents)[0]

    def _word(self, at: int, word: Word) -> None:
        """Add the term groups of the word at index `at`: its forms, its halves and, for a word without terms,
        longer terms.
        """
        form, terms, weights = word.form, self.known[at], self.weights
        others = self.others.get(at, [])
        if word.cjk and self._in_pair(at):
            self.forms.matched.append((form, at, 1, weights.partial))
            self._add(word.written, at, 1, others, 1.0, variant=True)
            if word.counts and characters(form) > 1 and not self._in_known_pair(at):
                self._add(word.written, at, 1, members_of(terms, 1.0), weights.partial)
            return
        if not word.counts:
            self.forms.matched.append((form, at, 1, 1.0))
            return
        if at in self.marked:  # the word alone, where the query asks for _x
            self.forms.matched.append((form, at, 1, weights.partial))
        family = self.families[at]
        written = bool(terms) or (bool(family) and any(self.lexicon.count(kin) for _, kin in family))
        if written:
            self.written.add(at)
        members = self.forms.members(form, terms, at, 1, repair=not written and not others and not word.cjk)
        if family:
            members += self.forms.inflected(family, at)
        if at in self.tagged:
            members += self.tagged[at]
        members += others
        if not terms and not others and not word.cjk:
            members += self.forms.misspelt_names(form, at, repair=not written and at not in self.tagged)
        self._add(word.written, at, 1, members, weights.partial if at in self.covered else 1.0)
        if word.cjk:
            return
        if at in self.cuts:
            self._split(at, word, written=written or bool(others))
        if characters(form) >= MIN_PREFIX:
            self.prefixes.append((form, at, weights.partial))
        if at in self.alone:
            self.with_forms.append((word, at))
        else:
            self._add(word.written, at, 1, self.lexicon.longer(form), weights.partial)

    def _split(self, at: int, word: Word, *, written: bool) -> None:
        """Add term groups for the two halves of the word at index `at`, such as "user" and "name" for "username".

        Of a word alone in the query a document must hold both halves. In a longer query a blank is taken to be missing,
        and each half matches by itself. The halves of a word that is `written` in some form in the documents only make
        fallback hits: interface is rarely inter and face.
        """
        lexicon, forms, weights = self.lexicon, self.forms, self.weights
        halves = [half for cut in self.cuts[at] for half in (word.form[:cut], word.form[cut:])]
        found = list(zip(halves, lexicon.find(halves), strict=True))
        pairs = list(zip(found[::2], found[1::2], strict=True))
        if written:
            for (_, head), (_, tail) in pairs:
                self.guesses += [
                    TermGroup(word.written, at, 1, members_of(head, 1.0), 1.0),
                    TermGroup(word.written, at, 1, members_of(tail, 1.0), 1.0, factor=1.0, joint=True),
                ]
            return
        if self.query.counting > 1:
            # the cut whose rarer half is the most frequent
            best = max(pairs, key=lambda pair: min(lexicon.count(terms) for _, terms in pair))
            forms.note_repair(at, b" ".join([half for half, _ in best]))
            for half, terms in best:
                forms.matched.append((half, at, 1, weights.partial))  # carpet is not found where a car is
                members = [
                    *forms.members(half, terms, at, 1, repair=False),
                    *forms.inflected(lexicon.families([half])[0], at),
                    *forms.tagged([half]).get(0, ()),
                ]
                self._add(word.written, at, 1, members, weights.neighbour_join)
            return
        for pair in pairs:
            for (half, terms), joint in zip(pair, (False, True), strict=True):
                forms.matched.append((half, at, 1, weights.partial))
                self._add(word.written, at, 1, members_of(terms, 1.0), weights.partial, joint=joint)

    def _in_pair(self, at: int) -> bool:
        """Return whether the CJK character at index `at` of the query has a CJK neighbour; both are then searched as a
        pair.
        """
        return any(c.cjk and c.at <= at < c.at + c.span for c in self.query.compounds)

    def _in_known_pair(self, at: int) -> bool:
        """Return whether documents hold a pair of CJK characters of the query of which that at index `at` is one."""
        return any(
            terms and c.cjk and c.at <= at < c.at + c.span
            for c, terms in zip(self.query.compounds, self.known_compounds, strict=True)
        )


def _is_hyphened(compound: Compound) -> bool:
    """Return whether a compound is lower-case words with hyphens between them and no other punctuation."""
    written = compound.written
    return "-" in written and written == written.lower() and all(map(str.isalnum, written.split("-")))
