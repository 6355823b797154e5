"""`recall-rank get`: one message in full."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.options.reading_command import answer, reading_options
from recall_rank.frontends.cli.output.transcript_lines import turn_lines


@click.command(name="get")
@click.argument("session_id", metavar="SESSION")
@click.argument("message_id", metavar="MESSAGE")
@reading_options
def command(session_id: str, message_id: str, histories: tuple[str, ...], as_json: bool) -> None:
    """Show one message in full, nothing cut. Ids are those of a hit's last line; a beginning of them is enough."""
    args = {"session_id": session_id, "message_id": message_id}
    answer("recall_get", args, histories, as_json=as_json, lines=turn_lines, found="message")
