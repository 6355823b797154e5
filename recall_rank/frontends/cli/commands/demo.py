"""`recall-rank demo`: a search in the small invented history that ships with the package."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

import click

from recall_rank.frontends.cli.commands.search import ask, outcome, show
from recall_rank.frontends.cli.options.filters import filter_options, given
from recall_rank.frontends.cli.options.histories import open_recall


@click.command(name="demo")
@click.argument("query", nargs=-1)
@filter_options
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as one line of JSON.")
@click.pass_context
def command(ctx: click.Context, /, query: tuple[str, ...], as_json: bool, **filters: Any) -> None:
    """Search a small invented history; the default query is "rate limit". Takes the filters of search.

    Ages are counted from the day the history was written for, so the same demo looks the same every day.
    """
    from recall_rank.frontends.demo import NOW

    with (
        as_file(files("recall_rank.frontends.demo") / "history.jsonl") as path,
        open_recall([str(path)], cached=False) as recall,
    ):
        response = ask(recall, " ".join(query) or "rate limit", given(filters), now=NOW, as_json=as_json)
    show(response, NOW, filters["offset"] or 0, as_json=as_json)
    ctx.exit(outcome(response))
