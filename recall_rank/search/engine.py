"""search(): the stages in order and what is left out when time runs short, nothing else."""

from __future__ import annotations

from time import monotonic_ns, thread_time_ns

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model import SearchResponse
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import Clock, Deadline
from recall_rank.search.expansion.expand import expand
from recall_rank.search.filters.eligible import eligible_set
from recall_rank.search.query import Query
from recall_rank.search.ranking.fallback_hits import scan
from recall_rank.search.results.calibrate import calibrate
from recall_rank.search.results.near_misses import near_misses
from recall_rank.search.results.page import page
from recall_rank.search.results.respond import respond
from recall_rank.search.retrieval.prefilter import prefilter


def search(segment: IndexReader, query: Query, clock: Clock = monotonic_ns) -> SearchResponse:
    """Answer `query` from `segment` within the query's budget."""
    cpu = thread_time_ns()
    done = run(segment, query, clock)
    return respond(done, cpu_ms=(thread_time_ns() - cpu) / 1e6)


def run(segment: IndexReader, query: Query, clock: Clock = monotonic_ns) -> SearchContext:
    """All stages but the response: what they found out, for who wants to look at it."""
    deadline = Deadline(query.options.budget_ms, clock, query.options.cancel)
    eligible = eligible_set(segment, query, deadline.at_ns)
    expansion = expand(query, segment, eligible, deadline)
    search = SearchContext(segment, query, deadline, eligible, expansion)
    search.looked_up(expansion.words_done)
    if search.text_decides:
        scan(search)
    evidence = prefilter(segment, query, expansion, eligible, search.text_marks, deadline.at_ns)
    search.stages.append("prefilter")
    search.read_documents(evidence.docs_done)
    search.page = page(search, evidence)
    calibrate(search)
    search.near_misses = near_misses(search)
    return search
