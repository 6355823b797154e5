"""`recall-rank sessions`: the sessions there are, newest first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from recall_rank.frontends.cli.options.reading_command import answer, reading_options
from recall_rank.frontends.cli.output.reopen import put_reopen
from recall_rank.frontends.cli.output.transcript_lines import session_lines
from recall_rank.model import Flag

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
        complete=partial(_complete, search=search),
    )


def _complete(output: dict[str, Any], recall: Recall, *, search: str | None) -> None:
    """Add how many sessions there are, and to each the command that opens it again, where there is one."""
    output["total"] = len(recall.sessions(scope=output["scope"], search=search))
    for entry in output["sessions"]:
        session = recall.session(entry["id"])
        if session.flags & Flag.SOURCE_MISSING:
            entry["source_missing"] = True
        put_reopen(entry, session.source, session.id, session.directory, session.flags)
