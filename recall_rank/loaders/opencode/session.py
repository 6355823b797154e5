"""Build a session from OpenCode's JSON records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.titles import is_injected, title_from
from recall_rank.loaders.content.usage import dollars
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.opencode.parts import part_from, used
from recall_rank.model import Flag, Message, Part, Role, Session

AGENT = "opencode"
SESSION_TIMES = ("time.created", "time.updated")
MESSAGE_TIMES = ("time.created",)

UNNAMED = re.compile(r"(New|Child) session - \d{4}-\d\d-\d\d")
ROLES: dict[Any, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}

Parts = Mapping[str, Sequence[tuple[str, Record]]]
"""Message id -> (part id, part) in any order."""


def session_from(
    key: str, info: Record, messages: Mapping[str, Record], parts: Parts, outputs: ExternalOutputs, source: str
) -> Session:  # fmt: skip
    """Return the session with the id `key`. `info` is its own record, empty when it is lost; `messages` maps message
    ids to records, and `parts` maps message ids to pairs (part id, record).
    """
    order = _by_time(messages)
    outside = _before_compaction(order, parts)
    left = text_of(mapping(info.get("revert")).get("messageID"))
    reverted = set(order[order.index(left) :]) if left is not None and left in messages else set()
    said = []
    for message in order:
        flags = Flag.OUT_OF_CONTEXT if message in outside else Flag.NONE
        if message in reverted:
            flags |= Flag.ABANDONED
        said.append(_message(message, messages[message], parts.get(message, ()), outputs, flags))
    title = text_of(info.get("title"))
    if not title or UNNAMED.match(title):
        title = title_from(next(typed(said), None)) or title
    times = mapping(info.get("time"))
    parent = text_of(info.get("parentID"))
    flags = Flag.SUBAGENT if parent else Flag.NONE
    if times.get("archived"):
        flags |= Flag.ARCHIVED
    known = [message.time for message in said if message.time]
    directory = text_of(info.get("directory")) or _path(messages.values(), "cwd")
    worktree = text_of(info.get("worktree")) or _path(messages.values(), "root")
    if worktree in {"", "/"}:  # stands for no repository
        worktree = None
    return Session(
        key,
        tuple(said),
        title,
        directory,
        worktree or directory,
        worktree,
        millis(times.get("created")) or min(known, default=0),
        millis(times.get("updated")) or max(known, default=0),
        parent,
        source,
        AGENT,
        flags,
        tokens=used(info),
        cost=dollars(info.get("cost")),
    )


def _message(
    key: str, data: Record, parts: Sequence[tuple[str, Record]], outputs: ExternalOutputs, flags: Flag
) -> Message:  # fmt: skip
    if data.get("summary") is True:  # in a user's message it is an object with diffs
        flags |= Flag.SUMMARY
    if data.get("error"):
        flags |= Flag.ERROR
    by_user = data.get("role") == "user"
    found: list[Part] = []
    for part, content in sorted(parts, key=lambda pair: pair[0]):
        text = content.get("text")
        if by_user and type(text) is str and text[:1] == '"' and text.endswith('"\n'):
            content["text"] = text[:-1]  # `run "..."` ends the prompt it quotes by a line feed
        found.append(part_from(part, content, by_user=by_user, outputs=outputs))
    model = text_of(data.get("modelID")) or text_of(mapping(data.get("model")).get("modelID"))
    agent = text_of(data.get("agent")) or text_of(data.get("mode"))
    role = ROLES.get(data.get("role"), "system")
    cost = dollars(data.get("cost"))
    return Message(key, role, _created(data), tuple(found), None, agent, model, flags, used(data), cost)


def _by_time(messages: Mapping[str, Record]) -> list[str]:
    """Return the ids of the messages by time and id; a message without a time comes behind the one that its id
    follows.
    """
    before = 0
    times = {}
    for key in sorted(messages):
        before = times[key] = _created(messages[key]) or before
    return sorted(times, key=lambda key: (times[key], key))


def _created(data: Record) -> int:
    return millis(mapping(data.get("time")).get("created"))


def _before_compaction(order: list[str], parts: Parts) -> set[str]:
    """Return the ids of the messages that the last compaction took out of the model's context: those before the first
    message that it kept or, when it kept none, before the compaction itself. Empty without a compaction.
    """
    for at in range(len(order) - 1, -1, -1):
        for _, part in parts.get(order[at], ()):
            if part.get("type") == "compaction":
                tail = part.get("tail_start_id")
                return set(order[: order.index(tail) if tail in order else at])
    return set()


def typed(messages: Iterable[Message]) -> Iterator[str]:
    """Yield the texts that a user typed, in order."""
    for message in messages:
        for part in message.parts if message.role == "user" else ():
            if part.type == "text" and part.text and not part.flags & Flag.SYNTHETIC and not is_injected(part.text):
                yield part.text


def _path(messages: Iterable[Record], name: str) -> str | None:
    """Return the folder `name` (such as "cwd") of the first message that records it; None without one. The oldest
    sessions record no folder themselves.
    """
    paths = (text_of(mapping(data.get("path")).get(name)) for data in messages)
    return next((path for path in paths if path), None)
