"""The stages of a search in order: parse, filter, prefilter, score, boost, group, snippet, respond."""

from __future__ import annotations

from time import monotonic_ns, thread_time_ns
from typing import TYPE_CHECKING

from recall_rank._core.search.column_filters import count_marks
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.literal_scan import HIT_NS
from recall_rank.model import SearchResponse
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import Clock, Deadline
from recall_rank.search.expansion.expand import expand
from recall_rank.search.expansion.languages import in_languages
from recall_rank.search.expansion.long_query import shortened
from recall_rank.search.filters.eligible import eligible_set
from recall_rank.search.query import Query
from recall_rank.search.ranking.fallback_hits import scan
from recall_rank.search.results.calibrate import calibrate
from recall_rank.search.results.near_misses import near_misses
from recall_rank.search.results.page import page
from recall_rank.search.results.respond import respond
from recall_rank.search.retrieval.prefilter import prefilter
from recall_rank.search.retrieval.similar import similar_parts
from recall_rank.semantic.query_vectors import AskedVector

if TYPE_CHECKING:
    from recall_rank.index.shards.shard_evidence import FoundEvidence


def search(
    reader: IndexReader,
    query: Query,
    clock: Clock = monotonic_ns,
    asked: AskedVector | None = None,
    deadline: Deadline | None = None,
) -> SearchResponse:
    """Return the response to a parsed `query` over `reader`, within the query's time budget.

    `asked` is the vector of the query, in the making; None for a search by words alone. `deadline` is that of a first
    try, whose time counts too; None begins the budget now.
    """
    cpu_ns = thread_time_ns()
    context = run(reader, query, clock, asked, deadline)
    return respond(context, cpu_ms=(thread_time_ns() - cpu_ns) / 1e6)


def run(
    reader: IndexReader,
    query: Query,
    clock: Clock = monotonic_ns,
    asked: AskedVector | None = None,
    deadline: Deadline | None = None,
) -> SearchContext:
    """Run every stage of a search except the one that makes the response; return the state that the stages filled.

    search() makes the response from it; benchmarks read the results of the stages.
    """
    context, evidence = find_evidence(reader, query, clock, deadline)
    if asked is not None and not context.text_decides:
        context.nearest, problem = similar_parts(reader, asked, context.eligible.doc_marks, context.deadline)
        context.warnings += (problem,) if problem is not None else ()
    context.page = page(context, evidence)  # scores, boosts and groups, as far as the page reaches
    context.stages.append("group")
    calibrate(context)
    context.near_misses = near_misses(context)
    return context


def find_evidence(
    reader: IndexReader, query: Query, clock: Clock = monotonic_ns, deadline: Deadline | None = None
) -> tuple[SearchContext, FoundEvidence]:
    """Run the stages of a search up to the prefilter; return the state that they filled, and the evidence, which has a
    score for each document that was read before the deadline.
    """
    deadline = deadline or Deadline(query.options.budget_ms, clock, query.options.cancel)
    eligible = eligible_set(reader, query, deadline.at_ns)
    query = in_languages(shortened(query, reader, eligible), reader, eligible)
    expansion = expand(query, reader, eligible, deadline)
    context = SearchContext(reader, query, deadline, eligible, expansion)
    context.note_words(expansion.words_done)
    if context.text_decides:
        scan(context)
    found = 0 if context.text_marks is None else count_marks(context.text_marks)
    evidence = prefilter(reader, query, expansion, eligible, context.text_marks, deadline.at_ns - found * HIT_NS)
    context.stages.append("prefilter")
    if query.options.explain:
        context.found = evidence.hit_count
    context.note_documents(evidence.docs_done)
    return context, evidence
