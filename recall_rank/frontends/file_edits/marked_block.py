"""Put a block of lines between two marks into a text of TOML or YAML, and take it out again."""

from __future__ import annotations

import re
from typing import Final

from recall_rank.frontends.file_edits.project_files import EditError

BEGIN: Final = "# >>> recall-rank install"
END: Final = "# <<< recall-rank install"
_BEFORE: Final = "# before: "  # in a block: the line that it stands for
_BLOCK: Final = re.compile(
    rf"^[ \t]*{re.escape(BEGIN)}[ \t]*\r?\n(.*?)^[ \t]*{re.escape(END)}[ \t]*(\r?\n|\Z)", re.MULTILINE | re.DOTALL
)


def with_block(
    text: str, lines: list[str], line_end: str, *, at: int | None = None, indent: str = "", replaced: str = ""
) -> str:
    """Return a text with lines between marks put in at the start of a line, character `at`, or at the end.

    They stand for the line `replaced`, which begins there; without_block() restores it. A text whose last line has no
    line end has none afterwards either.
    """
    at = len(text) if at is None else at
    kept = (_BEFORE + replaced.rstrip("\r\n"),) if replaced else ()
    block = line_end.join(f"{indent}{line}" for line in (BEGIN, *lines, *kept, END))
    if at and text[at - 1] != "\n":
        return f"{text[:at]}{line_end}{block}{text[at:]}"
    end = "" if replaced and replaced[-1] != "\n" else line_end
    return f"{text[:at]}{block}{end}{text[at + len(replaced) :]}"


def block_lines(text: str, name: str) -> list[str] | None:
    """Return the lines between our marks, None without marks. Raises EditError for marks that are torn or repeated."""
    if BEGIN not in text and END not in text:
        return None
    found = _BLOCK.findall(text)
    if len(found) != 1 or text.count(BEGIN) != 1 or text.count(END) != 1:
        raise EditError(f"{name}: the marks of recall-rank are torn or repeated: take its lines out by hand")
    return [line.strip() for line in found[0][0].splitlines()]


def without_block(text: str) -> str:
    """Return a text without the marks and what is between them, with the line that they stand for."""
    found = _BLOCK.search(text)
    if found is None:
        return text
    before, after = text[: found.start()], text[found.end() :]
    for line in found[1].splitlines(keepends=True):
        if line.lstrip().startswith(_BEFORE):
            kept = line.lstrip().removeprefix(_BEFORE)
            return before + (kept if found[2] else kept.rstrip("\r\n")) + after
    if not found[2]:  # the last line has no line end: the line before had none
        before = before.removesuffix("\r\n") if before.endswith("\r\n") else before.removesuffix("\n")
    return before + after
