"""The commands that manage the cache: `refresh`, `forget` and `purge`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions, cache_options
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.output.console import (
    HITS,
    NOT_THERE,
    NOT_WRITTEN,
    USAGE,
    fail,
    fail_without_history,
    note_line,
    print_json,
    print_lines,
    progress_on_stderr,
)
from recall_rank.frontends.display_text import one_line
from recall_rank.model.serialize import error_to_dict

if TYPE_CHECKING:
    from recall_rank.histories.removal.kept import OnlyInCache
    from recall_rank.model import Session


@click.command(name="refresh")
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print what changed as one line of JSON.")
def refresh(histories: tuple[str, ...], as_json: bool) -> None:
    """Read what changed since the last time, so that searches find it at once. Searches do so by themselves, too."""
    with open_recall(histories, as_json=as_json) as recall, progress_on_stderr() as progress:
        report = recall.refresh(progress)
        notes = recall.notes()
    fail_without_history(report.sources, as_json=as_json)
    if as_json:
        from recall_rank.model.serialize import source_to_dict

        print_json(
            {
                "ok": True,
                "changed": report.changed,
                "units": report.units,
                "indexed": report.indexed,
                "removed": report.removed,
                "elapsed_ms": report.elapsed_ms,
                "cpu_ms": report.cpu_ms,
                "warnings": list(notes),
                "sources": [source_to_dict(each, verbose=False) for each in report.sources],
            }
        )
    else:
        sessions = sum(each.sessions + each.kept for each in report.sources)
        done = f"{report.indexed:,} of {sessions:,} sessions indexed, {report.removed:,} gone"
        line = (
            f"{done if report.changed else f'nothing changed, {sessions:,} sessions'}, in {report.elapsed_ms:,.0f} ms"
        )
        print_lines([[(line, "")], *map(note_line, notes)])


@click.command(name="forget")
@click.argument("session")
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one line of JSON.")
@click.pass_context
def forget(ctx: click.Context, session: str, histories: tuple[str, ...], as_json: bool) -> None:
    """Forget SESSION, an id or a beginning of one: its words leave the cache, and no search finds it again. What
    `compact` kept of it goes, too.

    The history it is in stays as it is. `purge --forgotten` takes it back.
    """
    from recall_rank.histories.records.forgotten import forget as forget_session
    from recall_rank.histories.removal.withdraw import withdraw

    try:
        place = CacheOptions.given().folder()
    except ValueError as error:
        fail(str(error), USAGE, as_json=as_json)
    if place is None:
        fail("without a cache nothing can be forgotten: see --cache", USAGE, as_json=as_json)
    with open_recall(histories, as_json=as_json) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=as_json)
        try:
            forgotten = recall.session(session)
        except LookupError as error:
            fail(str(error), NOT_THERE, as_json=as_json)
    found = forgotten.id
    try:
        forget_session(place, found)
    except (OSError, ValueError) as error:
        fail(f"{found} was not forgotten: {error}", NOT_WRITTEN, as_json=as_json)
    try:
        taken = withdraw(place)
    except OSError as error:
        fail(f"{found} is not read again, but some of it is still in the cache: {error}", NOT_WRITTEN, as_json=as_json)
    try:
        _empty_contexts(forgotten)
    except OSError as error:
        fail(f"{found} is not read again, but a project still quotes it: {error}", NOT_WRITTEN, as_json=as_json)
    with open_recall(histories, as_json=as_json) as recall, progress_on_stderr() as progress:
        recall.refresh(progress)
        others = [str(path) for path in taken.rewritten if path != recall.folder]
    removed = [str(path) for path in taken.removed]
    if as_json:
        print_json({"ok": True, "session_id": found, "others": others, "removed": removed})
    else:
        click.echo(f"forgotten: {one_line(found)}")
        if others:
            click.echo(f"taken out of {_counted(len(others), 'other index', 'other indexes')} in the cache", err=True)
        for path in removed:
            click.echo(f"removed, since it could not be read: {one_line(path)}", err=True)
    ctx.exit(HITS)


def _empty_contexts(session: Session) -> None:
    """Empty the file of `recall-rank compact` in every project where it holds the session. Raises OSError."""
    from recall_rank.frontends.compaction.context_file import empty_contexts_of
    from recall_rank.frontends.compaction.records import recorded_projects

    folders = [Path(os.path.realpath(folder)) for folder in (session.directory, session.worktree) if folder]
    empty_contexts_of(session.id, [*recorded_projects(), *folders])


@click.command(name="purge")
@cache_options
@click.option("--forgotten", is_flag=True, help="Also forget what was to be forgotten: those sessions are read again.")
@click.option("--kept", is_flag=True, help="Also remove sessions that are nowhere else: their agent deleted them.")
@click.option("--json", "as_json", is_flag=True, help="Print what was removed as one line of JSON.")
@click.pass_context
def purge(ctx: click.Context, forgotten: bool, kept: bool, as_json: bool) -> None:
    """Remove every index in the cache, and what `compact` keeps there. Histories stay as they are; the next search
    reads them again.

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
    except (OSError, ValueError) as error:
        fail(str(error), USAGE, as_json=as_json)
    if as_json:
        print_json({"ok": True, "files": done.files, "bytes": done.bytes, "left": done.left, **counts})
    else:
        what = f"{done.files:,} files removed, {done.bytes:,} bytes"
        gone = (
            f"; with them {_counted(only.sessions, 'session', 'sessions')} that no history has any more"
            if only.sessions
            else ""
        )
        click.echo(f"{what}{gone}" if done.files else "there was nothing to remove")
        for path in done.left:
            click.echo(f"left: {one_line(path)}", err=True)
    ctx.exit(HITS)


def _refuse_to_purge(ctx: click.Context, only: OnlyInCache, counts: dict[str, object], *, as_json: bool) -> NoReturn:
    """End the command before anything is removed, with an error that counts the sessions that exist only in the cache
    and the indexes that cannot be read.
    """
    reasons = []
    if only.sessions:
        reasons.append(f"{_counted(only.sessions, 'session', 'sessions')} in the cache can be found nowhere else")
    if only.unreadable:
        count = _counted(len(only.unreadable), "index", "indexes")
        reasons.append(f"{count} cannot be read and may keep sessions that are nowhere else")
    message = f"nothing was removed: {', and '.join(reasons)}; --kept removes them as well"
    if as_json:
        print_json({**error_to_dict(message), **counts})
        ctx.exit(USAGE)
    fail(message, USAGE, as_json=False)


def _counted(number: int, one: str, many: str) -> str:
    """Return a number with the noun in its form for that number."""
    return f"{number:,} {one if number == 1 else many}"
