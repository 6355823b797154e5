"""Build sessions from the chats in one of aider's history files.

aider writes a person's prompts behind "#### ", the program's own output behind "> ", and the model's answers
unchanged. It ends each of its own lines with two blanks, which distinguishes them from headings and quotes that the
model wrote. Where an editor or a hook has removed the blanks, every line with such a prefix counts as the program's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

import xxhash

from recall_rank.loaders.aider.usage import used
from recall_rank.loaders.content.times import millis, odd_time
from recall_rank.loaders.content.titles import title_from
from recall_rank.loaders.payloads import strip_text
from recall_rank.model import Flag, Message, Part, Session

AGENT = "aider"
HEADER = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")

_Kind = Literal["user", "assistant", "program"]
_OWN = "  "
_MODEL = re.compile(r"(?:Main model|Models?): (\S+)")
_EDITED = re.compile(r"(?:Applied edit to|Creating empty file|Created new file) (.+)")
_COMMAND = re.compile(r"/(?:ask|code|architect|context|help)\s+")
_REASONING = re.compile(r"-*\s*► \*\*THINKING\*\*\s*(.*?)\s*-*\s*► \*\*ANSWER\*\*\s*", re.DOTALL)


def chats(
    lines: Iterable[str], directory: str | None, source: str, problems: list[tuple[int, str]]
) -> list[Session]:  # fmt: skip
    """Return the chats in which the user or the model says something, each as a session. aider gives chats no ids, so
    an id is made of the start time and the first prompt. For each start time that is no date, (line number, reason) is
    added to `problems`.
    """
    found: dict[str, Session] = {}
    for chat in _split(lines, problems):
        session = chat.session(directory, source)
        if session is None:
            continue
        key, again = session.id, 1
        while key in found:
            again += 1
            key = f"{session.id}-{again}"
        found[key] = session if key == session.id else chat.session(directory, source, key) or session
    return list(found.values())


def _split(lines: Iterable[str], problems: list[tuple[int, str]]) -> Iterator[_Chat]:
    chat = _Chat("")
    for number, line in enumerate(lines, 1):
        header = HEADER.fullmatch(line)
        if header:
            if reason := odd_time(header[1]):
                problems.append((number, reason))
            yield chat
            chat = _Chat(header[1])
        else:
            chat.add(line)
    yield chat


class _Chat:
    """Builds a session from the lines of one chat, added in order."""

    def __init__(self, started: str) -> None:
        self._started = started
        self._said: list[tuple[_Kind, list[str]]] = []
        self._marked: bool | None = None  # whether the program's lines end in two blanks

    def add(self, line: str) -> None:
        kind, text = self._kind(line)
        if self._said and self._said[-1][0] == kind:
            self._said[-1][1].append(text)
        else:
            self._said.append((kind, [text]))

    def _kind(self, line: str) -> tuple[_Kind, str]:
        prefix = next((prefix for prefix in ("#### ", "> ") if line.startswith(prefix)), None)
        if prefix is None:
            return "assistant", line
        if self._marked is None:
            self._marked = line.endswith(_OWN)
        if self._marked and not line.endswith(_OWN):
            return "assistant", line
        return ("user" if prefix == "#### " else "program"), line[len(prefix) :].rstrip()

    def session(self, directory: str | None, source: str, key: str | None = None) -> Session | None:
        """Return the chat as a session; None when neither a user nor the model says anything in it. `key` is the
        session's id; without it, one is made of the start time and the first text.
        """
        said = [(kind, text) for kind, lines in self._said if (text := strip_text("\n".join(lines)).strip())]
        if all(kind == "program" for kind, _ in said):
            return None
        typed = [text for kind, text in said if kind == "user"]
        if key is None:
            key = f"{re.sub('[^0-9]', '', self._started) or 'undated'}-{_digest(typed[0] if typed else said[0][1])}"
        time = millis(self._started)  # of an unknown zone; read as UTC, so that it is the same everywhere
        prompts = [_COMMAND.sub("", text, count=1) for text in typed]
        title = next((text for text in prompts if not text.startswith("/")), typed[0] if typed else None)
        messages = tuple(_with_usage(_messages(key, said, time)))
        return Session(
            key,
            messages,
            title_from(title),
            directory,
            directory,
            created=time,
            updated=time,
            source=source,
            agent=AGENT,
        )


def _messages(key: str, said: list[tuple[_Kind, str]], time: int) -> Iterator[Message]:
    model = None
    begun = False
    for number, (kind, text) in enumerate(said):
        name = f"{key}:{number}"
        begun = begun or kind != "program"
        if kind == "program":
            named = _MODEL.search(text)
            model = named[1] if named else model
            files = tuple(dict.fromkeys(found[1].strip() for found in _EDITED.finditer(text)))
            flags = Flag.NONE if begun else Flag.SYNTHETIC  # what aider says when it starts
            yield Message(name, "tool", time, (Part(f"{name}:0", "tool", output=text, flags=flags, files=files),))
        elif kind == "user":
            yield Message(name, "user", time, (Part(f"{name}:0", "text", text),))
        else:
            yield Message(name, "assistant", time, tuple(_answer(name, text)), model=model)


def _with_usage(messages: Iterable[Message]) -> list[Message]:
    """Return the messages, where each answer has the token counts and the cost that the program printed after it."""
    found: list[Message] = []
    for message in messages:
        if message.role == "tool" and found and found[-1].role == "assistant":
            tokens, cost = used(message.parts[0].output or "")
            found[-1] = replace(found[-1], tokens=tokens, cost=cost)
        found.append(message)
    return found


def _answer(name: str, text: str) -> Iterator[Part]:
    """Yield the message parts of an answer: first the reasoning, if any, then the text."""
    reasoning = _REASONING.match(text)
    if reasoning and reasoning[1]:
        yield Part(f"{name}:0", "reasoning", reasoning[1])
    rest = text[reasoning.end() :] if reasoning else text
    if rest:
        yield Part(f"{name}:1", "text", rest)


def _digest(text: str) -> str:
    return xxhash.xxh3_64_hexdigest(text.encode("utf-8", "replace"))[:12]
