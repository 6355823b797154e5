"""Output to the terminal: lines, tables, JSON, errors and progress bars; and the exit codes of the commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

import click

from recall_rank.frontends.display_text import escape_lines, one_line, safe_json

if TYPE_CHECKING:
    from rich.progress import TaskID

    from recall_rank.model import SourceReport
    from recall_rank.model.progress import Progress

Line = list[tuple[str, str]]
"""Pieces of text, each with a rich style. The text is escaped already."""

HITS: Final = 0
NO_HITS: Final = 1
USAGE: Final = 2
ALL_SOURCES_FAILED: Final = 3
NOT_WRITTEN: Final = 4
INTERRUPTED: Final = 130  # what a shell reports for a program ended by Ctrl-C
SCHEMA_VERSION: Final = 1  # of the JSON of --json: raised when a name is removed or changes its meaning


def fail(message: str, code: int, *, as_json: bool) -> NoReturn:
    """End the command; the message goes to stderr, or to stdout as {"ok": false, ...} for --json."""
    if as_json:
        from recall_rank.model.serialize import error_to_dict

        print_json(error_to_dict(message))
    else:
        click.echo(f"recall-rank: {escape_lines(message)}", err=True)
    raise click.exceptions.Exit(code)


def every_source_failed(reports: Sequence[SourceReport]) -> bool:
    """Return whether there are sources and none of them could be read."""
    return bool(reports) and all(report.failed for report in reports)


def print_json(value: Mapping[str, Any]) -> None:
    """Print one line of JSON, escaped for a terminal, with `schema_version` added."""
    import orjson

    click.echo(safe_json(orjson.dumps({**value, "schema_version": SCHEMA_VERSION})))


def print_lines(lines: Iterable[Line], stream: TextIO | None = None, *, colour: bool | None = None) -> None:
    """Write the lines, to stdout by default; in colour on a terminal without NO_COLOR unless `colour` is given.

    rich is imported for colour only: importing it takes a quarter of the time that a command needs to start.
    """
    stream = stream or sys.stdout
    if colour is None:
        colour = stream.isatty() and not os.environ.get("NO_COLOR")
    if not colour:
        for line in lines:
            click.echo("".join(text for text, _ in line), file=stream)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True)


def note_line(text: str) -> Line:
    """Return a line that begins with "note: "; the text is escaped."""
    return [("note: ", "yellow"), (one_line(text), "")]


def table_lines(rows: Sequence[Sequence[str]], right: Collection[int], head_style: str) -> Iterator[Line]:
    """Yield rows of equal length as columns two blanks apart; the first row is the head, cells are escaped already.

    `right` has the numbers of the right-aligned columns. Lines do not depend on the width of the terminal, so that
    piped and shown output are equal.
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = (
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield [("  ".join(cells).rstrip(), "" if number else head_style)]


@contextmanager
def progress_on_stderr() -> Iterator[Progress | None]:
    """A context manager with a callback (stage, done, total) that draws a bar for each stage; None if stderr is no
    terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        stages: dict[str, TaskID] = {}

        def advance(stage: str, done: int, total: int | None) -> None:
            if stage not in stages:
                stages[stage] = bars.add_task(stage, total=total)
            bars.update(stages[stage], completed=done, total=total)

        yield advance
