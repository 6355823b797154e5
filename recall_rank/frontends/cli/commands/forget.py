"""`recall-rank forget`: remove a session from the cache for good, and never read it again."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.output.outcome import HITS, NO_HITS, USAGE, fail, print_json
from recall_rank.frontends.cli.output.progress import progress_on_stderr
from recall_rank.frontends.cli.output.terminal import one_line


@click.command(name="forget")
@click.argument("session")
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one line of JSON.")
@click.pass_context
def command(ctx: click.Context, session: str, histories: tuple[str, ...], as_json: bool) -> None:
    """Forget SESSION, an id or a beginning of one: its words leave the cache, and no search finds it again.

    The history it is in stays as it is. `purge --forgotten` takes it back.
    """
    from recall_rank.histories.cache.forgotten import forget
    from recall_rank.histories.cache.purge import folders

    try:
        place = CacheOptions.given().folder()
    except ValueError as error:
        fail(str(error), USAGE, as_json=as_json)
    if place is None:
        fail("without a cache nothing can be forgotten: see --cache", USAGE, as_json=as_json)
    with open_recall(histories, as_json=as_json) as recall:
        read_with_progress(recall, index=False)
        try:
            found = recall.session(session).id
        except LookupError as error:
            fail(str(error), NO_HITS, as_json=as_json)
    try:
        forget(place, found)
    except (OSError, ValueError) as error:
        fail(f"{found} was not forgotten: {error}", USAGE, as_json=as_json)
    with open_recall(histories, as_json=as_json) as recall, progress_on_stderr() as progress:
        recall.refresh(progress)
        others = [str(path) for path in folders(place) if path != recall.folder]
    if as_json:
        print_json({"ok": True, "session_id": found, "others": others})
    else:
        click.echo(f"forgotten: {one_line(found)}")
        if others:
            click.echo("other indexes in the cache drop it when they are searched the next time", err=True)
    ctx.exit(HITS)
