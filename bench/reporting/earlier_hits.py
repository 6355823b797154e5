"""The hits of an engine for a labelled query, of messages earlier than the query's time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from bench.engines import Engine, HasModes, Hit

if TYPE_CHECKING:
    from bench.datasets.history_files import LabelledQuery
    from recall_rank.model import Match, Session

DEEP = 2_000  # hits asked for where the later ones have to be left out

Times = Mapping[tuple[str, str], int]
"""(session id, message id) -> milliseconds since 1970; a session's title, as message "", has its last time."""

NO_TIMES: Final[Times] = MappingProxyType({})


def message_times(sessions: Iterable[Session]) -> Times:
    """Return the time of every message and of every title."""
    times: dict[tuple[str, str], int] = {}
    for session in sessions:
        times[session.id, ""] = session.updated
        for message in session.messages:
            times[session.id, message.id] = message.time
    return times


def earlier_hits(engine: Engine, query: LabelledQuery, k: int, match: Match, times: Times = NO_TIMES) -> Sequence[Hit]:
    """Return at most k hits for a query, best first, of messages earlier than `query.before` where it has one.

    An engine with match modes filters by itself. Of any other the best DEEP hits are read, and those that `times` dates
    at `before` or later are left out. Raises KeyError for such a hit of a message without a time.
    """
    if isinstance(engine, HasModes):
        return engine.search_mode(query.query, k, match, query.before)
    if query.before is None:
        return engine.search(query.query, k)
    hits = engine.search(query.query, DEEP)
    return [hit for hit in hits if times[hit.session, hit.message] < query.before][:k]
