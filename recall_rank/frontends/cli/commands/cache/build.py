"""The command `build`: shards of the sessions of histories, made by processes or by tasks of Ray."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions, not_empty
from recall_rank.frontends.cli.options.completions import complete_histories
from recall_rank.frontends.cli.options.named_sources import DEMO, demo_history, every_store
from recall_rank.frontends.cli.options.output_file import refuse_in_store
from recall_rank.frontends.cli.output.console import (
    HITS,
    NO_HISTORY,
    NOT_WRITTEN,
    USAGE,
    Line,
    fail,
    note_line,
    print_json,
    print_lines,
    progress_on_stderr,
)
from recall_rank.frontends.display_text import counted
from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    from recall_rank.shards.building.build import BuildReport
    from recall_rank.shards.building.task_workers import TaskWorkers


@click.command(name="build", short_help="Build shards of histories that are searched as one.")
@click.argument("sources", nargs=-1, required=True, callback=not_empty, shell_complete=complete_histories)
@click.option("--out", "-o", required=True, metavar="FOLDER", callback=not_empty, help="Where the shards are written.")
@click.option("--shards", type=click.IntRange(1, 4096), default=1, help="How many shards. Default: 1.")
@click.option(
    "--ray", "address", metavar="ADDRESS|local", help="Run the tasks on this Ray cluster, or on a new one here."
)
@click.option("--workers", type=click.IntRange(1, 512), help="Processes without --ray. Default: one a processor.")
@click.option("--json", "as_json", is_flag=True, help="Print what was built as one line of JSON.")
@click.pass_context
def build(
    ctx: click.Context,
    sources: tuple[str, ...],
    out: str,
    shards: int,
    address: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Read histories and write their sessions as shards below a folder, for `search --index FOLDER` and rr.Shards.

    SOURCES are history files, folders with stores, agents' names, or demo. With as many shards as
    the build before, a build reads again only what changed since then, and what is read together with that; so it also
    goes on after an interruption. The settings say what is ignored.
    """
    from recall_rank.histories.ignore import Ignore
    from recall_rank.index.errors import UnusableIndexError
    from recall_rank.shards.building.build import build_shards
    from recall_rank.shards.building.task_workers import WorkersLostError

    if address is not None and workers is not None:
        fail("--ray and --workers exclude each other", USAGE, as_json=as_json)
    places = [str(demo_history()) if source == DEMO else source for source in sources]
    refuse_in_store(Path(out).expanduser(), every_store(places))
    try:
        ignore = CacheOptions.known().in_memory().ignore or Ignore()
        with closing(_workers(address, workers)) as running, progress_on_stderr() as progress:
            report = build_shards(places, out, shards, running, ignore=ignore, progress=progress)
    except FileNotFoundError as error:
        fail(error_text(error), NOT_WRITTEN if _is_below(error.filename, out) else NO_HISTORY, as_json=as_json)
    except ConnectionError as error:
        fail(error_text(error), USAGE, as_json=as_json)
    except (OSError, UnusableIndexError, WorkersLostError) as error:
        fail(error_text(error), NOT_WRITTEN, as_json=as_json)
    except (ValueError, RuntimeError) as error:
        fail(str(error), USAGE, as_json=as_json)
    if as_json:
        print_json(_told(report))
    else:
        print_lines(_lines(report, out))
    ctx.exit(NO_HISTORY if report.failures and not report.sessions else HITS)


def _is_below(path: object, folder: str) -> bool:
    """Return whether a path that an error names is a folder or lies in it."""
    place = Path(folder).expanduser().absolute()
    return isinstance(path, str) and place in (Path(path), *Path(path).parents)


def _workers(address: str | None, count: int | None) -> TaskWorkers:
    from recall_rank.shards.building.task_workers import ProcessWorkers, RayWorkers

    return ProcessWorkers(count or os.cpu_count() or 1) if address is None else RayWorkers(address)


def _told(report: BuildReport) -> dict[str, object]:
    return {
        "ok": True,
        "shards": [
            {"name": each.name, "folder": each.folder, "sessions": each.sessions, "parts": each.parts}
            for each in report.shards
        ],
        "sessions": report.sessions,
        "read": report.read,
        "reused": report.reused,
        "linked": report.linked,
        "merged": report.merged,
        "malformed": report.malformed,
        "errors": [str(each) for each in report.failures],
        "elapsed_ms": report.elapsed_ms,
    }


def _lines(report: BuildReport, out: str) -> list[Line]:
    shards = counted(len(report.shards), "shard", "shards")
    units = f"{counted(report.read, 'unit', 'units')} read, {report.reused:,} as before"
    lines: list[Line] = [
        [(f"{counted(report.sessions, 'session', 'sessions')} in {shards} below {out}", "")],
        [(f"{units}, in {report.elapsed_ms:,.0f} ms", "")],
    ]
    if report.malformed:
        lines.append(note_line(f"{counted(report.malformed, 'record', 'records')} could not be read"))
    return [*lines, *(note_line(f"not read: {each}") for each in report.failures)]
