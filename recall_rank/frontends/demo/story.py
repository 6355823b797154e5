"""Records for invented sessions in a short form; generate.py converts them to records of a history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoryTurn:
    """One part of an invented conversation: a text, reasoning or a tool call.

    `kind` is user, say (a text of the assistant), think (its reasoning) or run (a tool call).
    """

    kind: str
    text: str
    tool: str | None = None
    input: Mapping[str, str] | None = None
    error: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """One invented session: project, agent, title, parts, and its start in days before the end of the history."""

    project: str
    agent: str
    title: str
    days_ago: float
    turns: tuple[StoryTurn, ...]


def user(text: str) -> StoryTurn:
    """Return a story part: a text of the user."""
    return StoryTurn("user", text)


def say(text: str) -> StoryTurn:
    """Return a story part: a text of the assistant."""
    return StoryTurn("say", text)


def think(text: str) -> StoryTurn:
    """Return a story part: reasoning of the assistant."""
    return StoryTurn("think", text)


def run(command: str, output: str, *, error: bool = False) -> StoryTurn:
    """Return a story part: a call of the tool bash with its output."""
    return StoryTurn("run", output, "bash", {"command": command, "description": "Run a command"}, error)


def read(path: str, output: str) -> StoryTurn:
    """Return a story part: a call of the tool read with its output."""
    return StoryTurn("run", output, "read", {"filePath": path})


def edit(path: str, old: str, new: str) -> StoryTurn:
    """Return a story part: a call of the tool edit that replaces `old` by `new`."""
    return StoryTurn("run", "Edit applied.", "edit", {"filePath": path, "oldString": old, "newString": new})
