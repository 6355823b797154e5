"""Fallback hits, ranked behind those of the prefilter: parts with words that only resemble a query word, then parts
whose text contains the query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall_rank.index.reader.literal_scan import HIT_NS
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import DegradeKind
from recall_rank.search.expansion.expand import fallback_groups
from recall_rank.search.retrieval.literal import text_hits
from recall_rank.search.retrieval.prefilter import prefilter

if TYPE_CHECKING:
    from recall_rank.index.shards.shard_evidence import FoundEvidence


def scan(search: SearchContext, known: int = 0) -> None:
    """Scan the text of eligible parts for the query; store marks u8[parts] of the parts that contain it in
    search.text_marks. Time is left to rank `known` hits.
    """
    search.text_marks, looked = text_hits(
        search.reader, search.query, search.eligible.part_marks, search.deadline, known * HIT_NS
    )
    search.reached(looked)


def extend(search: SearchContext, evidence: FoundEvidence) -> None:
    """Append the fallback hits to the hits of `evidence`, in two tiers: by resembling words, then by text scan.

    A hit of a later tier ranks behind every hit of an earlier one. Steps for which no time is left, beside the time to
    rank the hits that are known, are skipped. In literal and regex mode only the text scan is used.
    """
    ranked = evidence.hit_count
    if not search.text_decides and not search.deadline.passed(ranked * HIT_NS):
        _by_resembling_words(search, evidence)
    known = evidence.hit_count
    if search.text_marks is None and not search.deadline.passed(known * HIT_NS):
        scan(search, known)
    if search.text_marks is None:
        search.reached(0)  # any part may hold the query in its text
        return
    evidence.extend_marked(search.text_marks)
    if not ranked and not known and evidence.hit_count and not search.text_decides:
        search.degraded.add(DegradeKind.FALLBACK)
    search.total_exact = True


def _by_resembling_words(search: SearchContext, evidence: FoundEvidence) -> None:
    """Append to the hits of `evidence`, with score 0, the parts that contain a word which only resembles one of the
    query: a longer word that begins with it, its halves and, in fuzzy mode, spellings that are taken for guesses.
    """
    reader, eligible = search.reader, search.eligible
    groups = fallback_groups(search.expansion, reader, eligible)
    if not groups:
        return
    found = prefilter(
        reader,
        search.query,
        search.expansion,
        eligible,
        None,  # all parts: a part that is a hit keeps its tier
        search.deadline.at_ns - evidence.hit_count * HIT_NS,
        groups,
    )
    search.note_documents(found.docs_done)
    evidence.extend(found, 0.0)  # its order is that of time, as in the tier behind it
