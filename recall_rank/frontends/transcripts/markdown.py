"""Pieces of Markdown that no recalled text can leave: escaped names, quoted texts, fences, code spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recall_rank.frontends.display_text import escaped, unsafe_in_lines

_FENCE: Final = re.compile(r"`{3,}|~{3,}")
_TICKS: Final = re.compile(r"`+")
_MARKUP: Final = re.compile(r"([\\`~*_{}\[\]<>#|&]|^[-+=])")


def escape_text(text: str) -> str:
    """Return a text with its unsafe characters written as escapes; line ends and tabs are kept."""
    return unsafe_in_lines().sub(escaped, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return a text on one line, with its unsafe characters written as escapes."""
    return " ".join(escape_text(text).split())


def escaped_markup(text: str) -> str:
    """Return a text of one line with a backslash before every character that Markdown could read as markup."""
    return _MARKUP.sub(r"\\\1", text)


def quoted_lines(text: str) -> Iterator[str]:
    """Yield a text as a block quote, each of its lines behind ">"; blanks at the end of a line are left out."""
    yield from (f"> {line}".rstrip() for line in escape_text(text).rstrip("\n").split("\n"))


def fenced_lines(text: str) -> Iterator[str]:
    """Yield a text between two fences that are longer than every fence inside it."""
    body = escape_text(text).rstrip("\n")
    fence = "`" * max([3, *(len(run) + 1 for run in _FENCE.findall(body))])
    yield fence
    yield body
    yield fence


def code_span(text: str) -> str:
    """Return a text as one line of code between runs of backticks that are longer than every run inside it; "" for a
    text without visible characters.
    """
    line = one_line(text)
    if not line:
        return ""
    ticks = "`" * (max((len(run) for run in _TICKS.findall(line)), default=0) + 1)
    room = " " if "`" in (line[0], line[-1]) else ""
    return f"{ticks}{room}{line}{room}{ticks}"


def cut_line(text: str, most: int) -> str:
    """Return a text on one line of at most `most` characters; "…" stands for an end that is left out."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
