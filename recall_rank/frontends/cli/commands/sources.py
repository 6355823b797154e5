"""`recall-rank sources`: what each store on this machine holds, and what in it could not be read."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.output.ages import age
from recall_rank.frontends.cli.output.outcome import ALL_SOURCES_FAILED, HITS, NO_HITS, every_source_failed, print_json
from recall_rank.frontends.cli.output.terminal import one_line

if TYPE_CHECKING:
    from recall_rank.frontends.cli.output.human import Line
    from recall_rank.model import SourceReport


@click.command(name="sources")
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print the list as one line of JSON.")
@click.option("--verbose", "-v", is_flag=True, help="List every malformed record with its place and reason.")
@click.pass_context
def command(ctx: click.Context, histories: tuple[str, ...], as_json: bool, verbose: bool) -> None:
    """List the histories that are searched: how much they hold, how new they are, what could not be read."""
    with open_recall(histories, as_json=as_json) as recall:
        reports = read_with_progress(recall, index=False)
        checked, place = recall.checked, recall.folder
    if as_json:
        from recall_rank.model.serialize import source_to_dict

        answer: dict[str, Any] = {"ok": True, "sources": [source_to_dict(each, verbose=verbose) for each in reports]}
        if place is not None and checked is not None:
            answer["cache"] = {"folder": str(place), "refreshed": int(checked * 1000)}
        print_json(answer)
    else:
        from recall_rank.frontends.cli.output.paint import paint

        now = int(time.time() * 1000)
        paint(_table(reports, now))
        if place is not None and checked is not None:
            paint([[(f"last refreshed {age(int(checked * 1000), now)}, kept in {one_line(str(place))}", "dim")]])
        paint(line for report in reports for line in _problems(report, verbose))
    if every_source_failed(reports):
        ctx.exit(ALL_SOURCES_FAILED)
    ctx.exit(HITS if any(report.sessions or report.kept for report in reports) else NO_HITS)


def _table(reports: Sequence[SourceReport], now: int) -> Iterator[Line]:
    header = ("agent", "sessions", "messages", "parts", "size", "malformed", "newest", "location")
    rows = [header, *(_row(report, now) for report in reports)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    for row in rows:
        cells = (
            cell.rjust(width) if 1 <= column <= 5 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield [("  ".join(cells).rstrip(), "bold" if row is header else "")]


def _row(report: SourceReport, now: int) -> tuple[str, ...]:
    return (
        one_line(report.agent),
        f"{report.sessions:,}",
        f"{report.messages:,}",
        f"{report.parts:,}",
        _size(report.bytes),
        f"{len(report.malformed):,}",
        age(report.newest, now) if report.newest else "-",
        one_line(report.location),
    )


def _problems(report: SourceReport, verbose: bool) -> Iterator[Line]:
    if report.kept:
        gone = "1 session is" if report.kept == 1 else f"{report.kept:,} sessions are"
        yield [("note: ", "yellow"), (one_line(f"{report.agent}: {gone} gone at the source and kept in the cache"), "")]
    for error in report.errors:
        yield [("not read: ", "red"), (one_line(f"{report.agent}: {error}"), "")]
    for warning in report.warnings:
        yield [("note: ", "yellow"), (one_line(f"{report.agent}: {warning}"), "")]
    if verbose:
        for record in report.malformed:
            yield [("malformed: ", "yellow"), (one_line(f"{record.location}, {record.place}: {record.reason}"), "")]
    elif report.malformed:
        yield [("note: ", "yellow"), (one_line(f"{report.agent}: --verbose lists the malformed records"), "")]


def _size(count: int) -> str:
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
