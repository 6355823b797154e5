"""The command `open`: a whole session as a transcript, in the pager or in an editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recall_rank.frontends.cli.options.completions import complete_sessions
from recall_rank.frontends.cli.options.display_options import display_options
from recall_rank.frontends.cli.options.histories import history_option
from recall_rank.frontends.cli.options.one_session import read_session
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.output.console import HITS, NOT_WRITTEN, USAGE, fail
from recall_rank.frontends.cli.output.display import Display, given_display
from recall_rank.frontends.cli.output.render import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_rank.frontends.cli.output.console import Line


@click.command(name="open", short_help="Open the whole session of a hit in the pager.")
@click.argument("session", metavar="{NUMBER | SESSION}", shell_complete=complete_sessions)
@click.option("--editor", "-e", is_flag=True, help="Open a private copy in $VISUAL or $EDITOR, removed afterwards.")
@redact_option
@history_option
@display_options
@click.pass_context
def open_session(ctx: click.Context, session: str, *, editor: bool, redact: bool, histories: tuple[str, ...]) -> None:
    """Open the session of a hit as a transcript, in the pager; in a pipe it is written out.

    It is named by the number of a hit of the last search in this terminal, by an id, a beginning of it, or a title.
    """
    from recall_rank.frontends.transcripts.homes import own_homes
    from recall_rank.frontends.transcripts.render import transcript_lines

    command = _editor() if editor else ()
    read = read_session(session, histories, redact=redact)
    if editor:
        _edit(list(transcript_lines(read, own_homes())), command)
    else:
        display = given_display(sys.stdout)
        show(_transcript_rows(transcript_lines(read, own_homes(), display.minute), display), display)
    ctx.exit(HITS)


def _transcript_rows(lines: Iterator[str], display: Display) -> Iterator[Line]:
    """Yield the lines of a transcript; on a terminal its headings stand out."""
    for line in lines:
        is_heading = display.is_terminal and line.startswith("#")
        yield [(line, "bold" if is_heading else "")]


def _editor() -> tuple[str, ...]:
    """Return the words of the user's editor. Ends the command where none is named."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = tuple(shlex.split(named))
    except ValueError:  # a quotation mark alone
        words = ()
    return words or fail("no editor is named: set $VISUAL or $EDITOR to a command", USAGE, as_json=False)


def _edit(lines: Sequence[str], command: tuple[str, ...]) -> None:
    """Open a private copy of the lines in an editor, and remove it when the editor has ended."""
    try:
        with tempfile.TemporaryDirectory(prefix="recall-rank-") as folder:  # only its user may enter it
            copy = Path(folder) / "transcript.md"
            copy.write_text("\n".join([*lines, ""]), encoding="utf-8", errors="replace")
            status = subprocess.run([*command, str(copy)], check=False).returncode  # noqa: S603 - the user names it
    except OSError as error:
        fail(f"{command[0]} cannot open the transcript: {error.strerror or error}", NOT_WRITTEN, as_json=False)
    if status:
        fail(f"{command[0]} ended with {status}", NOT_WRITTEN, as_json=False)
