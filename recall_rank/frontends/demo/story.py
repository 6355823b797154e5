"""How an invented session is written down: a story told as turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """One piece of a conversation: user, say (assistant), think (reasoning) or run (a tool call)."""

    kind: str
    text: str
    tool: str | None = None
    input: Mapping[str, str] | None = None
    error: bool = False


@dataclass(frozen=True, slots=True)
class Story:
    """One session: where, by which program, about what, and how many days before the end."""

    project: str
    agent: str
    title: str
    days_ago: float
    turns: tuple[Turn, ...]


def user(text: str) -> Turn:
    return Turn("user", text)


def say(text: str) -> Turn:
    return Turn("say", text)


def think(text: str) -> Turn:
    return Turn("think", text)


def run(command: str, output: str, *, error: bool = False) -> Turn:
    return Turn("run", output, "bash", {"command": command, "description": "Run a command"}, error)


def read(path: str, output: str) -> Turn:
    return Turn("run", output, "read", {"filePath": path})


def edit(path: str, old: str, new: str) -> Turn:
    return Turn("run", "Edit applied.", "edit", {"filePath": path, "oldString": old, "newString": new})
