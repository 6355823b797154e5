"""Score every eligible document by BM25 and by named dates. No document is dropped before it is scored.

With query expansion it is the stage `prefilter`: it finds the candidates, of which the stage `score` measures the best.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from recall_rank._core.search.compiled_query import CompiledQuery
from recall_rank._core.search.evidence import Evidence
from recall_rank.analysis.date_mentions import named_dates, names_a_date
from recall_rank.analysis.question_intent import asks_what_to_do, speaks_of_asker
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.shards.scoring import Marks, Scoring
from recall_rank.model import SUBAGENT_KIND, Kind
from recall_rank.search.expansion.expand import rarity
from recall_rank.search.expansion.expansion import Expansion, TermGroup
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.query import Query
from recall_rank.weights import KindWeights

if TYPE_CHECKING:
    from recall_rank.index.shards.shard_evidence import FoundEvidence
    from recall_rank.index.shards.shard_reader import ShardReader

CLASSES = 64  # of documents: a kind, plus SUBAGENT_KIND
LONGEST = 1024  # words from which a document is not longer to the length norm
DAY_MS = 86_400_000
FACTOR_OF_KIND: Final = {  # the field of KindWeights for a Kind; other kinds have the factor 1
    Kind.USER: "person",
    Kind.ORDER: "person",
    Kind.ASSISTANT: "agent",
    Kind.SUMMARY: "agent",
    Kind.ANSWER: "answer",
    Kind.QUESTION: "aside",
    Kind.INJECTED: "aside",
}
NO_NEIGHBOURS = (0.0, 0.0, 0.0, 0.0)  # where an agent uses tools: one message later it is at its next step


def prefilter(
    reader: IndexReader,
    query: Query,
    expansion: Expansion,
    eligible: EligibleSet,
    only: bytearray | None = None,
    deadline_ns: int = 0,
    groups: list[TermGroup] | None = None,
) -> FoundEvidence:
    """Return the evidence of a query: a score for every eligible document, fused with its context's scores.

    The context of a document is the neighbouring messages and the session. A score is BM25 (see CompiledQuery) times
    the weight of the document's class (see class_weights()), plus the value of dates that the query names. Hits in
    parts not marked in `only`, u8[parts], are left out. `deadline_ns` is a time.monotonic_ns(), 0 for none; documents
    not read before it score 0, see Evidence.docs_done. `groups`, when given, replaces expansion.groups.
    """
    scores_all = query.scores_all or groups is not None  # which are added to those of another evidence
    scoring = _scoring(reader, query, groups or expansion.groups, expansion.ceiling, eligible, scores_all=scores_all)
    if reader.sharded:
        from recall_rank.index.shards.shard_evidence import ShardEvidence

        return ShardEvidence(cast("ShardReader", reader), scoring, eligible.doc_marks, only, deadline_ns)
    return evidence_of(reader, scoring, eligible.doc_marks, only, deadline_ns)


def evidence_of(
    reader: IndexReader,
    scoring: Scoring,
    eligible: Marks | None = None,
    only: Marks | None = None,
    deadline_ns: int = 0,
    first_term: int | None = None,
) -> Evidence:
    """Return the Evidence of a query over the segments of `reader`, which score as `scoring` says.

    `eligible`, u8[docs], and `only`, u8[parts], mark what may be a hit; None is everything. `first_term` is given where
    the reader has a shard of the index by whose terms the query was made: the number there of its first term.
    """
    evidence = reader.evidence(eligible)
    average, *weights = scoring.norm
    compiled = CompiledQuery(scoring.groups, weights[0], _norms(average, *weights), array("f", scoring.classes))
    evidence.accumulate(compiled, deadline_ns, first_term, scoring.scores_all)
    for starts, ends, value in scoring.dates:
        evidence.add_times(array("q", starts), array("q", ends), value)
    evidence.fuse(scoring.neighbours, scoring.session, only, scoring.echo, scoring.echo_floor, scoring.echo_work)
    return evidence


def _scoring(
    reader: IndexReader,
    query: Query,
    groups: Sequence[TermGroup],
    ceiling: float,
    eligible: EligibleSet,
    *,
    scores_all: bool,
) -> Scoring:
    """Return the numbers by which the documents are scored that match the term groups of a query."""
    weights = query.weights
    average = eligible.word_count / eligible.doc_count if eligible.doc_count else 1.0
    near = weights.message_before**2
    forms = [word.form for word in query.words]
    kinds = weights.kind_of_asker if speaks_of_asker(forms) else weights.kind
    talk, chat = (weights.message_before, near, near, near), (0.0, weights.message_after, 0.0, 0.0)
    return Scoring(
        groups=groups,
        norm=(round(average, 1), weights.k1, weights.b, weights.b_talk, weights.length_floor),
        classes=class_weights(kinds, weights.order if asks_what_to_do(forms) else 1.0),
        dates=tuple(_dates(reader, query, eligible)),
        neighbours=(*NO_NEIGHBOURS, *talk, *chat),
        session=(weights.session_log, weights.session_talk, weights.title_log, 0.0, weights.best_log, 0.0),
        echo=weights.echo,
        echo_work=weights.echo_work,
        echo_floor=weights.echo_floor * ceiling,
        scores_all=scores_all,
    )


def _dates(
    reader: IndexReader, query: Query, eligible: EligibleSet
) -> Iterator[tuple[Sequence[int], Sequence[int], float]]:
    """Yield (starts, ends, value) for each date that the query names: evidence for what was said then.

    A single day also gives a smaller value to the messages of the next day. The value is the inverse document frequency
    of the date, as if it were a term in all documents of its time range.
    """
    if not names_a_date(query.text):
        return
    weights = query.weights
    # the time span of all messages, eligible or not: a date without eligible documents adds nothing
    spans = [span for span in (view.segment.doc_columns.time_span() for view in reader.views) if any(span)]
    if not spans:
        return
    for ranges in named_dates(query.text, min(oldest for oldest, _ in spans), max(newest for _, newest in spans)):
        starts, ends = array("q", (start for start, _ in ranges)), array("q", (end for _, end in ranges))
        frequency = sum(
            view.segment.doc_columns.docs_in(starts, ends, view.docs_of(eligible.doc_marks)) for view in reader.views
        )
        value = weights.date * rarity(eligible.doc_count, frequency, weights)
        yield starts, ends, value
        days = array("q", (end for start, end in ranges if end - start == DAY_MS))
        if days:
            yield days, array("q", (day + DAY_MS for day in days)), weights.day_after * value


@lru_cache(maxsize=32)
def class_weights(kinds: KindWeights, order: float = 1.0) -> array[float]:
    """Return the weight of each class of document, f32[64].

    A class is the Kind of a document, plus SUBAGENT_KIND for subagents and abandoned branches. `order` multiplies the
    weight of Kind.ORDER, a user's standing instructions.
    """
    table = array("f", [0.0]) * CLASSES
    for kind in Kind:
        factor = FACTOR_OF_KIND.get(kind)
        weight = 1.0 if factor is None else getattr(kinds, factor)
        table[kind] = weight * order if kind is Kind.ORDER else weight
        table[kind + SUBAGENT_KIND] = table[kind] * kinds.subagent
    return table


@lru_cache(maxsize=32)
def _norms(average: float, k1: float, b: float, b_talk: float, floor: float) -> memoryview[float]:
    """Return the length norm of BM25 for each class and number of words of a document, f32[64, 1024].

    It is k1 * (1 - b + b * (words + floor) / (average + floor)). Talk and questions use `b_talk` as b; the class is
    that of class_weights().
    """
    rows = {}
    for share in (b, b_talk):
        factors = (k1 * (1 - share + share * (words + floor) / (average + floor)) for words in range(LONGEST))
        rows[share] = array("f", factors)
    table = array("f")
    for kind in range(CLASSES):
        table.extend(rows[b_talk if kind % SUBAGENT_KIND in (Kind.TALK, Kind.QUESTION) else b])
    return memoryview(table).cast("B").cast("f", (CLASSES, LONGEST))
