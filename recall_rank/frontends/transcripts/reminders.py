"""Separate the words that a user typed from what the agent's program put around them.

A reminder is a span: <system-reminder> to </system-reminder>. It is removed, and the text around it stays. A program's
message, such as the output of a local command, becomes a note of one line; what the user typed in it, such as a slash
command with its arguments, is given as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recall_rank.frontends.display_text import counted
from recall_rank.frontends.transcripts.markdown import cut_line
from recall_rank.model import Flag, Message, Part

NOTE_CHARS: Final = 200  # of the text that a note shows
_EDGE: Final = re.compile(r"<(/?)system-reminder>")
_FENCE: Final = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_TAG: Final = re.compile(r"\s*<(?P<tag>[A-Za-z][\w-]*)\b[^<>]*>")
_BLANK_LINES: Final = re.compile(r"\n{3,}")
_SKILL: Final = "Base directory for this skill:"
_NO_NOTE: Final = ("local-command-caveat", "command-message", "command-contents")  # repeat what other tags say


@dataclass(frozen=True, slots=True)
class Said:
    """One text part of a user: the words that were typed, notes on what a program added, number of reminders."""

    typed: str = ""
    notes: tuple[str, ...] = ()
    reminders: int = 0


def without_reminders(text: str) -> tuple[str, int]:
    """Return a text without its reminders, and the number of them.

    Only a span with both of its tags is a reminder; tags in code, between backticks or in a fence, are words. Takes
    time in proportion to the text.
    """
    if "</system-reminder>" not in text:
        return text, 0
    fences = [found.start() for found in _FENCE.finditer(text)]
    opened: list[int] = []
    spans: list[tuple[int, int]] = []
    passed = ticks = at = 0  # fences before the tag, backticks before it on its line, end of what was counted
    for edge in _EDGE.finditer(text):
        while passed < len(fences) and fences[passed] <= edge.start():
            passed += 1
        line = text.rfind("\n", at, edge.start()) + 1
        ticks = text.count("`", line or at, edge.start()) + (0 if line else ticks)
        at = edge.start()
        if not opened and (passed % 2 or ticks % 2):
            continue
        if not edge[1]:
            opened.append(edge.start())
        elif opened:
            spans.append((opened.pop(), edge.end()))
    kept, at, count = [], 0, 0
    for start, end in sorted(spans):
        if start < at:
            continue  # inside the reminder before
        kept.append(text[at:start])
        at, count = end, count + 1
    kept.append(text[at:])
    return _BLANK_LINES.sub("\n\n", "".join(kept)).strip("\n") if count else text, count


def said_in(part: Part, flags: Flag) -> Said:
    """Return what a text part of a user says; `flags` are those of the part and its message."""
    text = part.text or ""
    if flags & Flag.SUMMARY:
        return Said(notes=(f"Summary of what was said before: {sized(text)}",))
    if not flags & Flag.SYNTHETIC:
        typed, count = without_reminders(text)
        return Said(typed.strip("\n"), (), count)
    return _injected(text)


def typed_by_user(message: Message) -> list[str]:
    """Return the texts of a message that its user typed; empty for a message that a program or the agent wrote."""
    if message.role != "user":
        return []
    texts = (
        said_in(part, part.flags | message.flags).typed for part in message.parts if part.type == "text" and part.text
    )
    return [text for text in texts if text.strip()]


def sized(text: str) -> str:
    """Return the beginning of a text on one line, and the number of its words if that is not all of it."""
    line = cut_line(text, NOTE_CHARS)
    return f"{line} ({counted(len(text.split()), 'word', 'words')})" if line.endswith("…") else line


def _injected(text: str) -> Said:
    """Return what a text says that a program wrote in the name of the user."""
    typed: list[str] = []
    notes: list[str] = []
    reminders = 0
    at = 0
    while found := _TAG.match(text, at):
        tag = found["tag"]
        end = text.find(f"</{tag}>", found.end())
        if end < 0:
            break
        inner = text[found.end() : end].strip()
        at = end + len(tag) + 3
        if tag == "system-reminder":
            reminders += 1
        elif tag == "command-name":
            typed.append(inner)
        elif tag == "command-args":
            typed = [*typed[:-1], f"{typed[-1]} {inner}".strip()] if typed else [inner]
        elif tag == "bash-input":
            typed.append(f"! {inner}")
        elif tag == "user-memory-input":
            typed.append(f"# {inner.removeprefix('#').strip()}")
        elif tag not in _NO_NOTE and inner:
            notes.extend(_note(tag, inner))
    rest, more = without_reminders(text[at:])
    rest = rest.strip()
    if rest.startswith(_SKILL):
        path, _, body = rest.removeprefix(_SKILL).strip().partition("\n")
        name = re.split(r"[\\/]", path.strip().rstrip("\\/"))[-1]
        notes.append(f"Skill loaded: {name} ({counted(len(body.split()), 'word', 'words')})")
    elif rest:
        notes.append(f"Inserted by the program: {sized(rest)}")
    return Said("\n".join(filter(None, typed)), tuple(notes), reminders + more)


def _note(tag: str, inner: str) -> Iterator[str]:
    """Yield the note on what stands between two tags of a program."""
    if tag == "task-notification":
        about = {name: _inside(inner, name) for name in ("summary", "status", "result")}
        named = "; ".join(f"{name}: {sized(value)}" for name, value in about.items() if value)
        yield f"Task notification: {named or sized(inner)}"
        return
    if tag == "user_shell_command":
        yield f"Command of the user: {sized(_inside(inner, 'command') or inner)}"
        return
    yield f"{tag.replace('_', ' ').replace('-', ' ').capitalize()}: {sized(inner)}"


def _inside(text: str, tag: str) -> str:
    """Return the text between the first two tags of a name, "" when they are not both there."""
    _, opened, rest = text.partition(f"<{tag}>")
    inner, closed, _ = rest.partition(f"</{tag}>")
    return inner.strip() if opened and closed else ""
