"""The option --history, and a Recall over the histories that it names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions, cache_options, not_empty, stored_cache_options
from recall_rank.frontends.cli.options.completions import complete_histories
from recall_rank.frontends.cli.options.named_sources import named_sources
from recall_rank.frontends.cli.output.console import NO_HISTORY, USAGE, fail, progress_on_stderr, say
from recall_rank.frontends.cli.output.display import is_quiet
from recall_rank.frontends.display_text import one_line

if TYPE_CHECKING:
    from recall_rank.model import Context, SourceReport
    from recall_rank.recall import Recall

NO_STORES = """no agent history was found on this machine.
Point to one with --history PATH, or try the history that ships with this program:
  recall-rank demo "rate limit\""""


def history_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --history, which is repeatable, and the options of the cache to a command."""
    return _history(cache_options(command))


def stored_history_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --history and the options of the cache to a command that has nothing to do without a cache on disk."""
    return _history(stored_cache_options(command))


def _history(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--history",
        "histories",
        callback=not_empty,
        multiple=True,
        metavar="PATH",
        shell_complete=complete_histories,
        help="A history file, a folder with stores, an agent's name, or demo; repeatable. Default: all found here.",
    )(command)


def open_recall(
    histories: Sequence[str],
    *,
    as_json: bool = False,
    context: Context | None = None,
    cached: bool = True,
    may_be_none: bool = False,
    embedder: str | None = None,
) -> Recall:
    """Return a Recall over the given histories, or over all stores of this machine when none is given.

    Ends the command when there is none, unless `may_be_none` is true. The index is kept in the cache that the options
    of the command or the settings name, or in memory when `cached` is false. `embedder` is used in place of that of the
    settings. Raises ValueError when it is the name of none.
    """
    from recall_rank.recall import Recall
    from recall_rank.semantic.adapters.choose import open_embedder

    try:
        chosen = CacheOptions.given()
    except ValueError as error:
        fail(str(error), USAGE, as_json=as_json)
    if not cached:
        chosen = chosen.in_memory()
    elif chosen.problem is not None and not is_quiet():
        say(f"recall-rank: {one_line(chosen.problem)}; the index is made anew each time", err=True)
    named = embedder or chosen.embedder
    model = None if named is None else open_embedder(named)
    try:
        if histories:
            return Recall(
                named_sources(histories),
                chosen.cache,
                context,
                ignore=chosen.ignore,
                keep_vanished=chosen.keep_vanished,
                vocabulary=True,
                embedder=model,
            )
        recall = Recall.discover(
            chosen.cache, context, ignore=chosen.ignore, keep_vanished=chosen.keep_vanished, embedder=model
        )
    except ValueError as error:  # a history that is none, a cache in a store, limits that are none
        fail(str(error), USAGE, as_json=as_json)
    if not recall.found and not may_be_none:
        place = chosen.folder()
        if place is not None:
            from recall_rank.histories.removal.orphans import remove_orphans

            remove_orphans(place)
        fail(NO_STORES, NO_HISTORY, as_json=as_json)
    return recall


def read_with_progress(recall: Recall, *, index: bool = True) -> list[SourceReport]:
    """Read and index the histories, with progress bars on stderr; return a report on each source.

    With `index` false they are read only.
    """
    with progress_on_stderr() as progress:
        return recall.prepare(progress) if index else recall.sources(progress)


def finish_refresh(recall: Recall, stale_ms: int) -> None:
    """Wait for a refresh in the background, after the answer was printed; a terminal shows a message about it.

    `stale_ms` is the age of the index that answered.
    """
    if recall.wait(0):
        return
    sys.stdout.flush()
    if sys.stderr.isatty() and not is_quiet():
        say(f"this is the index of {stale_ms / 1000:,.0f} s ago; what is newer is being read now", err=True)
    recall.wait()
