"""Find the sessions that are copies of one, and count copied messages once: a message stays in one session, and a
session that copied it records that session as its origin.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Protocol

from recall_rank.model import Message, Notice, ResolvedSessions, Session

MessageKeys = Callable[[Message], Sequence[Hashable]]
WithoutKeys = Callable[[Message, Collection[Hashable]], "Message | None"]


class Created(Protocol):
    """A session, or its row in a segment: where and when it was created; None and 0 for what is not known."""

    @property
    def host(self) -> str | None: ...
    @property
    def user(self) -> str | None: ...
    @property
    def created(self) -> int: ...


def copies_of_one(sessions: Sequence[Created], begins: Callable[[int], str]) -> list[list[int]]:
    """Return the indices of `sessions`, which have one agent and id, in groups: each is one session with its copies.

    Some agents count their sessions, so that each machine has another one with an equal id: sessions of different
    machines are copies if they were created at the same time, or begin with equal texts, which `begins` returns by
    index. What was created at an unknown time, or on the same machine, is a copy.
    """
    begins = cache(begins)
    groups: list[list[int]] = []
    for at in range(len(sessions)):
        own = [at]
        for group in [group for group in groups if any(_is_copy(sessions, at, other, begins) for other in group)]:
            groups.remove(group)
            own += group
        groups.append(sorted(own))
    return groups


def _is_copy(sessions: Sequence[Created], at: int, other: int, begins: Callable[[int], str]) -> bool:
    one, two = sessions[at], sessions[other]
    if (one.host, one.user) == (two.host, two.user) or one.created == two.created or not (one.created and two.created):
        return True
    return bool(begins(at)) and begins(at) == begins(other)


def beginning(session: Session) -> str:
    """Return the text of the first message of a session that has one; "" for none."""
    texts = ("\n".join(part.text for part in message.parts if part.text).strip() for message in session.messages)
    return next(filter(None, texts), "")


def count_once(
    sessions: Sequence[Session], order: Iterable[int], keys: MessageKeys, without: WithoutKeys | None = None
) -> ResolvedSessions:
    """Remove from each session the messages that an earlier session holds.

    `order` has the indices of `sessions` in the order in which messages are assigned: a message stays in the first
    session that has one of its `keys`. Where only some keys of a message were found before, `without` returns the
    message without the message parts of those keys, or None when no part remains. A session that keeps no message
    counts as a copy of the session that has its messages: it becomes None, and its places (paths of the files it was
    read from) are added to those of that session.
    """
    holder: dict[Hashable, int] = {}
    kept: list[Session | None] = [None] * len(sessions)
    copies = 0
    for at in order:
        session = sessions[at]
        own: list[Message] = []
        origin: int | None = None
        for message in session.messages:
            known = [key for key in keys(message) if key in holder]
            rest: Message | None = message
            if known:
                origin = holder[known[0]] if origin is None else origin
                rest = without(message, holder) if without is not None else None
            if rest is not None:
                own.append(rest)
        home = origin if origin is not None and not own else at
        for message in session.messages:
            for key in keys(message):
                holder.setdefault(key, home)
        copies += len(session.messages) - len(own)
        if origin is None:
            kept[at] = session
        elif own:
            kept[at] = forked(session, own, sessions[origin])
        elif (whole := kept[origin]) is not None:
            kept[origin] = with_places_of(whole, session)
    return ResolvedSessions(kept, fork_notices(copies))


def fork_notices(copies: int) -> list[Notice]:
    """Return a list with the notice that forks had copied `copies` messages; an empty list for 0."""
    text = "{count} messages that forks had copied were counted once"
    return [Notice("fork_copies", copies, text)] if copies else []


def forked(session: Session, own: Sequence[Message], origin: Session) -> Session:
    """Return the session with only the messages `own`. Its `forked_from` becomes the id of `origin` unless it is
    already set.
    """
    other = origin.id if origin.id != session.id else None
    return replace(session, messages=tuple(own), forked_from=session.forked_from or other)


def with_places_of(session: Session, copy: Session) -> Session:
    """Return the session with the places of its copy, the paths of the files that hold the copy, added to its own."""
    places = tuple(dict.fromkeys((*session.places, *copy.places)))
    return session if places == tuple(session.places) else replace(session, places=places)
