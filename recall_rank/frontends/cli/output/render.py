"""Render styled lines as text: wrapped at words for a terminal, with colours or without, and through a pager when they
do not fit on the screen.

rich is imported only for a terminal or for colour, since that takes a quarter of the start time of a command.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

import click

from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.display_text import escape

if TYPE_CHECKING:
    from rich.text import Text

Pieces = Sequence[tuple[str, str]]
"""Pieces of one line, each with a rich style; their text is escaped."""

_HANGING: Final = re.compile(r" *(?:\d+\. +|[>•*-] )?")  # what stands in front of the first word of a line
_LESS: Final = {"LESS": "FRX", "LV": "-c"}  # options of pagers that pass colours on, where the user has set none


def rendered(lines: Iterable[Pieces], display: Display) -> Iterator[str]:
    """Yield the lines as text without line ends, wrapped and coloured as `display` says."""
    if display.columns is None and not display.colour:
        for line in lines:
            yield "".join(text for text, _ in line)
        return
    from rich.text import Text

    for line in lines:
        text = Text.assemble(*line)
        for row in [text] if display.columns is None else wrapped(text, display.columns):
            yield _coloured(row) if display.colour else row.plain


def wrapped(line: Text, columns: int) -> list[Text]:
    """Return a line as rows of at most `columns` columns, broken between words; a longer word is broken itself.

    Later rows begin below the first word, unless that leaves less than half of the width.
    """
    from rich.console import Console
    from rich.text import Text

    if line.cell_len <= columns:
        return [line]
    found = _HANGING.match(line.plain)
    indent = found.end() if found is not None and found.end() <= columns // 2 else 0
    console = Console(width=columns, color_system=None)
    rows = line[indent:].wrap(console, columns - indent, overflow="fold")
    first, *others = rows
    return [Text.assemble(line[:indent], first), *(Text.assemble(" " * indent, row) for row in others)]


def fits(lines: Iterable[Pieces], display: Display) -> bool:
    """Return whether the lines fit on the screen with the next prompt below them; in a pipe everything fits."""
    if not display.is_terminal:
        return True
    room = max(display.rows - 1, 1)
    return sum(1 for _ in islice(rendered(lines, display), room + 1)) <= room


def show(lines: Iterable[Pieces], display: Display) -> None:
    """Write the lines to stdout; through the pager of `display`, if it has one, when they have more rows than the
    screen has above the next prompt.
    """
    rows = rendered(lines, display)
    if display.pager:
        begun = list(islice(rows, max(display.rows - 1, 1)))
        more = list(islice(rows, 1))
        if more and _paged(chain(begun, more, rows), display.pager):
            return
        rows = chain(begun, more, rows)
    for row in rows:
        click.echo(row, color=True)


def _paged(rows: Iterator[str], command: Sequence[str]) -> bool:
    """Write rows to a pager and wait until it has ended; return whether it could be started. If it could not, no row
    has been taken.
    """
    import signal
    import subprocess

    sys.stdout.flush()
    encoding = sys.stdout.encoding or "utf-8"
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env={**_LESS, **os.environ})  # noqa: S603 - the user names it
    except OSError as error:
        click.echo(f"recall-rank: the pager {escape(command[0])} cannot be started: {error.strerror}", err=True)
        return False
    assert pager.stdin is not None  # noqa: S101 - for the type checker
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C belongs to the pager while it runs
    try:
        for row in rows:
            pager.stdin.write(f"{row}\n".encode(encoding, "backslashreplace"))
        pager.stdin.close()
    except BrokenPipeError:  # it was left before the end
        with suppress(BrokenPipeError):  # of what is not written yet; Python 3.13 tells of it where it is not closed
            pager.stdin.close()
    finally:
        pager.wait()
        signal.signal(signal.SIGINT, before)
    return True


def _coloured(row: Text) -> str:
    """Return a row with the escape sequences of its styles."""
    from rich.color import ColorSystem
    from rich.console import Console

    console = Console(color_system=None)
    return "".join(
        piece.style.render(piece.text, color_system=ColorSystem.STANDARD) if piece.style else piece.text
        for piece in row.render(console, end="")
    )
