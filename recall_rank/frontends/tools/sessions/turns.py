"""Turns: a user's message with all that the assistant wrote until the user's next message, along one branch.

Only prose counts. Reasoning, tool calls, tool output, summaries of compactions and text that the agent's program put
in belong to no turn; the part that a search found is added to its turn whatever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from recall_rank.model import Flag, Message, Result

PROSE: Final = "text"  # the type of the parts that hold what was said
_NOT_SAID: Final = Flag.SYNTHETIC | Flag.SUMMARY
_SPEAKERS: Final = {"user": "User", "assistant": "Assistant"}


@dataclass(frozen=True, slots=True)
class TurnSpan:
    """Messages [first, end) of a branch: one that a user wrote, and all before the next one that a user wrote."""

    first: int
    end: int


def branch_of(messages: Sequence[Message], at: int) -> list[int]:
    """Return the indices, in order, of the messages on the branch of messages[at].

    The branch goes up to the root of the tree, and down by the message that was not abandoned, else by the newest one.
    Where a store does not tell the parents of messages, abandoned messages next to each other count as one branch.
    """
    if any(message.parent is not None for message in messages):
        return _in_tree(messages, at)
    live = [place for place, message in enumerate(messages) if not message.flags & Flag.ABANDONED]
    if not messages[at].flags & Flag.ABANDONED:
        return live
    first = end = at
    while first > 0 and messages[first - 1].flags & Flag.ABANDONED:
        first -= 1
    while end < len(messages) and messages[end].flags & Flag.ABANDONED:
        end += 1
    return [place for place in live if place < first] + list(range(first, end))


def _in_tree(messages: Sequence[Message], at: int) -> list[int]:
    places = {message.id: place for place, message in enumerate(messages)}
    above: list[int] = []
    place: int | None = at
    while place is not None and (not above or place < above[-1]):  # a parent stands before its children
        above.append(place)
        place = places.get(messages[place].parent or "")
    following: dict[str, int] = {}
    for place, message in enumerate(messages):
        if message.parent is not None:
            known = following.get(message.parent)
            if known is None or not message.flags & Flag.ABANDONED or messages[known].flags & Flag.ABANDONED:
                following[message.parent] = place
    below: list[int] = []
    place = following.get(messages[at].id)
    while place is not None and place > (below[-1] if below else at):
        below.append(place)
        place = following.get(messages[place].id)
    return [*reversed(above), *below]


def turns_of(messages: Sequence[Message]) -> list[TurnSpan]:
    """Return the turns of the messages of a branch, in order. The messages before the first one that a user wrote are a
    turn, too.
    """
    starts = [at for at, message in enumerate(messages) if message.role == "user" and said(message)]
    if messages and (not starts or starts[0] > 0):
        starts.insert(0, 0)
    return [TurnSpan(first, end) for first, end in zip(starts, [*starts[1:], len(messages)], strict=True)]


def said(message: Message) -> str:
    """Return the prose of a message that a person or the model wrote, as paragraphs; "" for text that a program put
    in.
    """
    if message.flags & _NOT_SAID:
        return ""
    texts = (part.text for part in message.parts if part.type == PROSE and not part.flags & _NOT_SAID)
    return "\n\n".join(text.strip() for text in texts if text and text.strip())


def turn_text(messages: Sequence[Message], clean: Callable[[str], str], found: Result | None = None) -> str:
    """Return the text of the messages of a turn: `User:` and `Assistant:`, each followed by what was said.

    `clean` is applied to whole texts, such as to replace secrets in them. A passage that `found` has in a part without
    prose, such as the output of a tool, stands where its message is, under the name of its kind.
    """
    lines: list[str] = []
    speaker = ""
    for message in messages:
        text = said(message)
        if text and message.role in _SPEAKERS:
            name = _SPEAKERS[message.role]
            shown = f"{name} {message.author}" if message.author else name
            lines.append(clean(text) if shown == speaker else f"{shown}: {clean(text)}")
            speaker = shown
        if found is not None and message.id == found.message_id and not _is_said(found, message):
            lines.append(f"{_kind(found)}: {found.snippet}")
            speaker = ""
    return "\n\n".join(lines)


def _is_said(found: Result, message: Message) -> bool:
    """Return whether the passage of a result is among what said() returns for its message, or is a title."""
    if found.source == "title":
        return True
    part = next((part for part in message.parts if part.id == found.part_id), None)
    return part is not None and part.type == PROSE and not (part.flags | message.flags) & _NOT_SAID


def _kind(found: Result) -> str:
    """Return the name under which a passage that nobody said is shown."""
    if found.tool_name:
        return f"Tool {found.tool_name}"
    if found.flags & Flag.SUMMARY:
        return "Summary"
    return "Reasoning" if found.source == "reasoning" else "Note"
