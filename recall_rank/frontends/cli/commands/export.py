"""The command `export`: a whole session as Markdown, HTML or history JSONL."""

from __future__ import annotations

import click
from click.core import ParameterSource

from recall_rank.frontends.cli.options.completions import complete_sessions
from recall_rank.frontends.cli.options.histories import history_option
from recall_rank.frontends.cli.options.named_sources import every_store
from recall_rank.frontends.cli.options.one_session import whole_session
from recall_rank.frontends.cli.options.output_file import EXPORTED, OutputFile, output_options
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.options.targets import target_of
from recall_rank.frontends.cli.options.web_extra import fail_without_web
from recall_rank.frontends.cli.output.console import HITS, say
from recall_rank.frontends.cli.output.display import given_display


@click.command(name="export", short_help="Write a whole session as Markdown, HTML or JSONL.")
@click.argument("session_id", metavar="{NUMBER | SESSION}", shell_complete=complete_sessions)
@click.option(
    "--format",
    "-f",
    "form",
    type=click.Choice(EXPORTED),
    help="What it becomes. Default: as the ending of --out says, else markdown.",
)
@output_options("--out", "-o", default="-", help="The file. Default: -, stdout.")
@redact_option
@history_option
@click.pass_context
def export(
    ctx: click.Context, session_id: str, form: str | None, out: OutputFile, *, redact: bool, histories: tuple[str, ...]
) -> None:
    """Write a whole session: as Markdown, as HTML that stands alone, or as history that can be read again.

    It is named by the number of a hit of the last search in this terminal, by an id or a beginning of one. Nothing is
    cut, and keys and passwords are replaced only with --redact: look through what you give to others.
    """
    from recall_rank.frontends.cli.output.export_formats import export_lines

    form = form or out.format(EXPORTED)
    if form == "html":
        fail_without_web("export --format html")
    histories = target_of(session_id, None, histories).histories
    if not redact and ctx.get_parameter_source("redact") is ParameterSource.COMMANDLINE:
        say("note: keys and passwords are not replaced in what is written: --no-redact", err=True)
    with out.open(every_store(histories)) as file:
        session = whole_session(session_id, histories)
        if redact:
            from recall_rank.frontends.redaction.redacted_answers import session_without_secrets

            session = session_without_secrets(session)
        for line in export_lines(session, form, given_display(file).minute):
            file.write(line + b"\n")
    ctx.exit(HITS)
