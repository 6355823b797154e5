"""Shorten ids to the beginnings that no other id has. Every command that takes an id takes these."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Final

LEAST: Final = 8  # characters; a command takes four or more


class IdPrefixes:
    """The ids of all sessions, and those of all messages of some sessions."""

    def __init__(self, sessions: Iterable[str], messages: Mapping[str, Iterable[str]]) -> None:
        self._sessions = sorted(set(sessions))
        self._messages = {session: sorted(set(ids)) for session, ids in messages.items()}

    def session(self, session_id: str) -> str:
        """Return the shortest beginning of a session's id, of LEAST characters or more, that no other id has."""
        return _shortest(session_id, self._sessions)

    def message(self, session_id: str, message_id: str) -> str:
        """Return the shortest beginning of a message's id that no other message of its session has; the whole id when
        the session is not known.
        """
        return _shortest(message_id, self._messages.get(session_id, []))


def _shortest(wanted: str, ids: list[str]) -> str:
    at = bisect_left(ids, wanted)
    if at == len(ids) or ids[at] != wanted:
        return wanted
    others = [*ids[max(0, at - 1) : at], *ids[at + 1 : at + 2]]
    length = LEAST
    while any(other.startswith(wanted[:length]) for other in others) and length < len(wanted):
        length += 1
    return wanted[:length]
