"""Stage: which documents can answer, and with what evidence. Nothing is capped before relevance."""

from __future__ import annotations

from array import array
from functools import lru_cache

from recall_rank import weights
from recall_rank._core.search.compiled_query import CompiledQuery
from recall_rank.analysis.date_mentions import named_dates, names_a_date
from recall_rank.analysis.question_intent import asks_what_to_do
from recall_rank.index.reader.index_reader import Evidences, IndexReader
from recall_rank.model import SUBAGENT_KIND, Kind
from recall_rank.search.expansion.expand import Expansion, TermGroup, rarity
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.query import Query

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
    evidence = segment.evidence(eligible.doc_marks)
    average = eligible.word_count / eligible.doc_count if eligible.doc_count else 1.0
    question = CompiledQuery(
        expansion.groups if groups is None else groups,
        weights.K1,
        _norms(round(average, 1), weights.K1, weights.B, weights.B_TALK, weights.LENGTH_FLOOR),
        class_weights(orders=asks_what_to_do([word.form for word in query.words])),
    )
    evidence.accumulate(question, deadline_ns)
    _add_dates(segment, query, evidence, eligible)
    around = (*weights.NEIGHBOURS_WORK, *weights.NEIGHBOURS_TALK, *weights.NEIGHBOURS_CHAT)
    session = (weights.SESSION_LOG, weights.SESSION_TALK, weights.TITLE_LOG, weights.TITLE_TALK)
    evidence.fuse(around, session, only, weights.ECHO, weights.ECHO_FLOOR * expansion.ceiling)
    return evidence


def _add_dates(segment: IndexReader, query: Query, evidence: Evidences, eligible: EligibleSet) -> None:
    """A date in the query is evidence for what was said then, as a word in as many documents would be, and where it is
    one day also for what was said on the next."""
    if not names_a_date(query.text):
        return
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
        value = weights.DATE * rarity(eligible.doc_count, frequency)
        evidence.add_times(starts, ends, value)
        days = array("q", (end for start, end in ranges if end - start == DAY_MS))
        if days:
            evidence.add_times(days, array("q", (day + DAY_MS for day in days)), weights.DAY_AFTER * value)


def class_weights(*, orders: bool = False) -> array[float]:
    """What each class of document is worth, f32[64]; with `orders`, standing orders are worth more."""
    # asked by the weights alone: the hash of a Kind is a call of its own
    return _class_weights(tuple(weights.KIND.values()), weights.SUBAGENT, weights.ORDER if orders else 1.0)


@lru_cache(maxsize=32)
def _class_weights(kinds: tuple[float, ...], subagent: float, order: float) -> array[float]:
    table = array("f", [0.0]) * CLASSES
    for kind, weight in zip(weights.KIND, kinds, strict=True):
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
