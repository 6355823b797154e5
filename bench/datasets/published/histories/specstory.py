"""Sessions of the Markdown pages that SpecStory writes into .specstory/history of a project."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from bench.datasets.published import records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bench.datasets.published.records import Row
    from bench.datasets.published.repositories import Tree

TURN = re.compile(r"^_\*\*(User|Agent|Assistant)(?: \((.*)\))?\*\*_\s*$", re.MULTILINE)
SUBAGENT = re.compile(r"^_\*\*(?:User|Agent) - sidechain(?: \(.*\))?\*\*_\s*$", re.MULTILINE)
SESSION = re.compile(r"^<!-- (.+?) Session ([\w.-]+)(?: \((.*)\))? -->\s*$", re.MULTILINE)
HEADING = re.compile(r"^# +(.+)$", re.MULTILINE)
TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[ T_](\d\d)[:-](\d\d)(?:[:-](\d\d))?(?:\.\d+)?Z?")
SLUG = re.compile(r"^\d{4}-\d\d-\d\d_\d\d-\d\d(?:-\d\d)?+Z?+-(.+)$")
# tags at the beginning of a line are the page's own; others are quoted in an output
BLOCK = re.compile(r"^<think>(.*?)</think>|^<tool-use(.*?)^(?:</details>)?</tool-use>", re.DOTALL | re.MULTILINE)
NAME = re.compile(r'data-tool-name="([^"]*)"')
KIND = re.compile(r'data-tool-type="([^"]*)"')
SUMMARY = re.compile(r"<summary>.*?</summary>", re.DOTALL)
FENCED = re.compile(r"^```[\w-]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
TAGS = re.compile(r"</?(?:details|think)>|<summary>Thought Process</summary>")
RULE = re.compile(r"\s*(?:^|\n)---\s*$")


@dataclass(slots=True)
class _Turn:
    role: str
    time: int
    parts: list[Row] = field(default_factory=list)


def read_pages(tree: Tree, folders: Iterable[str], project: str, source: str) -> Iterator[Row]:
    """Yield the lines of the sessions of every page in the folders, in the order of their paths.

    A page with the session id of one before it shows the session again, mostly as it was resumed, and often equally;
    the digest of the page is added to its id. A third equal page is left out.
    """
    seen: set[str] = set()
    for folder in folders:
        for path in tree.paths(folder, ".md"):
            content = tree.read(path)
            page = content.decode("utf-8", "replace").replace("\r\n", "\n")
            named = SESSION.search(page)
            key = named[2] if named else f"specstory-{_sha1(path.encode())[:16]}"
            if key in seen:
                key = f"{key}-{records.blob_id(content)[:6]}"
            head = page[: found.start()] if (found := TURN.search(page)) else page
            turns = list(_turns(page, _millis(head) or _millis(PurePosixPath(path).stem)))
            if key not in seen and {turn.role for turn in turns} == {"user", "assistant"}:
                seen.add(key)
                messages = [
                    records.message(f"{key}:m{number}", key, turn.role, turn.time, turn.parts)
                    for number, turn in enumerate(turns)
                ]
                title = _title(head, PurePosixPath(path).stem)
                yield from records.session(key, messages, project=project, title=title, source=source)


def _sha1(content: bytes) -> str:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


def _title(head: str, stem: str) -> str | None:
    """Return the heading above the first turn, else the words of the file name; None when both are dates only."""
    for heading in HEADING.findall(head):
        told = TIME.sub("", heading).strip(" ()")
        if told:
            return str(told)
    slug = SLUG.match(stem)
    return slug[1].replace("-", " ") if slug else None


def _turns(page: str, begun: int) -> Iterator[_Turn]:
    """Yield the turns that hold anything; one without a time has that of the turn before it. What a subagent did
    belongs to the turn that called it.
    """
    marks = list(TURN.finditer(page))
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(page)
        begun = _millis(mark[2] or "") or begun
        turn = _Turn("user" if mark[1] == "User" else "assistant", begun)
        turn.parts += _parts(page[mark.end() : end])
        if turn.parts:
            yield turn


def _parts(body: str) -> Iterator[Row]:
    at = 0
    for block in BLOCK.finditer(body):
        yield from _text(body[at : block.start()])
        at = block.end()
        if block[1] is not None:
            thought = TAGS.sub("", block[1]).strip()
            if thought:
                yield {"type": "reasoning", "text": thought}
        else:
            yield _tool(block[2])
    yield from _text(body[at:])


def _text(said: str) -> Iterator[Row]:
    plain = RULE.sub("", SUBAGENT.sub("", said).strip()).strip()
    if plain and plain != "---":
        yield records.text(plain)


def _tool(block: str) -> Row:
    """Return the part of a call: fenced text is its output, what stands around it is its input."""
    head, _, body = block.partition(">")
    name, kind = NAME.search(head), KIND.search(head)
    body = SUMMARY.sub("", body, count=1)
    output = "\n".join(fenced.rstrip("\n") for fenced in FENCED.findall(body))
    given = TAGS.sub("", FENCED.sub("", body)).strip()
    command = re.search(r"`([^`]+)`", given) if kind and kind[1] == "shell" else None
    asked = {"command": command[1]} if command else {"text": given}
    return {"type": "tool", "tool": name[1] if name else None, "input": asked, "output": output or None}


def _millis(text: str) -> int:
    """Return the milliseconds of the first time in a text; 0 when it holds none."""
    found = TIME.search(text)
    if not found:
        return 0
    year, month, day, hour, minute, second = (int(one or 0) for one in found.groups())
    told = dt.datetime(year, month, day, hour, minute, second, tzinfo=dt.UTC)
    return int(told.timestamp()) * 1000
