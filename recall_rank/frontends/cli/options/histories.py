"""From the command line's --history to a Recall: what is searched, and where "here" is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions, cache_options, not_empty
from recall_rank.frontends.cli.output.outcome import NO_HITS, USAGE, fail
from recall_rank.frontends.cli.output.progress import progress_on_stderr

if TYPE_CHECKING:
    from recall_rank.model import Context, Reading, Source, SourceReport, Unit
    from recall_rank.recall import Recall

NO_STORES = """no agent history was found on this machine.
Point to one with --history PATH, or try the history that ships with this program:
  recall-rank demo "rate limit\""""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a source that could not be opened, so that it is reported like one that could not be read."""

    location: str
    reason: str
    name: str = "unreadable"

    def units(self) -> Iterable[Unit]:
        raise OSError(self.reason)

    def signature(self, unit: Unit) -> bytes:
        raise OSError(self.reason)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        raise OSError(self.reason)


def history_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --history, which may be given several times, and what is said about the cache."""
    return click.option(
        "--history",
        "histories",
        callback=not_empty,
        multiple=True,
        metavar="PATH",
        help="A history file, a folder with stores or an agent's name; repeatable. Default: every store found here.",
    )(cache_options(command))


def open_recall(
    histories: Sequence[str], *, as_json: bool = False, context: Context | None = None, cached: bool = True
) -> Recall:
    """The Recall over the given histories, or over all stores of this machine; ends the command when there is none.

    Its index lies in the cache that the command line or the settings name, unless `cached` is false.
    """
    from recall_rank.recall import Recall

    try:
        said = CacheOptions.given()
    except ValueError as error:
        fail(str(error), USAGE, as_json=as_json)
    cache = said.cache if cached else None
    if histories:
        sources = (source for history in histories for source in _open(history, as_json))
        return Recall(sources, cache, context, ignore=said.ignore, keep_vanished=said.keep_vanished)
    recall = Recall.discover(cache, context, ignore=said.ignore, keep_vanished=said.keep_vanished)
    if not recall.found:
        fail(NO_STORES, NO_HITS, as_json=as_json)
    return recall


def read_with_progress(recall: Recall, *, index: bool = True) -> list[SourceReport]:
    """Reads, and unless told otherwise indexes, with bars on stderr while that takes long enough to be noticed."""
    with progress_on_stderr() as progress:
        return recall.prepare(progress) if index else recall.sources(progress)


def finish_refresh(recall: Recall, stale_ms: int) -> None:
    """Lets a refresh that goes on behind an answer come to its end, once the answer is out; says so on a terminal."""
    if recall.wait(0):
        return
    sys.stdout.flush()
    if sys.stderr.isatty():
        click.echo(f"as of {stale_ms / 1000:,.0f} s ago; what is newer is being read", err=True)
    recall.wait()


def context_of_working_directory() -> Context | None:
    """The working directory as the caller's context, its repository as worktree; None when it cannot be looked at."""
    from recall_rank.model import Context

    try:
        here = Path.cwd()
        root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    except OSError:
        return None
    return Context(directory=str(here), worktree=str(root))


def _open(history: str, as_json: bool) -> Sequence[Source]:
    """Every history at a path and below it, or of an agent; a path that cannot be opened is a source that fails."""
    from recall_rank.loaders import discover, open_source, open_sources

    try:
        if Path(history).expanduser().exists():
            found = open_sources(history)
        else:
            found = [source for source in discover() if source.name == history.lower()]
        return found or [open_source(history)]  # which knows best why there is none
    except OSError as error:
        return [Unreadable(history, error.strerror or str(error))]
    except ValueError as error:
        fail(str(error), USAGE, as_json=as_json)
    except RuntimeError as error:  # ~somebody without a home
        fail(f"--history {history}: {error}", USAGE, as_json=as_json)
