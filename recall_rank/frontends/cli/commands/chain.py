"""The command `chain`: the tree of sessions that a session belongs to, and how each of them is reopened."""

from __future__ import annotations

import sys
import time

import click

from recall_rank.frontends.cli.commands.transcripts import transcript_options
from recall_rank.frontends.cli.options.completions import complete_sessions
from recall_rank.frontends.cli.options.histories import open_recall, read_with_progress
from recall_rank.frontends.cli.options.limit import limit_option
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.options.targets import target_of
from recall_rank.frontends.cli.output.console import (
    HITS,
    NOT_THERE,
    fail,
    fail_without_history,
    print_json,
)
from recall_rank.frontends.cli.output.display import given_display
from recall_rank.frontends.cli.output.render import show


@click.command(name="chain", short_help="Show what a session came from and what came from it.")
@click.argument("wanted", metavar="{NUMBER | SESSION}", shell_complete=complete_sessions)
@limit_option("sessions", 200)
@redact_option
@transcript_options
@click.pass_context
def chain(
    ctx: click.Context, wanted: str, limit: int | None, *, redact: bool, histories: tuple[str, ...], as_json: bool
) -> None:
    """Show where a session came from and what came from it: parents, forks, compressions, subagents.

    SESSION is an id, a beginning of one, or a title; NUMBER is that of a hit of the last search in this terminal. Each
    session is shown with its times, rounds, tokens and cost as far as its agent recorded them; in a pipe also with the
    command that reopens it.
    """
    from recall_rank.frontends.cli.output.chain_lines import chain_lines, chain_to_dict
    from recall_rank.histories.chains.lineage import SHOWN

    target = target_of(wanted, None, histories, as_json=as_json)
    with open_recall(target.histories, as_json=as_json) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=as_json)
        try:
            found = recall.chain(target.session_id, limit=limit or SHOWN)
        except LookupError as error:
            fail(str(error.args[0]), NOT_THERE, as_json=as_json)
    answer = chain_to_dict(found)
    if redact:
        from recall_rank.frontends.redaction.redacted_answers import without_secrets

        answer = without_secrets(answer)
    if as_json:
        print_json(answer)
    else:
        display = given_display(sys.stdout)
        show(chain_lines(answer, int(time.time() * 1000), display), display)
    ctx.exit(HITS)
