"""Messages that one session copied from another: they count once, and the session that copied them says from where."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import replace

from recall_rank.model import Message, Session

Keys = Callable[[Message], Sequence[Hashable]]
Without = Callable[[Message, Collection[Hashable]], "Message | None"]


def counted_once(
    sessions: Sequence[Session], order: Iterable[int], keys: Keys, without: Without | None = None
) -> tuple[list[Session], list[str]]:
    """The sessions without what others hold, and what is to be said about that.

    A message stays in the first session of `order` that has one of its `keys`. `without` gives what is left of a
    message whose keys are partly known. A session with nothing of its own is one with that whose messages it repeats:
    its places are listed there.
    """
    holder: dict[Hashable, int] = {}
    kept: dict[int, Session] = {}
    copies = 0
    for at in order:
        session = sessions[at]
        own: list[Message] = []
        origin: int | None = None
        for message in session.messages:
            known = [key for key in keys(message) if key in holder]
            left: Message | None = message
            if known:
                origin = holder[known[0]] if origin is None else origin
                left = without(message, holder) if without is not None else None
            if left is not None:
                own.append(left)
        for message in session.messages:
            for key in keys(message):
                holder.setdefault(key, at)
        copies += len(session.messages) - len(own)
        if origin is None:
            kept[at] = session
        elif own:
            kept[at] = forked(session, own, sessions[origin])
        else:
            kept[origin] = also_at(kept[origin], session)
    warnings = [f"{copies} messages that forks had copied were counted once"] if copies else []
    return [kept[at] for at in sorted(kept)], warnings


def forked(session: Session, own: Sequence[Message], origin: Session) -> Session:
    """The session with nothing but its own messages, and the name of the one that it began with."""
    other = origin.id if origin.id != session.id else None
    return replace(session, messages=tuple(own), forked_from=session.forked_from or other)


def also_at(session: Session, copy: Session) -> Session:
    """The session, known to be found also where a copy of it was."""
    places = tuple(dict.fromkeys((*session.places, *copy.places)))
    return session if places == tuple(session.places) else replace(session, places=places)
