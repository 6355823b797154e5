"""What was searched, what was not, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from recall_rank._core.eligible import count_marks
from recall_rank.budget import DegradeKind
from recall_rank.model import Count, Coverage, Result
from recall_rank.state import Search


def coverage(search: Search, results: Sequence[Result]) -> Coverage:
    """The ledger of a search; a part counts as searched when every stage that decides hits has looked at it."""
    allowed = search.allowed
    sessions, messages, parts = allowed.session_count, allowed.message_count, allowed.part_count
    if search.parts_reached < search.segment.parts:
        sessions, messages, parts = _reached(search, sessions, messages, parts)
    limited = list(allowed.limited_by)
    if DegradeKind.TIME in search.degraded:
        limited.append("time_budget")
    buckets: Counter[str] = Counter()
    if search.query.options.directory:
        buckets.update(result.directory_relevance for result in results)
    return Coverage(sessions, messages, parts, limited_by=tuple(limited), directory_buckets=dict(buckets))


def _reached(search: Search, sessions: Count, messages: Count, parts: Count) -> tuple[Count, Count, Count]:
    """The same counts with what was searched of each: whole messages and whole sessions only."""
    segment, allowed, part = search.segment, search.allowed, search.parts_reached
    message = segment.part_message[part]  # not all of its parts were looked at, nor all of its session
    session = segment.message_session[message]
    content = segment.content_parts()
    said = memoryview(content)[:part]
    titles = session + (message > segment.sessions[session].first_message)  # before `message`
    if allowed.parts is None or allowed.messages is None:
        return (
            replace(sessions, searched=session),
            replace(messages, searched=message - titles),
            replace(parts, searched=count_marks(said)),
        )
    marked_titles = sum(allowed.messages[row.first_message] for row in segment.sessions[:titles])
    return (
        replace(sessions, searched=sum(allowed.sessions[:session])),
        replace(messages, searched=count_marks(memoryview(allowed.messages)[:message]) - marked_titles),
        replace(parts, searched=count_marks(memoryview(allowed.parts)[:part], said)),
    )
