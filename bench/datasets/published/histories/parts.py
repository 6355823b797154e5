"""The parts of a history with their searchable text, and the names, paths and lines that can be asked for."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.datasets.documents import values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bench.datasets.published.records import Row

# a compound of at least two words, as code writes it; not a piece of a longer word
COMPOUND = re.compile(r"(?<![\w-])(?:[A-Za-z][a-z0-9]*(?:_[a-z0-9]+)+|_?[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)(?![\w-])")
PATH = re.compile(r"(?<![\w@./~-])(?:\.{0,2}/)?(?:[\w@.-]+/)+[\w@-]+(?:\.[\w-]+)*\.[a-z]{1,5}(?![\w/])")
ERROR = re.compile(
    r"\b(?:errors?|exception|failed|failure|fatal|cannot|can't|not found|timed out|invalid|unable)\b", re.IGNORECASE
)
NUMBER = re.compile(r"^\s*\d+(?:→|[\t:-])\s*[+-]?")
NAME_LENGTH = range(8, 41)  # of a compound that a remark can refer to
COMPOUND_LENGTH, PATH_LENGTH, LINE_LENGTH = range(12, 41), range(14, 61), range(40, 146)


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A part with its place in the history, and its searchable text."""

    source: str
    session: str
    message: str
    id: str
    role: str
    time: int
    type: str
    text: str

    @property
    def answer(self) -> Row:
        """The part as a label."""
        return {"session": self.session, "message": self.message, "part": self.id}


def placed_parts(history: Iterable[Row]) -> list[PlacedPart]:
    """Return every part that has text, in the order of the history."""
    sources: dict[str, str] = {}
    found = []
    for row in history:
        if row["t"] == "session":
            sources[row["id"]] = row["source"]
            continue
        for part in row["parts"]:
            said = searchable(part)
            if said:
                where = (sources[row["session"]], row["session"], row["id"], part["id"])
                found.append(PlacedPart(*where, row["role"], row["time"], part["type"], said))
    return found


def searchable(part: Row) -> str:
    """Return the text of a part that engines index: its text, its tool, its input, output and error."""
    fields = (part.get("text"), part.get("tool"), *values(part.get("input")), part.get("output"), part.get("error"))
    return "\n".join(field for field in fields if field)


def compounds(text: str, lengths: range = COMPOUND_LENGTH) -> set[str]:
    """Return the compounds in a text that are long enough to be told apart."""
    return {name for name in COMPOUND.findall(text) if len(name) in lengths}


def paths(text: str) -> set[str]:
    """Return the relative paths of files in a text."""
    found = (path.removeprefix("@") for path in PATH.findall(text))  # a person refers to files by @PATH
    return {path for path in found if len(path) in PATH_LENGTH and not path.startswith(("/", "..."))}


def error_lines(text: str) -> set[str]:
    """Return the lines of a text that tell of an error, without the line numbers that tools print."""
    lines = (NUMBER.sub("", line).strip() for line in text.splitlines())
    return {line for line in lines if len(line) in LINE_LENGTH and ERROR.search(line)}


def mentions(parts: Iterable[PlacedPart]) -> Iterator[tuple[str, str, PlacedPart]]:
    """Yield (kind, thing, part) for every thing that a part mentions."""
    for part in parts:
        for name in compounds(part.text):
            yield "compound", name, part
        for path in paths(part.text):
            yield "path", path, part
        if part.type == "tool":
            for line in error_lines(part.text):
                yield "error", line, part


def mentioned(parts: Iterable[PlacedPart]) -> dict[str, dict[str, list[PlacedPart]]]:
    """Return by kind and thing the parts that mention it, in the order of the history."""
    found: dict[str, dict[str, list[PlacedPart]]] = defaultdict(lambda: defaultdict(list))
    for kind, thing, part in mentions(parts):
        found[kind][thing].append(part)
    return found
