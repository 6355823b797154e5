"""Invented sessions in the short form in which they are written; generate.py makes records of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoryTurn:
    """One part of a conversation; `kind` is user, say (assistant), think (reasoning) or run (a tool call)."""

    kind: str
    text: str
    tool: str | None = None
    input: Mapping[str, str] | None = None
    error: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """One session: its project, agent, title and parts, and its start in days before the end of the history."""

    project: str
    agent: str
    title: str
    days_ago: float
    turns: tuple[StoryTurn, ...]


def user(text: str) -> StoryTurn:
    """Return a part with a text of the user."""
    return StoryTurn("user", text)


def say(text: str) -> StoryTurn:
    """Return a part with a text of the assistant."""
    return StoryTurn("say", text)


def think(text: str) -> StoryTurn:
    """Return a part with reasoning of the assistant."""
    return StoryTurn("think", text)


def run(command: str, output: str, *, error: bool = False) -> StoryTurn:
    """Return a part with a call of the tool bash."""
    return StoryTurn("run", output, "bash", {"command": command, "description": "Run a command"}, error)


def read(path: str, output: str) -> StoryTurn:
    """Return a part with a call of the tool read."""
    return StoryTurn("run", output, "read", {"filePath": path})


def edit(path: str, old: str, new: str) -> StoryTurn:
    """Return a part with a call of the tool edit."""
    return StoryTurn("run", "Edit applied.", "edit", {"filePath": path, "oldString": old, "newString": new})
