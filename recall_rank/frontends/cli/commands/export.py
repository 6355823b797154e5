"""The command `export`: a whole session as Markdown, HTML or history JSONL."""

from __future__ import annotations

from typing import Any, Final

import click

from recall_rank.frontends.cli.options.completions import complete_sessions
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.targets import target_of
from recall_rank.frontends.cli.options.web_extra import fail_without_web
from recall_rank.frontends.cli.output.console import HITS, NO_HISTORY, NOT_THERE, fail, fail_without_history
from recall_rank.frontends.cli.output.display import given_display

_FORMATS: Final = ("markdown", "jsonl", "html")


@click.command(name="export", short_help="Write a whole session as Markdown, HTML or JSONL.")
@click.argument("session_id", metavar="{NUMBER | SESSION}", shell_complete=complete_sessions)
@click.option(
    "--format",
    "-f",
    "form",
    type=click.Choice(_FORMATS),
    default="markdown",
    help="What it becomes. Default: markdown.",
)
@click.option("--out", "-o", type=click.File("wb", lazy=True), default="-", help="The file. Default: -, stdout.")
@history_option
@click.pass_context
def export(ctx: click.Context, session_id: str, form: str, out: Any, histories: tuple[str, ...]) -> None:
    """Write a whole session: as Markdown, as HTML that stands alone, or as history that can be read again.

    It is named by the number of a hit of the last search in this terminal, by an id or a beginning of one. Nothing is
    cut and nothing is hidden: look through what you give to others.
    """
    from recall_rank.frontends.cli.output.export_formats import export_lines

    if form == "html":
        fail_without_web("export --format html")
    target = target_of(session_id, None, histories)
    with open_recall(target.histories) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=False)
        try:
            session = recall.transcript(target.session_id)
        except LookupError as error:
            fail(str(error.args[0]), NOT_THERE, as_json=False)
        except OSError as error:
            fail(f"session {session_id} cannot be read: {error.strerror or error}", NO_HISTORY, as_json=False)
    for line in export_lines(session, form, given_display(out).minute):
        out.write(line + b"\n")
    out.flush()
    ctx.exit(HITS)
