"""`recall-rank messages`: what was said in a session, page by page."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.options.reading_command import answer, reading_options
from recall_rank.frontends.cli.output.transcript_lines import page_lines


@click.command(name="messages")
@click.argument("session_id", metavar="SESSION")
@click.option("--query", metavar="TEXT", help="Only messages that contain this, whatever the case.")
@click.option("--role", type=click.Choice(["user", "assistant", "all"]), help="Who said it.")
@click.option("--reverse", is_flag=True, help="The newest first.")
@click.option("--limit", "-n", type=click.IntRange(1), metavar="N", help="How many messages to show.")
@click.option("--offset", type=click.IntRange(0), metavar="N", help="How many messages to leave out first.")
@reading_options
def command(
    session_id: str,
    query: str | None,
    role: str | None,
    reverse: bool,
    limit: int | None,
    offset: int | None,
    histories: tuple[str, ...],
    as_json: bool,
) -> None:
    """Read a session, or the messages in it that contain a text."""
    args = {
        "session_id": session_id,
        "query": query,
        "role": role,
        "reverse": reverse,
        "limit": limit,
        "offset": offset,
    }
    answer("recall_messages", args, histories, as_json=as_json, lines=page_lines, found="messages")
