"""Patches that plant one fault each: what their files say, and how they are applied.

A patch is a unified diff with little or no context, below head lines that patch tools ignore:

    Fault: One English sentence.
    Test: tests/kernels/test_edit.py::test_rows
    Expect: crash

`Test` is a pytest node id, or a file with `-k EXPRESSION`. `Expect` is optional: what the fault may do to the test
besides or instead of letting it fail, one or more of failure, crash and timeout, separated by "or".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

GROUPS: Final = ("kernels", "index", "histories", "loaders", "search", "shards", "exchange", "frontends")
OUTCOMES: Final = frozenset({"failure", "crash", "timeout"})
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


class PatchError(Exception):
    """A patch that cannot be read, or that does not fit the tree."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a file that are replaced by others; `line` is where they stood when the patch was made.

    They are found by their code: a comment behind the code of a line may differ.
    """

    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    def places(self, lines: list[str]) -> list[int]:
        """Every index at which the old lines stand."""
        size, wanted, codes = len(self.old), list(map(_code, self.old)), list(map(_code, lines))
        return [at for at in range(len(lines) - size + 1) if codes[at : at + size] == wanted]

    def closest(self, lines: list[str]) -> str:
        """The line of a file that is most like the first old line, with its number; "" where the file is empty."""
        wanted = self.old[0]
        rated = [(SequenceMatcher(None, wanted, line).ratio(), -at) for at, line in enumerate(lines)]
        at = -max(rated, default=(0.0, 0))[1]
        return f"line {at + 1}: {lines[at].strip()}" if lines else ""


def _code(line: str) -> str:
    """The line without a comment behind its code; a line that is a comment stays as it is."""
    code, mark, _ = line.partition("  # ")
    return code.rstrip() if mark and code.strip() else line


@dataclass(frozen=True, slots=True)
class Patch:
    """One planted fault."""

    name: str  # GROUP/NAME
    fault: str
    test: str
    expect: frozenset[str]
    hunks: tuple[tuple[str, tuple[Hunk, ...]], ...]  # of each file, by its path

    @property
    def group(self) -> str:
        return self.name.partition("/")[0]

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(file for file, _ in self.hunks)

    def texts(self, tree: Path) -> dict[Path, str]:
        """The files of a tree with the fault in them. Raises PatchError where a hunk fits no place or several."""
        return {tree / file: self._patched(tree / file, file, hunks) for file, hunks in self.hunks}

    def apply(self, tree: Path) -> None:
        """Write the fault into a tree. Raises PatchError, with nothing written."""
        for path, text in self.texts(tree).items():
            path.write_text(text, encoding="utf-8")

    def _patched(self, path: Path, file: str, hunks: tuple[Hunk, ...]) -> str:
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise PatchError(f"{file}: {error.strerror}") from error
        for hunk in hunks:
            places = hunk.places(lines)
            if not places:
                raise PatchError(f"{file}: {hunk.old[0].strip()!r} is not there; the closest is {hunk.closest(lines)}")
            if len(places) > 1:
                numbers = ", ".join(str(at + 1) for at in places)
                raise PatchError(f"{file}: {hunk.old[0].strip()!r} stands at lines {numbers}: it needs more context")
            lines[places[0] : places[0] + len(hunk.old)] = hunk.new
        return "\n".join(lines)


def read_patch(path: Path) -> Patch:
    """Parse a patch file. Raises PatchError."""
    name = f"{path.parent.name}/{path.stem}"
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    start = next((at for at, line in enumerate(lines) if line.startswith("--- ")), len(lines))
    head = dict(line.split(": ", 1) for line in lines[:start] if ": " in line)
    expect = frozenset(head.get("Expect", "failure").split(" or "))
    if "Fault" not in head or "Test" not in head or not expect <= OUTCOMES or path.parent.name not in GROUPS:
        raise PatchError(f"{name}: its head must have Fault and Test, and Expect only {sorted(OUTCOMES)}")
    try:
        hunks = _hunks(lines[start:])
    except ValueError as error:
        raise PatchError(f"{name}: {error}") from error
    if not hunks:
        raise PatchError(f"{name}: it changes nothing")
    return Patch(name, head["Fault"], head["Test"], expect, hunks)


def _hunks(lines: list[str]) -> tuple[tuple[str, tuple[Hunk, ...]], ...]:
    found: list[tuple[str, list[tuple[int, list[str], list[str]]]]] = []
    for at, line in enumerate(lines):
        if line.startswith(("diff --git ", "index ")):
            continue
        if line.startswith("--- ") and lines[at + 1 : at + 2] and lines[at + 1].startswith("+++ "):
            continue
        if line.startswith("+++ ") and at and lines[at - 1].startswith("--- "):
            found.append((line[4:].split("\t")[0].removeprefix("b/"), []))
        elif (numbers := _HUNK.match(line)) is not None and found:
            found[-1][1].append((int(numbers[1]), [], []))
        elif not found or not found[-1][1] or line[:1] not in {" ", "+", "-", ""}:
            raise ValueError(f"no line of a patch: {line!r}")
        else:
            _, old, new = found[-1][1][-1]
            if line[:1] != "+":
                old.append(line[1:])
            if line[:1] != "-":
                new.append(line[1:])
    if not all(old for _, hunks in found for _, old, _ in hunks):
        raise ValueError("a hunk that only adds lines needs a line of context")
    return tuple((file, tuple(Hunk(line, tuple(old), tuple(new)) for line, old, new in hunks)) for file, hunks in found)


def read_all(folder: Path) -> list[Patch]:
    """Every patch below a folder, group by group, then by name. Raises PatchError."""
    return [read_patch(path) for group in GROUPS for path in sorted(folder.glob(f"{group}/*.patch"))]
