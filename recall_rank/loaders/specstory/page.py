"""Build sessions from the Markdown page that SpecStory makes of a session.

A line in bold italics begins a turn and states its speaker, time and model; tools and reasoning are in tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from recall_rank.loaders.content.times import millis, odd_time
from recall_rank.loaders.content.titles import is_injected, title_from
from recall_rank.loaders.payloads import strip_text
from recall_rank.model import Flag, Message, Part, Role, Session

AGENT = "specstory"
TURN = re.compile(r"_\*\*(User|Agent|Assistant)( - sidechain)?(?: \((.*)\))?\*\*_\s*")
SESSION = re.compile(r"<!-- (.+?) Session ([\w.-]+)(?: \((.*)\))? -->\s*")

_HEADING = re.compile(r"#{1,2} (.+)")
_TIME = r"\d{4}[-/]\d\d[-/]\d\d \d\d:\d\d(?::\d\d)?(?:Z|[-+]\d\d:?\d\d)?"
_ENDS_IN_TIME = re.compile(rf"(.*?)\s*\(?({_TIME})\)?\s*")
_TOOL = re.compile(r"<tool-use(?: data-tool-type=\"(?P<type>[^\"]*)\")?(?: data-tool-name=\"(?P<name>[^\"]*)\")?[^>]*>")
_TOOL_END = "</tool-use>"
_THINK, _THINK_END = "<think>", "</think>"
_TAGS = re.compile(r"</?(?:think|details)>|<summary>Thought Process</summary>")
_SUMMARY = re.compile(r"<summary>(.*?)</summary>\s*", re.DOTALL)
_RESULT = re.compile(r"^(?:\*\*(?P<kind>Result|Error|Output):?\*\*:?|```)", re.MULTILINE)
_FENCE = re.compile(r"^```.*\n?", re.MULTILINE)
_PATH = re.compile(r"\s*`([^`\n]+)`")
_FILES = {"read", "write"}
# What SpecStory calls a program, where it is not our name for it: the session is also in that program's own store.
_AGENTS = {"cursor-cli": "cursor", "cursor-ide": "cursor", "codex-cli": "codex", "github-copilot-cli": "copilot-cli"}


@dataclass(slots=True)
class _Turn:
    role: Role
    time: int
    model: str | None
    flags: Flag
    parts: list[Part] = field(default_factory=list)


class Page:
    """The sessions of one page that SpecStory exported, given as its lines; old pages may have several sessions.
    `problems` has (line number, reason) of each damaged place.
    """

    def __init__(self, lines: Iterable[str], stem: str) -> None:
        self.problems: list[tuple[int, str]] = []
        self._stem = stem
        self._lines = list(lines)
        self._last = {
            tag: max((at for at, line in enumerate(self._lines) if tag in line), default=-1)
            for tag in (_TOOL_END, _THINK_END)
        }

    def sessions(self, directory: str | None, source: str) -> list[Session]:
        found = []
        headings = [self._heading(at) for at, line in enumerate(self._lines) if SESSION.fullmatch(line)]
        starts = [0, *[at for at in headings if at is not None][1:]]
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(self._lines)], strict=True)):
            session = self._session(start, end, number, directory, source)
            if session is not None:
                found.append(session)
        return found

    def _heading(self, at: int) -> int | None:
        """Return the index of the heading line close above line `at`; None when there is none, for instance because
        line `at` is quoted in a tool's output.
        """
        above = range(at - 1, max(-1, at - 4), -1)
        return next((place for place in above if _HEADING.fullmatch(self._lines[place].rstrip())), None)

    def _session(self, start: int, end: int, number: int, directory: str | None, source: str) -> Session | None:
        first = next((at for at in range(start, end) if TURN.fullmatch(self._lines[at])), None)
        if first is None:
            return None
        head = self._lines[start:first]
        comment = next((found for line in head if (found := SESSION.fullmatch(line))), None)
        key = comment[2] if comment else f"{self._stem}-{number}" if number else self._stem
        messages = tuple(
            Message(f"{key}:{at}", turn.role, turn.time, tuple(turn.parts), model=turn.model, flags=turn.flags)
            for at, turn in enumerate(self._turns(key, first, end))
            if turn.parts
        )
        if not messages:
            return None
        title, date = _title(head)
        times = [message.time for message in messages if message.time]
        created = self._time(start, comment[3] if comment and comment[3] else date)
        return Session(
            key,
            messages,
            title or title_from(next(_typed(messages), None)),
            directory,
            directory,
            created=created or min(times, default=0),
            updated=max(times, default=created),
            source=source,
            agent=_agent(comment[1]) if comment else AGENT,
        )

    def _turns(self, key: str, at: int, end: int) -> Iterator[_Turn]:
        """Yield the turns in lines `at` to `end`; consecutive turns of one speaker are joined."""
        turn = self._turn(at)
        at += 1
        name = f"{key}:0"
        number = 0
        text: list[str] = []
        while at < end:
            line = self._lines[at]
            close = _TOOL_END if _TOOL.match(line) else _THINK_END if line.startswith(_THINK) else None
            if close is None and not TURN.fullmatch(line):
                text.append(line)
                at += 1
                continue
            _add_text(turn, name, text)
            text = []
            if close is None:
                begun = self._turn(at)
                if (begun.role, begun.flags) != (turn.role, turn.flags):
                    yield turn
                    turn, number = begun, number + 1
                    name = f"{key}:{number}"
                at += 1
                continue
            stop = self._stop(at, end, close)
            block = "\n".join(self._lines[at:stop])
            part = _tool if close == _TOOL_END else _thought
            turn.parts += part(f"{name}:{len(turn.parts)}", block)
            at = stop
        _add_text(turn, name, text)
        yield turn

    def _turn(self, at: int) -> _Turn:
        """Return the turn that begins at line `at`."""
        found = TURN.fullmatch(self._lines[at])
        assert found is not None  # noqa: S101 - only lines that matched come here
        role: Role = "user" if found[1] == "User" else "assistant"
        flags = Flag.SUBAGENT if found[2] else Flag.NONE
        ended = _ENDS_IN_TIME.fullmatch(found[3] or "")
        model = (ended[1] if ended else found[3] or "").removeprefix("model ").partition(", mode")[0].strip()
        return _Turn(role, self._time(at, ended[2]) if ended else 0, model or None, flags)

    def _time(self, at: int, date: str) -> int:
        """Return the date on line `at` in milliseconds; a date that does not exist is a problem of that line."""
        text = date.replace("/", "-").strip("()")
        if reason := odd_time(text):
            self.problems.append((at + 1, reason))
        return millis(text)

    def _stop(self, at: int, end: int, close: str) -> int:
        """Return the index of the line after the closing tag `close` of the block that begins at line `at`. When that
        tag is missing, add a problem and return the index of the next turn, at most `end`.
        """
        within = range(at, min(end, self._last[close] + 1))
        stop = next((place + 1 for place in within if close in self._lines[place]), None)
        if stop is None:
            self.problems.append((at + 1, f"{close.replace('/', '')} that does not end"))
            stop = next((place for place in range(at + 1, end) if TURN.fullmatch(self._lines[place])), end)
        return stop


def _add_text(turn: _Turn, key: str, lines: list[str]) -> None:
    text = strip_text("\n".join(lines)).strip()
    text = re.sub(r"(?:\n|\A)\s*---\Z", "", text).rstrip()  # the rule before the other's turn
    if text:
        flags = Flag.SYNTHETIC if turn.role == "user" and is_injected(text) else Flag.NONE
        turn.parts.append(Part(f"{key}:{len(turn.parts)}", "text", text, flags=flags))


def _thought(key: str, block: str) -> list[Part]:
    text = _TAGS.sub("", block).strip()
    return [Part(key, "reasoning", strip_text(text))] if text else []


def _tool(key: str, block: str) -> list[Part]:
    """Return the message parts of a tool call: the text before the first code fence or result heading is the input, the
    text after it the output.
    """
    opening = _TOOL.match(block)
    body = _TAGS.sub("", block[opening.end() if opening else 0 :].replace(_TOOL_END, ""))
    summary = _SUMMARY.search(body)
    body = _SUMMARY.sub("", body, count=1)
    result = _RESULT.search(body)
    given = body[: result.start()] if result else body
    output = strip_text(_FENCE.sub("", body[result.start() :] if result else "")).strip()
    kind = re.search(r"^\*\*(?:Result|Error|Output):?\*\*:?\s*", output)
    output = output[kind.end() :].strip() if kind else output
    failed = kind is not None and "Error" in kind[0]
    kind_of = opening["type"] if opening else None
    path = _PATH.match(given) if kind_of in _FILES else None
    told = given.replace("**Input:**", "").replace("`", "").strip()
    title = re.sub(r"[*`]", "", summary[1]).strip() if summary else None
    part = Part(
        key,
        "tool",
        tool=opening["name"] if opening else None,
        input={"command" if kind_of == "shell" else "text": strip_text(told)} if told else None,
        output=None if failed else output or None,
        error=output or None if failed else None,
        title=title,
        status="error" if failed else "completed",
        flags=Flag.ERROR if failed else Flag.NONE,
        files=(path[1],) if path else (),
    )
    return [part]


def _title(head: Sequence[str]) -> tuple[str | None, str]:
    """Return (title, date): the last heading before the first turn, without the date at its end, and that date. The
    title is None without a heading and for one that is only a date; the date is empty when there is none.
    """
    headings = [found[1] for line in head if (found := _HEADING.fullmatch(line.rstrip()))]
    if not headings:
        return None, ""
    dated = _ENDS_IN_TIME.fullmatch(headings[-1])
    title = dated[1] if dated else headings[-1]
    return title.strip() or None, dated[2] if dated else ""


def _agent(name: str) -> str:
    said = name.strip().lower().replace(" ", "-")
    return _AGENTS.get(said, said)


def _typed(messages: Iterable[Message]) -> Iterator[str]:
    for message in messages:
        for part in message.parts if message.role == "user" else ():
            if part.text and not part.flags & Flag.SYNTHETIC:
                yield part.text
