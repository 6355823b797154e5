"""Pages of hits of literal and regex searches, ordered by time.

Sessions are ordered newest first, the messages of a session oldest first, and its title comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from recall_rank.model import Result, SearchResponse
from recall_rank.model.agent_names import exact_id
from recall_rank.model.project_scope import DIRECTORY_BUCKETS

Search = Callable[..., SearchResponse]

PER_SESSION: Final = 2  # hits of a session that precede the further hits of other sessions
DIVERSIFIED_PAGES: Final = 5  # pages within which the hits of a session are limited; later pages stay ordered by time
MIN_FETCHED: Final = 100
MAX_FETCHED: Final = 1000


def scan_page(search: Search, results: int, offset: int) -> SearchResponse:
    """Return the page of `results` hits that begins with hit number `offset`.

    Hits are ordered by time, but on the first 5 pages each session has 2 hits before any has more. `search` takes
    `results` and `offset`, and returns a response with hits ordered by time.
    """
    diversified = DIVERSIFIED_PAGES * results
    window = min(MAX_FETCHED, max(MIN_FETCHED, diversified))
    response = search(results=window, offset=0)
    if response.total > window and offset + results > window:  # a page beyond the window is not diversified
        response = search(results=results, offset=offset)
        return replace(response, results=_titles_last(response.results))
    hits = _nearest_first(_titles_last(response.results))
    if results < response.total <= window:
        hits = [*_diversified(hits[:diversified]), *hits[diversified:]]
    page = hits[offset : offset + results]
    return replace(response, results=page, truncated=response.total > offset + len(page))


def scan_groups(search: Search, results: int, offset: int) -> SearchResponse:
    """Return a page of sessions, each represented by its newest hit, or by its title if that is its only hit.

    `search` takes search options and returns a response ordered by time.
    """
    response = search(results=results, offset=offset)
    found = [_newest_hit(search, entry) for entry in response.results]
    return replace(response, results=_nearest_first(found))


def _newest_hit(search: Search, entry: Result) -> Result:
    """Return the newest hit of the session of `entry`, a result grouped by session.

    If the session has several hits, a second search finds the newest one.
    """
    if not entry.hit_count or entry.hit_count < 2:
        return entry
    session = exact_id(entry.session_id, entry.host)
    last = search(results=1, offset=entry.hit_count - 1, group="part", session_id=session).results
    if not last or last[0].source == "title":
        return entry
    return replace(
        last[0],
        title_match=entry.title_match,
        hit_count=entry.hit_count,
        hit_count_exact=entry.hit_count_exact,
        directory_relevance=entry.directory_relevance,
        why=replace(last[0].why, directory_relevance=entry.directory_relevance),
    )


def _titles_last(hits: Sequence[Result]) -> list[Result]:
    """Return the hits with each title moved to the end of the hits of its session."""
    ordered: list[Result] = []
    waiting: list[Result] = []
    session = ""
    for hit in hits:
        if hit.session_id != session:
            ordered += waiting
            waiting, session = [], hit.session_id
        (waiting if hit.source == "title" else ordered).append(hit)
    return ordered + waiting


def _nearest_first(hits: Sequence[Result]) -> list[Result]:
    """Return the hits ordered by directory bucket, nearest first. The order within a bucket is kept."""

    def rank(hit: Result) -> int:
        bucket = hit.directory_relevance
        return 0 if bucket == "unknown" else DIRECTORY_BUCKETS.index(bucket)  # unknown where no directory was asked for

    return sorted(hits, key=rank)


def _diversified(hits: Sequence[Result]) -> list[Result]:
    """Return the first PER_SESSION hits of each session, followed by all other hits."""
    taken: dict[str, int] = {}
    first: list[Result] = []
    rest: list[Result] = []
    for hit in hits:
        taken[hit.session_id] = taken.get(hit.session_id, 0) + 1
        (first if taken[hit.session_id] <= PER_SESSION else rest).append(hit)
    return first + rest
