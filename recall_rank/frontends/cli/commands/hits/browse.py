"""The command `browse`: the picker in the terminal, with results while a query is typed."""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

import click

from recall_rank.frontends.cli.options.completions import complete_agents, complete_projects
from recall_rank.frontends.cli.options.histories import history_option, open_recall
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.output.console import DEFECT, HITS, NO_HITS, NOT_THERE, USAGE, fail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recall_rank.frontends.cli.browse.outcome import Outcome, PrintForm
    from recall_rank.frontends.cli.browse.state import SearchState
    from recall_rank.recall import Recall

INSTALL: Final = "pip install 'recall-rank[tui]'"
FRAMES: Final = ("TEXTUAL_FPS", "250")  # a second; the 60 of Textual let an answer wait for 17 ms
_NEEDED: Final = f"browse needs Textual, the extra tui: {INSTALL}"


def has_textual() -> bool:
    """Return whether Textual, the extra `tui`, is installed. It is not imported."""
    return importlib.util.find_spec("textual") is not None


def is_able() -> bool:
    """Return whether this system has the terminals of POSIX, and $TERM names none that cannot place text."""
    return importlib.util.find_spec("termios") is not None and os.environ.get("TERM") not in ("dumb", "unknown")


@click.command(name="browse", short_help="Look for sessions while you type.")
@click.argument("query", nargs=-1)
@click.option(
    "--print",
    "form",
    type=click.Choice(["id", "path", "command"]),
    help="Print what is picked: the session's id, its file, or the command that reopens it. Default: reopen it.",
)
@click.option(
    "--agent", metavar="NAME", default="", shell_complete=complete_agents, help="Only sessions of this agent."
)
@click.option("--project", metavar="NAME", default="", shell_complete=complete_projects, help="Only this project.")
@click.option(
    "--match",
    "-m",
    type=click.Choice(["literal", "smart", "fuzzy", "regex"]),
    default="smart",
    help="How words match.",
    show_default=True,
)
@click.option(
    "--group", type=click.Choice(["part", "session"]), default="part", help="List hits, or sessions.", show_default=True
)
@click.option(
    "--order",
    type=click.Choice(["relevance", "time"]),
    default="relevance",
    help="Order of results.",
    show_default=True,
)
@redact_option
@history_option
@click.pass_context
def browse(
    ctx: click.Context, /, query: tuple[str, ...], form: str | None, histories: tuple[str, ...], **filters: Any
) -> None:
    """Look for sessions in a picker: results while you type, a preview, and keys to reopen, copy, open and export.

    QUERY is what the query line begins with; it takes the operators of search. Press ? in the list for the keys. With
    --print, the picker is drawn on the terminal, the choice is printed on stdout, and 1 is the exit status when nothing
    was picked. It is 129 when the terminal vanishes.
    """
    if not has_textual():
        fail(_NEEDED, USAGE, as_json=False)
    if not is_able():
        fail("browse needs a terminal that can place text; TERM=dumb and Windows have none", USAGE, as_json=False)
    from recall_rank.frontends.cli.browse.state import SearchState
    from recall_rank.frontends.cli.browse.terminal import first_frame, on_terminal

    state = SearchState(query=" ".join(query), **filters)
    picks = cast("PrintForm | None", form)
    try:
        with on_terminal(), first_frame(state.query, ("opening the histories …",)):
            recall = open_recall(histories)
            outcome = _pick(recall, state, picks=picks is not None)
    except OSError as error:
        if error.filename != "/dev/tty":
            raise
        fail("browse needs a terminal", USAGE, as_json=False)
    with recall:
        ctx.exit(_ended(recall, outcome, picks))


def _pick(recall: Recall, state: SearchState, *, picks: bool) -> Outcome:
    """Run the picker and return what it ended with. While Textual is imported, a thread opens the index."""
    warming = threading.Thread(target=_warm, args=(recall, state), name="recall_rank warm", daemon=True)
    warming.start()
    name, value = FRAMES
    given = os.environ.get(name)
    os.environ[name] = given or value  # read by the import below
    from recall_rank.frontends.cli.browse.app import PickerApp
    from recall_rank.frontends.cli.browse.outcome import Surroundings
    from recall_rank.frontends.cli.browse.terminal import page
    from recall_rank.frontends.cli.output.clipboard import copy_by_program
    from recall_rank.frontends.cli.output.display import display_of

    if given is None:
        del os.environ[name]  # a pager or an agent shall not get it
    pager = display_of(sys.__stderr__ or sys.stderr, os.environ).pager

    def paged(lines: Sequence[str]) -> str:
        return page(lines, pager)

    app = PickerApp(recall, state, Surroundings(copy_by_program, paged), picks=picks)
    outcome = app.run()
    if app.return_code:
        fail("an error of this program, with the traceback above", DEFECT, as_json=False)  # which Textual has shown
    return outcome


def _warm(recall: Recall, state: SearchState) -> None:
    """Do the first search, if there is an index. The picker does it again and shows its errors."""
    from recall_rank.frontends.cli.browse.search import find, has_index

    if has_index(recall.folder):
        with suppress(Exception):
            find(recall, state)


def _ended(recall: Recall, outcome: Outcome, form: PrintForm | None) -> int:
    """Print the choice or run the command that was confirmed, and return the exit status."""
    from recall_rank.frontends.cli.browse.outcome import Picked, Reopening, printed

    if isinstance(outcome, Reopening):
        from recall_rank.frontends.cli.commands.hits.reopen import run_reopening

        click.echo(outcome.command.line, err=True)
        return run_reopening(outcome.command)
    if isinstance(outcome, Picked) and form is not None:
        try:
            lines = list(printed(recall, outcome.entries, form))
        except (LookupError, ValueError) as error:
            fail(str(error.args[0]), NOT_THERE, as_json=False)
        for line in lines:
            click.echo(line)
        return HITS
    return HITS if form is None else NO_HITS
