"""The hits behind the ranked ones: what only longer words give away, then what only the text does."""

from __future__ import annotations

from recall_rank.index.reader.index_reader import Evidences
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import DegradeKind
from recall_rank.search.expansion.expand import longer_words
from recall_rank.search.retrieval.literal import text_hits
from recall_rank.search.retrieval.prefilter import prefilter


def scan(search: SearchContext) -> None:
    """Mark the parts whose text holds the query."""
    search.text_marks, looked = text_hits(search.segment, search.query, search.eligible.part_marks, search.deadline)
    search.stages.append("scan")
    search.reached(looked)


def extend(search: SearchContext, evidence: Evidences) -> None:
    """Add the tail to the hits of `evidence`, each kind as a tier of its own: now all hits are known."""
    ranked = evidence.hit_count
    if not search.text_decides and not search.deadline.passed():
        _by_longer_words(search, evidence)
    if search.text_marks is None and not search.deadline.passed():
        scan(search)
    if search.text_marks is None:
        search.reached(0)  # what only the text gives away may be anywhere
        return
    known = evidence.hit_count
    evidence.extend_marked(search.text_marks, search.segment.part_first_doc)
    if not ranked and not known and evidence.hit_count and not search.text_decides:
        search.degraded.add(DegradeKind.FALLBACK)
    search.total_exact = True


def _by_longer_words(search: SearchContext, evidence: Evidences) -> None:
    """Add the parts that hold a word which a word of the query begins."""
    segment, eligible = search.segment, search.eligible
    longer = longer_words(search.expansion, segment, eligible, search.query.weights)
    if not longer:
        return
    found = prefilter(
        segment,
        search.query,
        search.expansion,
        eligible,
        None,  # what is a hit already stays where it is
        search.deadline.at_ns,
        longer,
    )
    search.read_documents(found.docs_done)
    evidence.extend(found, search.query.weights.longer)
