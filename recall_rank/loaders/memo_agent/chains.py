"""Find the messages that memo-agent copied when it compressed a conversation, and count them once.

A compression begins a new session whose parent is the compressed one. It stores copies of the parent's first messages,
a summary, and copies of the parent's last messages. Copies are recognised by their position: they stand at the
beginning of the new session and directly after its summary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recall_rank.model import Flag, Message, Notice, Part, ResolvedSessions, Session

COMPRESSED = "[compressed]"

_Place = tuple[int, int]  # session, message


def resolve_chains(sessions: Sequence[Session]) -> ResolvedSessions:
    """Remove from each session the messages that a compression copied from its parent.

    Messages of a compressed session that the session begun by the compression does not repeat are flagged as out of
    context. A session that a compression began gets the title of the first session of its chain.
    """
    place = {session.id: at for at, session in enumerate(sessions)}
    origin: dict[_Place, _Place] = {}
    outside: set[_Place] = set()
    goes_on: set[int] = set()
    order = _parents_first(sessions, place)
    for at in order:
        child = sessions[at]
        before = place.get(child.parent or "")
        if before is None or before == at:
            continue
        parent = sessions[before].messages
        head, tail = _copied(parent, child.messages)
        carried = [*range(head), *range(len(parent) - tail, len(parent))]
        start = _tail_start(child.messages, head)
        copies = [*range(head), *range(start, start + tail)]
        for copy, original in zip(copies, carried, strict=True):
            origin[at, copy] = origin.get((before, original), (before, original))
        if head or tail:
            goes_on.add(at)
            for index in range(head, len(parent) - tail):
                outside.add(origin.get((before, index), (before, index)))
    titles: dict[str, str | None] = {}
    found: list[Session | None] = [None] * len(sessions)
    for at in order:
        session = sessions[at]
        title = session.title
        if title and title.startswith(COMPRESSED):
            title = titles.get(session.parent or "") or title
        titles[session.id] = title
        messages = tuple(
            replace(message, flags=message.flags | Flag.OUT_OF_CONTEXT) if (at, index) in outside else message
            for index, message in enumerate(session.messages)
            if (at, index) not in origin
        )
        if messages:
            continues = session.parent if at in goes_on else None
            found[at] = replace(session, title=title, messages=messages, continues=continues)
    text = "{count} messages that compressions had copied were counted once"
    return ResolvedSessions(found, [Notice("compression_copies", len(origin), text)] if origin else [])


def _parents_first(sessions: Sequence[Session], place: dict[str, int]) -> list[int]:
    """Return the indices of all sessions, each after the index of its parent; `place` maps session ids to indices."""
    order: dict[int, None] = {}
    for first in range(len(sessions)):
        chain = [first]
        while (above := place.get(sessions[chain[-1]].parent or "")) is not None and above not in order:
            if above in chain:
                break
            chain.append(above)
        order.update(dict.fromkeys(reversed(chain)))
    return list(order)


def _copied(parent: Sequence[Message], child: Sequence[Message]) -> tuple[int, int]:
    """Return (head, tail): how many messages at the beginning and at the end of `parent` the session `child` repeats.
    Both are 0 when no summary follows the repeated beginning, because then `child` was not begun by a compression.
    """
    head = 0
    while head < min(len(parent), len(child)) and _same(parent[head], child[head]):
        head += 1
    if not any(message.flags & Flag.SUMMARY for message in child[: head + 1]):
        return 0, 0  # not a compression, even if both begin with equal messages
    start = _tail_start(child, head)
    for tail in range(min(len(parent) - head, len(child) - start), 0, -1):
        if all(map(_same, parent[len(parent) - tail :], child[start : start + tail])):
            return head, tail
    return head, 0


def _tail_start(child: Sequence[Message], head: int) -> int:
    """Return the index in `child` at which copies of the parent's last messages would begin: after the `head` first
    messages and the summary.
    """
    return head + 1 if head < len(child) and child[head].flags & Flag.SUMMARY else head


def _same(one: Message, other: Message) -> bool:
    """Return whether two messages have equal roles and parts; their ids and times may differ."""
    return one.role == other.role and [_content(part) for part in one.parts] == [_content(part) for part in other.parts]


def _content(part: Part) -> Part:
    return replace(part, id="")
