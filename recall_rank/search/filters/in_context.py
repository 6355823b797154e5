"""The messages that the model of the caller can still read: a search leaves them out."""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model import Context


def read_by_the_caller(reader: IndexReader, context: Context | None) -> list[int]:
    """Return the numbers of the messages that the caller's model can still read, as the host reports them in `context`.

    They are the messages of the current session with an id in `in_context`, and those from the id `in_context_since`
    on. Unknown ids are ignored.
    """
    if context is None or not context.session_id or not (context.in_context or context.in_context_since):
        return []
    named = frozenset(context.in_context)
    found: list[int] = []
    for session, row in enumerate(reader.sessions):
        if row.id != context.session_id:
            continue
        first, last = reader.span_of(session)
        since = False
        for message in range(first + 1, last):
            name = reader.message_ids[message]
            since = since or name == context.in_context_since
            if since or name in named:
                found.append(message)
    return found


def leave_out(
    reader: IndexReader, messages: Sequence[int], message_marks: bytearray, part_marks: bytearray
) -> tuple[int, int]:
    """Clear the marks of messages and of their parts, in place.

    The title of a session is cleared with the last of its messages. Returns how many marked messages and marked parts
    were cleared, titles excluded.
    """
    cleared_messages = cleared_parts = 0
    for message in messages:
        cleared_messages += message_marks[message]
        message_marks[message] = 0
        for part in range(reader.message_first_part[message], reader.message_first_part[message + 1]):
            cleared_parts += part_marks[part]
            part_marks[part] = 0
    for session in {reader.message_session[message] for message in messages}:
        first, last = reader.span_of(session)
        if not any(message_marks[first + 1 : last]):
            message_marks[first] = 0
            part_marks[reader.message_first_part[first]] = 0
    return cleared_messages, cleared_parts
