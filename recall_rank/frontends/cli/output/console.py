"""Write to the terminal: lines, JSON, errors, progress bars; and the exit codes of the commands."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

import click

from recall_rank.frontends.cli.output.display import Display, columns_of, given_display, is_quiet
from recall_rank.frontends.cli.output.render import rendered
from recall_rank.frontends.display_text import escape_lines, one_line, safe_json
from recall_rank.model.response import NOT_READ_YET

if TYPE_CHECKING:
    from rich.progress import TaskID

    from recall_rank.model import SourceReport
    from recall_rank.model.progress import Progress

Line = list[tuple[str, str]]
"""Pieces of text, each with a rich style. The text is escaped already."""

HITS: Final = 0  # or, for a command that does not search, that it did what it was asked for
NO_HITS: Final = 1  # and nothing else: no error ends with it
USAGE: Final = 2
NO_HISTORY: Final = 3  # there is none, none could be read, or what was read so far has no hit and the rest may have
NOT_WRITTEN: Final = 4
NOT_THERE: Final = 5  # a session or message that was named by its id
OUT_OF_MEMORY: Final = 6
DEFECT: Final = 7  # an exception that no code expected
NOT_CURATED: Final = 8  # turns were found, but the curator gave no usable answer
HUNG_UP: Final = 129  # the terminal of the picker has vanished; what a shell reports for a program ended by SIGHUP
INTERRUPTED: Final = 130  # what a shell reports for a program ended by Ctrl-C
SCHEMA_VERSION: Final = 1  # of the JSON of --json: raised when a name is removed or changes its meaning


def fail(message: str, code: int, *, as_json: bool) -> NoReturn:
    """End the command with exit code `code`; the message goes to stderr, or as {"ok": false, ...} to stdout for
    --json. With the option --redact of the command, keys and passwords in it are replaced.
    """
    context = click.get_current_context(silent=True)
    if context is not None and context.params.get("redact"):
        from recall_rank.frontends.redaction.redact import redacted

        message = redacted(message)
    if as_json:
        from recall_rank.model.serialize import error_to_dict

        print_json(error_to_dict(message))
    else:
        tell(message)
    raise click.exceptions.Exit(code)


def tell(message: str) -> None:
    """Write a message for a person to stderr, escaped; a terminal gets it wrapped between words."""
    say(f"recall-rank: {escape_lines(message)}", err=True)


def say(text: str, *, err: bool = False) -> None:
    """Write a text for a person, which is escaped already, to stdout or stderr; a terminal gets it wrapped between
    words.
    """
    display = Display(columns_of(sys.stderr if err else sys.stdout))
    for line in rendered(([(line, "")] for line in text.split("\n")), display):
        click.echo(line, err=err)


def every_source_failed(reports: Sequence[SourceReport]) -> bool:
    """Return whether there are sources and none of them could be read; `reports` has one entry for each."""
    return bool(reports) and all(report.failed for report in reports)


def status_of_miss(limited_by: Collection[str]) -> int:
    """Return the exit status of an answer without hits, whose `limited_by` says whether everything was read."""
    return NO_HISTORY if NOT_READ_YET in limited_by else NO_HITS


def status_of(reports: Sequence[SourceReport]) -> int:
    """Return the exit status of a command that has read the sources, whatever it found in them."""
    if not every_source_failed(reports):
        return HITS
    short = any(failure.of_memory for report in reports for failure in report.failures)
    return OUT_OF_MEMORY if short else NO_HISTORY


def fail_without_history(reports: Sequence[SourceReport], *, as_json: bool) -> None:
    """End the command when none of the sources could be read, with the reason of each."""
    if status_of(reports) == OUT_OF_MEMORY:
        raise MemoryError
    if every_source_failed(reports):
        reasons = [f"{report.agent}: {error}" for report in reports for error in report.errors]
        fail("\n  ".join(["no history could be read:", *reasons]), NO_HISTORY, as_json=as_json)


def print_json(value: Mapping[str, Any]) -> None:
    """Print `value` as one line of JSON with `schema_version` added; characters unsafe for a terminal are escaped."""
    from recall_rank.model.serialize import json_line

    click.echo(safe_json(json_line({**value, "schema_version": SCHEMA_VERSION})))


def print_lines(lines: Iterable[Line], stream: TextIO | None = None, *, colour: bool | None = None) -> None:
    """Write the lines, to stdout by default; a terminal gets them wrapped between words. Without `colour`, the options
    of the command and the settings say whether they are coloured.
    """
    stream = stream or sys.stdout
    if colour is None:
        colour = given_display(stream).colour
    for text in rendered(lines, Display(columns_of(stream), colour=colour)):
        click.echo(text, file=stream, color=True)


def note_line(text: str) -> Line:
    """Return a line "note: " followed by the text, escaped for a terminal."""
    return [("note: ", "yellow"), (one_line(text), "")]


@contextmanager
def progress_on_stderr() -> Iterator[Progress | None]:
    """A context manager that gives a callback (stage, done, total), which draws a progress bar for each stage.

    It gives None when stderr is no terminal, and with the option --quiet.
    """
    if not sys.stderr.isatty() or is_quiet():
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
