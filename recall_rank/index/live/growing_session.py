"""GrowingSession: a session that is appended to, in a segment of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recall_rank.index.segment.build import GrowingSegment, newest
from recall_rank.index.segment.segment import Segment
from recall_rank.index.segment.stored_sessions import stored_session
from recall_rank.model import Message, Session
from recall_rank.model.coerce import messages_from
from recall_rank.model.record_classes import replace

LONGEST_NUMBER = 18  # digits of a number in the id of a message


class GrowingSession:
    """A session of a segment, to which messages are added. It keeps the columns of the session, so that each append
    tokenises only its own messages, except the first one and those that change how the older messages are indexed.
    """

    def __init__(self, segment: Segment, row: int) -> None:
        self._segment, self._row = segment, row
        stored = self._stored()
        self._id = stored.id
        self._growing: GrowingSegment | None = None
        self._message_ids = {message.id for message in stored.messages}
        self._next_number = max(len(stored.messages), self._after_numbers(self._message_ids))

    def read(self, values: Sequence[Message | Mapping[str, Any]]) -> tuple[Message, ...]:
        """Return the messages to append as records.

        Raises TypeError or ValueError for an invalid message, and ValueError for one whose id the session has already.
        """
        messages = messages_from(values, self._id, self._next_number)
        seen: set[str] = set()
        for message in messages:
            if message.id in self._message_ids or message.id in seen:
                raise ValueError(f"message {message.id!r} is in session {self._id!r} already")
            seen.add(message.id)
        return messages

    def append(self, messages: Sequence[Message]) -> Segment:
        """Return a segment of the session with `messages` at its end. After an error, this object is of no more use."""
        if self._growing is None or not self._growing.can_append(messages):
            self._growing = GrowingSegment()
            self._growing.add(_extended(self._stored(), messages))
        else:
            self._growing.append(messages)
        ids = [message.id for message in messages]
        self._message_ids.update(ids)
        self._next_number = max(self._next_number + len(ids), self._after_numbers(ids))
        self._segment, self._row = self._growing.snapshot(), 0
        return self._segment

    def _stored(self) -> Session:
        return stored_session(self._segment, self._row)

    def _after_numbers(self, ids: Iterable[str]) -> int:
        """Return the number above those in `ids` of messages that had no id and were numbered; 0 without such ids."""
        start = f"{self._id}:"
        ends = (key.removeprefix(start) for key in ids if key.startswith(start))
        numbers = (int(end) for end in ends if end.isdecimal() and len(end) <= LONGEST_NUMBER)
        return 1 + max(numbers, default=-1)


def _extended(session: Session, messages: Sequence[Message]) -> Session:
    """Return the session with `messages` after its own; its time becomes that of the newest, if it is older."""
    updated = max(session.updated, newest(messages))
    return replace(session, messages=(*session.messages, *messages), updated=updated)
