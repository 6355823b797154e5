"""`recall-rank purge`: remove the cache, and nothing else."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions, cache_options
from recall_rank.frontends.cli.output.outcome import HITS, NO_HITS, USAGE, fail, print_json
from recall_rank.frontends.cli.output.terminal import one_line


@click.command(name="purge")
@cache_options
@click.option("--forgotten", is_flag=True, help="Also forget what was to be forgotten: those sessions are read again.")
@click.option("--json", "as_json", is_flag=True, help="Print what was removed as one line of JSON.")
@click.pass_context
def command(ctx: click.Context, forgotten: bool, as_json: bool) -> None:
    """Remove every index in the cache. Histories stay as they are; the next search reads them again.

    Sessions that were kept after their agent deleted them are gone then. Files that are not ours stay.
    """
    from recall_rank.histories.cache.purge import purge

    try:
        place = CacheOptions.given().folder()
        if place is None:
            fail("there is no cache to purge", USAGE, as_json=as_json)
        done = purge(place, everything=forgotten)
    except (OSError, ValueError) as error:
        fail(str(error), USAGE, as_json=as_json)
    if as_json:
        print_json({"ok": True, "files": done.files, "bytes": done.bytes, "left": done.left})
    else:
        click.echo(
            f"{done.files:,} files removed, {done.bytes:,} bytes" if done.files else "there was nothing to remove"
        )
        for path in done.left:
            click.echo(f"left: {one_line(path)}", err=True)
    ctx.exit(HITS if done.files else NO_HITS)
