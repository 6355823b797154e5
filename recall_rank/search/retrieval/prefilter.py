"""Stage: which documents can answer, and with what evidence. Nothing is capped before relevance."""

from __future__ import annotations

from array import array
from functools import lru_cache

from recall_rank._core.search.compiled_query import CompiledQuery
from recall_rank.analysis.date_mentions import named_dates, names_a_date
from recall_rank.analysis.question_intent import asks_what_to_do
from recall_rank.index.reader.index_reader import Evidences, IndexReader
from recall_rank.model import SUBAGENT_KIND, Kind
from recall_rank.search.expansion.expand import Expansion, TermGroup, rarity
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.query import Query
from recall_rank.weights import KindWeights, Weights

CLASSES, LONGEST = 64, 1024
DAY_MS = 86_400_000


def prefilter(
    segment: IndexReader,
    query: Query,
    expansion: Expansion,
    eligible: EligibleSet,
    only: bytearray | None = None,
    deadline_ns: int = 0,
    groups: list[TermGroup] | None = None,
) -> Evidences:
    """The evidence of every eligible document, fused with that of its neighbours and its session.

    `only`, u8[parts], keeps the hits in the marked parts. `deadline_ns` is a monotonic time, 0 for none: documents
    behind the last one that was read until then have no evidence. `groups` replace the groups of the expansion.
    """
    weights = query.weights
    evidence = segment.evidence(eligible.doc_marks)
    average = eligible.word_count / eligible.doc_count if eligible.doc_count else 1.0
    question = CompiledQuery(
        expansion.groups if groups is None else groups,
        weights.k1,
        _norms(round(average, 1), weights.k1, weights.b, weights.b_talk, weights.length_floor),
        class_weights(weights, orders=asks_what_to_do([word.form for word in query.words])),
    )
    evidence.accumulate(question, deadline_ns)
    _add_dates(segment, query, evidence, eligible)
    around = (*weights.neighbours_work, *weights.neighbours_talk, *weights.neighbours_chat)
    session = (weights.session_log, weights.session_talk, weights.title_log, weights.title_talk)
    evidence.fuse(around, session, only, weights.echo, weights.echo_floor * expansion.ceiling)
    return evidence


def _add_dates(segment: IndexReader, query: Query, evidence: Evidences, eligible: EligibleSet) -> None:
    """A date in the query is evidence for what was said then, as a word in as many documents would be, and where it is
    one day also for what was said on the next."""
    if not names_a_date(query.text):
        return
    weights = query.weights
    # of all messages: where nothing eligible was said, a date finds nothing
    spans = [span for span in (piece.segment.doc_columns.time_span() for piece in segment.views) if any(span)]
    if not spans:
        return
    for ranges in named_dates(query.text, min(oldest for oldest, _ in spans), max(newest for _, newest in spans)):
        starts, ends = array("q", (start for start, _ in ranges)), array("q", (end for _, end in ranges))
        frequency = sum(
            piece.segment.doc_columns.docs_in(starts, ends, piece.docs_of(eligible.doc_marks))
            for piece in segment.views
        )
        value = weights.date * rarity(eligible.doc_count, frequency, weights)
        evidence.add_times(starts, ends, value)
        days = array("q", (end for start, end in ranges if end - start == DAY_MS))
        if days:
            evidence.add_times(days, array("q", (day + DAY_MS for day in days)), weights.day_after * value)


def class_weights(weights: Weights, *, orders: bool = False) -> array[float]:
    """The factor of each class of document, f32[64]; with `orders`, that of standing orders is raised."""
    return _class_weights(weights.kind, weights.subagent, weights.order if orders else 1.0)


@lru_cache(maxsize=32)
def _class_weights(kinds: KindWeights, subagent: float, order: float) -> array[float]:
    table = array("f", [0.0]) * CLASSES
    for kind, weight in zip(Kind, kinds, strict=True):
        if kind is Kind.ORDER:
            weight *= order
        table[kind] = weight
        table[kind + SUBAGENT_KIND] = weight * subagent
    return table


@lru_cache(maxsize=32)
def _norms(average: float, k1: float, b: float, b_talk: float, floor: float) -> memoryview[float]:
    """k1 * (1 - b + b * (words + floor) / (average + floor)) for every class and length, f32[64, 1024]."""
    rows = {}
    for share in (b, b_talk):
        factors = (k1 * (1 - share + share * (words + floor) / (average + floor)) for words in range(LONGEST))
        rows[share] = array("f", factors)
    table = array("f")
    for kind in range(CLASSES):
        table.extend(rows[b_talk if kind % SUBAGENT_KIND in (Kind.TALK, Kind.QUESTION) else b])
    return memoryview(table).cast("B").cast("f", (CLASSES, LONGEST))
