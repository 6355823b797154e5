"""Literal and regex hits in the order agents know: sessions newest first, messages oldest first, titles last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from recall_rank.model import Result, SearchResponse

Search = Callable[..., SearchResponse]

PER_SESSION: Final = 2  # hits of one session in front of those of others
COLLECTED: Final = 5  # pages whose hits are shared out among sessions; what lies behind stays in its order
FEWEST: Final = 100
MOST: Final = 1000
_BUCKETS: Final = {"exact": 0, "project": 1, "global": 2}


def scan_page(search: Search, results: int, offset: int) -> SearchResponse:
    """The page from `offset` on. `search` takes results and offset, and answers in the order of time."""
    collected = COLLECTED * results
    window = min(MOST, max(FEWEST, collected))
    response = search(results=window, offset=0)
    if response.total > window and offset + results > window:  # behind what was fetched the engine's own order goes on
        response = search(results=results, offset=offset)
        return replace(response, results=_titles_last(response.results))
    hits = _nearest_first(_titles_last(response.results))
    if results < response.total <= window:
        hits = [*_shared_out(hits[:collected]), *hits[collected:]]
    page = hits[offset : offset + results]
    return replace(response, results=page, truncated=response.total > offset + len(page))


def scan_groups(search: Search, results: int, offset: int) -> SearchResponse:
    """The same for sessions: each is shown by its newest hit, by its title only where nothing else is one."""
    response = search(results=results, offset=offset)
    found = [_newest_hit(search, entry) for entry in response.results]
    return replace(response, results=_nearest_first(found))


def _newest_hit(search: Search, entry: Result) -> Result:
    if not entry.hit_count or entry.hit_count < 2:
        return entry
    last = search(results=1, offset=entry.hit_count - 1, group="part", session_id=entry.session_id).results
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
    """Of hits that follow each other in one session, the title behind the others."""
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
    return sorted(hits, key=lambda hit: _BUCKETS.get(hit.directory_relevance, 0))


def _shared_out(hits: Sequence[Result]) -> list[Result]:
    """The first of every session in front of what more it has."""
    taken: dict[str, int] = {}
    first: list[Result] = []
    rest: list[Result] = []
    for hit in hits:
        taken[hit.session_id] = taken.get(hit.session_id, 0) + 1
        (first if taken[hit.session_id] <= PER_SESSION else rest).append(hit)
    return first + rest
