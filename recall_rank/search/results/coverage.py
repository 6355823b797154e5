"""Count the sessions, messages and parts that a search read, and name the limits that excluded others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from recall_rank._core.runtime.record_factory import RecordFactory
from recall_rank._core.search.column_filters import count_marks
from recall_rank.index.segment.segment import TITLE_ROLE
from recall_rank.model import Count, Coverage, Result
from recall_rank.model.record_classes import replace
from recall_rank.search.context import SearchContext

_coverage = RecordFactory(Coverage).make


def coverage(search: SearchContext, results: Sequence[Result]) -> Coverage:
    """Return the Coverage of a search: counts of eligible and searched sessions, messages and parts, and limits.

    A part counts as searched when every stage that can make it a hit has read it.
    """
    eligible = search.eligible
    sessions, messages, parts = eligible.session_count, eligible.message_count, eligible.part_count
    if search.parts_reached < search.reader.parts:
        sessions, messages, parts = _reached(search, sessions, messages, parts)
    limited = list(eligible.limited_by)
    if search.out_of_time:
        limited.append("time_budget")
    missing = search.reader.problems
    if missing:
        sessions, messages, parts = map(_without, (sessions, messages, parts), _missing(search))
        limited.append("shards")
    buckets: Mapping[str, int] = {}
    if search.query.options.directory:
        buckets = dict(Counter(result.directory_relevance for result in results))
    return _coverage(
        sessions=sessions,
        messages=messages,
        parts=parts,
        limited_by=tuple(limited),
        per_source=(),
        directory_buckets=buckets,
        stale_ms=0,
        vectors=None,
        not_reached=tuple(missing),
        unread=None,
    )


def _missing(search: SearchContext) -> tuple[int, int, int]:
    """Return the numbers of eligible sessions, messages and parts in segments that were not reached."""
    reader, eligible = search.reader, search.eligible
    own_sessions = reader.own_sessions(bytes(eligible.session_marks), 0)
    sessions = messages = parts = 0
    for number in reader.missing_views:
        view = reader.views[number]
        sessions += sum(own_sessions[number])
        if eligible.part_marks is None or eligible.message_marks is None:
            messages += sum(last - first for first, last in view.stretches()) - view.session_count
            parts += sum(last - first for first, last in view.part_stretches()) - view.session_count
            continue
        own = memoryview(bytes(view.messages_in(eligible.message_marks)))
        titles = view.segment.message_role
        messages += sum(1 for role, mark in zip(titles, own, strict=True) if mark and role != TITLE_ROLE)
        parts += count_marks(view.parts_in(eligible.part_marks), view.segment.content_parts())
    return sessions, messages, parts


def _without(count: Count, missing: int) -> Count:
    """Return a count of which `missing` rows were not searched."""
    return replace(count, searched=max(0, count.searched - missing))


def _reached(search: SearchContext, sessions: Count, messages: Count, parts: Count) -> tuple[Count, Count, Count]:
    """Return the three counts with `searched` set, for a search that ended early and read only its first parts.

    A message or session counts as searched only when all of its parts were read.
    """
    reader, eligible, part = search.reader, search.eligible, search.parts_reached
    message = reader.part_message[part]  # neither it nor its session was searched as a whole
    if eligible.part_marks is None or eligible.message_marks is None:
        before = [view.before(message, part) for view in reader.views]
        whole, spoken, searched = (sum(counts) for counts in zip(*before, strict=True))
    else:
        said = memoryview(reader.content_parts())[:part]
        spans = [reader.span_of(number) for number, allows in enumerate(eligible.session_marks) if allows]
        whole = sum(last <= message for _, last in spans)
        titles = sum(eligible.message_marks[first] for first, _ in spans if first < message)
        spoken = count_marks(memoryview(eligible.message_marks)[:message]) - titles
        searched = count_marks(memoryview(eligible.part_marks)[:part], said)
    return replace(sessions, searched=whole), replace(messages, searched=spoken), replace(parts, searched=searched)
