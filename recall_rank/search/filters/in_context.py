"""What a model still reads of the session that asks: the host says so, and only that is left out elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model import Context


def read_by_the_caller(segment: IndexReader, context: Context | None) -> list[int]:
    """The messages of the context's session that its host says are still in its model's context.

    Those named, and from `in_context_since` on all; none where the host says nothing, or names what is not there.
    """
    if context is None or not context.session_id or not (context.in_context or context.in_context_since):
        return []
    named = frozenset(context.in_context)
    found: list[int] = []
    for session, row in enumerate(segment.sessions):
        if row.id != context.session_id:
            continue
        first, last = segment.span_of(session)
        since = False
        for message in range(first + 1, last):
            name = segment.message_ids[message]
            since = since or name == context.in_context_since
            if since or name in named:
                found.append(message)
    return found


def leave_out(
    segment: IndexReader, messages: Sequence[int], message_marks: bytearray, part_marks: bytearray
) -> tuple[int, int]:
    """Clear the marks of messages and of their parts; how many of either were set. A title goes with the last one."""
    cleared_messages = cleared_parts = 0
    for message in messages:
        cleared_messages += message_marks[message]
        message_marks[message] = 0
        for part in range(segment.message_first_part[message], segment.message_first_part[message + 1]):
            cleared_parts += part_marks[part]
            part_marks[part] = 0
    for session in {segment.message_session[message] for message in messages}:
        first, last = segment.span_of(session)
        if not any(message_marks[first + 1 : last]):
            message_marks[first] = 0
            part_marks[segment.message_first_part[first]] = 0
    return cleared_messages, cleared_parts
