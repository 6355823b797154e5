"""`recall-rank context`: a message and what was said around it."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.options.reading_command import answer, reading_options
from recall_rank.frontends.cli.output.transcript_lines import excerpt_lines


@click.command(name="context")
@click.argument("session_id", metavar="SESSION")
@click.argument("message_id", metavar="MESSAGE")
@click.option("--window", type=click.IntRange(0), metavar="N", help="Messages on each side.")
@click.option("--before", type=click.IntRange(0), metavar="N", help="Messages in front, instead of --window.")
@click.option("--after", type=click.IntRange(0), metavar="N", help="Messages behind, instead of --window.")
@reading_options
def command(
    session_id: str,
    message_id: str,
    window: int | None,
    before: int | None,
    after: int | None,
    histories: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show a message with those around it, the message itself marked."""
    args = {"session_id": session_id, "message_id": message_id, "window": window, "before": before, "after": after}
    answer("recall_context", args, histories, as_json=as_json, lines=excerpt_lines, found="messages")
