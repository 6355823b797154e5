"""Read conversations: one message, the messages around it, or a page of messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from recall_rank.analysis.fields import searchable_fields
from recall_rank.analysis.normalize import fold
from recall_rank.histories.catalog import MIN_PREFIX, Catalog
from recall_rank.model import Message, Session

NAMED: Final = 5  # sessions that an error names; it counts the others
_ROLES: Final = ("user", "assistant", "system", "tool", "all")


class UnknownSession(LookupError):  # noqa: N818 - names what is not there, as KeyError does
    """Raised when no session has the wanted id, or when several sessions have ids that begin with it."""


class AmbiguousSession(UnknownSession):
    """Raised when several sessions have ids that begin with the wanted one, or its title; the error names some."""


class UnknownMessage(LookupError):  # noqa: N818
    """Raised when no message of a session has the wanted id, or when several have ids that begin with it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message with the session that it belongs to; the `messages` of that session are left empty."""

    session: Session
    message: Message


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Consecutive messages of a session; `center` is the index in `messages` of the requested one."""

    session: Session
    messages: Sequence[Message]
    center: int
    has_more_before: bool
    has_more_after: bool


@dataclass(frozen=True, slots=True)
class MessagePage:
    """One page of those messages of a session that pass the filters; `total` counts all messages that pass."""

    session: Session
    messages: Sequence[Message]
    offset: int
    total: int

    @property
    def has_more(self) -> bool:
        return self.offset + len(self.messages) < self.total


def find_by_id(catalog: Catalog, wanted: str, missing: str) -> Session:
    """Return the session with this id, or the only one whose id begins so.

    Raises AmbiguousSession when several ids begin so, else UnknownSession with the sentence `missing`, to which it adds
    that a beginning is too short.
    """
    found = catalog.find(wanted)
    if found is not None:
        return found
    begun = catalog.ids_with(wanted) if wanted else []
    if begun and len(wanted) < MIN_PREFIX:
        raise UnknownSession(f"{missing}; a beginning of an id has {MIN_PREFIX} characters or more")
    if begun:
        raise AmbiguousSession(f"{len(begun):,} sessions have ids that begin with {wanted!r}: {names(begun)}")
    raise UnknownSession(missing)


def names(ids: Sequence[str]) -> str:
    """Return the first few of `ids` in one line, and how many others there are."""
    more = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
    return ", ".join(ids[:NAMED]) + more


def place_of(session: Session, message_id: str) -> int:
    """Return the index of the message with this id, or of the only message whose id begins with it. Raises
    UnknownMessage, which says where a beginning of an id is too short, or that of several.
    """
    ids = [message.id for message in session.messages]
    if message_id in ids:
        return ids.index(message_id)
    begun = sorted({known for known in ids if known.startswith(message_id)}) if message_id else []
    if begun and len(message_id) < MIN_PREFIX:
        short = f"a beginning of an id has {MIN_PREFIX} characters or more"
        raise UnknownMessage(f"Message not found: {message_id}; {short}")
    if len(begun) > 1:
        raise UnknownMessage(f"{len(begun):,} messages have ids that begin with {message_id!r}: {names(begun)}")
    if not begun:
        raise UnknownMessage(f"Message not found: {message_id}")
    return ids.index(begun[0])


def turn(session: Session, message_id: str) -> Turn:
    """Return one message of a session, by its id or a unique prefix of the id. Raises UnknownMessage."""
    return Turn(_bare(session), session.messages[place_of(session, message_id)])


def excerpt(session: Session, message_id: str, before: int, after: int) -> Excerpt:
    """Return a message with up to `before` messages before it and up to `after` messages after it.

    Raises UnknownMessage, and ValueError for negative counts.
    """
    if before < 0 or after < 0:
        raise ValueError(f"window, before and after must be 0 or more, not {min(before, after)!r}")
    at = place_of(session, message_id)
    first, last = max(0, at - before), min(len(session.messages), at + after + 1)
    return Excerpt(_bare(session), session.messages[first:last], at - first, first > 0, last < len(session.messages))


def message_page(
    session: Session, offset: int, limit: int, *, role: str = "all", reverse: bool = False, query: str | None = None
) -> MessagePage:
    """Up to `limit` messages of a role that contain the text `query`, after skipping the first `offset` of them;
    oldest first unless `reverse`.

    Raises ValueError for an unknown role or negative numbers.
    """
    if role not in _ROLES:
        raise ValueError(f"role must be one of {', '.join(_ROLES)}, not {role!r}")
    for name, number in (("offset", offset), ("limit", limit)):
        if number < 0:
            raise ValueError(f"{name} must be 0 or more, not {number!r}")
    chosen = [message for message in session.messages if role in ("all", message.role)]
    wanted = fold((query or "").strip())
    if wanted:
        chosen = [message for message in chosen if holds(message, wanted)]
    if reverse:
        chosen.reverse()
    return MessagePage(_bare(session), chosen[offset : offset + limit], offset, len(chosen))


def _bare(session: Session) -> Session:
    return replace(session, messages=())


def holds(message: Message, folded: str) -> bool:
    """Return whether a searchable field of the message contains the text `folded`, ignoring case; `folded` must already
    be case-folded.
    """
    return any(folded in fold(text) for part in message.parts for _, text in searchable_fields(part))
