"""The command `purge`: remove every index in the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import click

from recall_rank.frontends.cli.last_search import remove_searches
from recall_rank.frontends.cli.options.cache_options import CacheOptions, cache_folder_option
from recall_rank.frontends.cli.output.console import HITS, USAGE, fail, print_json, say
from recall_rank.frontends.display_text import counted, one_line
from recall_rank.model.option_errors import error_text
from recall_rank.model.serialize import error_to_dict

if TYPE_CHECKING:
    from recall_rank.histories.removal.kept import OnlyInCache


@click.command(name="purge", short_help="Remove every index in the cache.")
@cache_folder_option
@click.option("--forgotten", is_flag=True, help="Also forget what was to be forgotten: those sessions are read again.")
@click.option("--kept", is_flag=True, help="Also remove sessions that are nowhere else: their agent deleted them.")
@click.option("--json", "as_json", is_flag=True, help="Print what was removed as one line of JSON.")
@click.pass_context
def purge(ctx: click.Context, forgotten: bool, kept: bool, as_json: bool) -> None:
    """Remove every index in the cache, what `compact` keeps there, and the numbers of hits of all terminals. Histories
    stay as they are; the next search reads them again.

    Nothing is removed while an index keeps sessions that its histories no longer have, unless --kept is given. Files
    that are not ours stay.
    """
    from recall_rank.histories.cache.purge import purge as purge_cache
    from recall_rank.histories.cache.rules import NOTHING, RefreshRules
    from recall_rank.histories.removal.kept import only_in_cache

    try:
        chosen = CacheOptions.given()
        place = chosen.folder()
        if place is None:
            fail("there is no cache to purge", USAGE, as_json=as_json)
        only = only_in_cache(place, RefreshRules(chosen.ignore or NOTHING, cache=place))
        counts = {"kept": only.sessions, "unreadable": [str(path) for path in only.unreadable]}
        if only and not kept:
            _refuse_to_purge(ctx, only, counts, as_json=as_json)
        done = purge_cache(place, everything=forgotten)
        done.files += remove_searches()
    except (OSError, ValueError) as error:
        fail(error_text(error), USAGE, as_json=as_json)
    if as_json:
        print_json({"ok": True, "files": done.files, "bytes": done.bytes, "left": done.left, **counts})
    else:
        what = f"{counted(done.files, 'file', 'files')} removed, {counted(done.bytes, 'byte', 'bytes')}"
        gone = (
            f"; with them {counted(only.sessions, 'session', 'sessions')} that no history has any more"
            if only.sessions
            else ""
        )
        say(f"{what}{gone}" if done.files else "there was nothing to remove")
        for path in done.left:
            say(f"left: {one_line(path)}", err=True)
    ctx.exit(HITS)


def _refuse_to_purge(ctx: click.Context, only: OnlyInCache, counts: dict[str, object], *, as_json: bool) -> NoReturn:
    """End the command before anything is removed, with an error that counts the sessions that exist only in the cache
    and the indexes that cannot be read.
    """
    reasons = []
    if only.sessions:
        reasons.append(f"{counted(only.sessions, 'session', 'sessions')} in the cache can be found nowhere else")
    if only.unreadable:
        count = counted(len(only.unreadable), "index", "indexes")
        reasons.append(f"{count} cannot be read and may keep sessions that are nowhere else")
    message = f"nothing was removed: {', and '.join(reasons)}; --kept removes them as well"
    if as_json:
        print_json({**error_to_dict(message), **counts})
        ctx.exit(USAGE)
    fail(message, USAGE, as_json=False)
