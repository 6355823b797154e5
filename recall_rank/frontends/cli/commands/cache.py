"""The commands that manage the cache: `refresh`, `forget` and `purge`."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions, cache_options
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.output.console import (
    ALL_SOURCES_FAILED,
    HITS,
    NO_HITS,
    USAGE,
    every_source_failed,
    fail,
    note_line,
    print_json,
    print_lines,
    progress_on_stderr,
)
from recall_rank.frontends.display_text import one_line


@click.command(name="refresh")
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print what changed as one line of JSON.")
@click.pass_context
def refresh(ctx: click.Context, histories: tuple[str, ...], as_json: bool) -> None:
    """Read what changed since the last time, so that searches find it at once. Searches do so by themselves, too."""
    with open_recall(histories, as_json=as_json) as recall, progress_on_stderr() as progress:
        report = recall.refresh(progress)
        notes = recall.notes()
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
    if every_source_failed(report.sources):
        ctx.exit(ALL_SOURCES_FAILED)
    ctx.exit(HITS if any(each.sessions or each.kept for each in report.sources) else NO_HITS)


@click.command(name="forget")
@click.argument("session")
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one line of JSON.")
@click.pass_context
def forget(ctx: click.Context, session: str, histories: tuple[str, ...], as_json: bool) -> None:
    """Forget SESSION, an id or a beginning of one: its words leave the cache, and no search finds it again.

    The history it is in stays as it is. `purge --forgotten` takes it back.
    """
    from recall_rank.histories.cache.forgotten import forget as forget_session
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
        forget_session(place, found)
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


@click.command(name="purge")
@cache_options
@click.option("--forgotten", is_flag=True, help="Also forget what was to be forgotten: those sessions are read again.")
@click.option("--json", "as_json", is_flag=True, help="Print what was removed as one line of JSON.")
@click.pass_context
def purge(ctx: click.Context, forgotten: bool, as_json: bool) -> None:
    """Remove every index in the cache. Histories stay as they are; the next search reads them again.

    Sessions that were kept after their agent deleted them are gone then. Files that are not ours stay.
    """
    from recall_rank.histories.cache.purge import purge as purge_cache

    try:
        place = CacheOptions.given().folder()
        if place is None:
            fail("there is no cache to purge", USAGE, as_json=as_json)
        done = purge_cache(place, everything=forgotten)
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
