"""The command `transcript`: one session as Markdown, tool calls in one line each."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.options.completions import complete_sessions
from recall_rank.frontends.cli.options.histories import history_option
from recall_rank.frontends.cli.options.named_sources import every_store
from recall_rank.frontends.cli.options.one_session import read_session
from recall_rank.frontends.cli.options.output_file import OutputFile, output_options
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.options.targets import target_of
from recall_rank.frontends.cli.output.console import HITS
from recall_rank.frontends.cli.output.display import given_display


@click.command(name="transcript", short_help="Write a session as a transcript in Markdown.")
@click.argument("session", metavar="{NUMBER | SESSION}", shell_complete=complete_sessions)
@click.option("--no-subagents", is_flag=True, help="Leave out the conversations of its subagents.")
@redact_option
@output_options("--out", "-o", default="-", help="The file. Default: -, stdout.")
@history_option
@click.pass_context
def transcript(
    ctx: click.Context, session: str, *, no_subagents: bool, redact: bool, out: OutputFile, histories: tuple[str, ...]
) -> None:
    """Write a session as a transcript: what was said in full, tool calls in one line each, with statistics.

    It is named by the number of a hit of the last search in this terminal, by an id, a beginning of it, or a title.
    `export` writes all of it, with every output. Times are in UTC, on a terminal local.
    """
    from recall_rank.frontends.transcripts.homes import own_homes
    from recall_rank.frontends.transcripts.render import transcript_lines

    out.format(("markdown",))
    histories = target_of(session, None, histories).histories
    with out.open(every_store(histories)) as file:
        read = read_session(session, histories, subagents=not no_subagents, redact=redact)
        for line in transcript_lines(read, own_homes(), given_display(file).minute):
            file.write(line.encode("utf-8", "replace") + b"\n")
    ctx.exit(HITS)
