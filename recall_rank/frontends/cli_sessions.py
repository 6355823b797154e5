"""`recall-rank sessions`: the sessions there are, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recall_rank.frontends.reading_command import answer, reading_options
from recall_rank.frontends.reopen import put_reopen
from recall_rank.frontends.transcript_lines import session_lines

if TYPE_CHECKING:
    from recall_rank.recall import Recall


@click.command(name="sessions")
@click.option("--scope", type=click.Choice(["project", "global"]), default="global", help="All, or this project's.")
@click.option("--search", metavar="TEXT", help="Only sessions whose title contains this.")
@click.option("--limit", "-n", type=click.IntRange(1), metavar="N", help="How many sessions to show.")
@reading_options
def command(scope: str, search: str | None, limit: int | None, histories: tuple[str, ...], as_json: bool) -> None:
    """List sessions, newest first: what they are called, when and where they were, their ids, how to open them."""
    args = {"scope": scope, "search": search, "limit": limit}
    answer(
        "recall_sessions",
        args,
        histories,
        as_json=as_json,
        lines=session_lines,
        found="sessions",
        complete=_with_commands,
    )


def _with_commands(output: dict[str, Any], recall: Recall) -> None:
    """Add to each session the command that opens it again, where there is one."""
    for entry in output["sessions"]:
        session = recall.session(entry["id"])
        put_reopen(entry, session.source, session.id, session.directory, session.flags)
