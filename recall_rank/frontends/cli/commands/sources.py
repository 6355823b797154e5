"""The command `sources`: list the histories that are searched, and their records that could not be read."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from recall_rank.frontends.cli.options.display_options import display_options
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.output.console import (
    Line,
    note_line,
    print_json,
    status_of,
)
from recall_rank.frontends.cli.output.display import Display, given_display
from recall_rank.frontends.cli.output.render import show
from recall_rank.frontends.cli.output.tables import table_lines
from recall_rank.frontends.display_text import age, counted, one_line

if TYPE_CHECKING:
    from recall_rank.model import SourceReport

_COLUMNS: Final = ("agent", "sessions", "messages", "parts", "size", "malformed", "newest", "location")
_MOST_RECORDS: Final = 20  # malformed records of a source that are listed
_RIGHT: Final = range(1, 6)  # columns of numbers


@click.command(name="sources", short_help="List the histories that are searched.")
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print the list as one line of JSON.")
@click.option("--verbose", "-v", is_flag=True, help="List malformed records with place and reason.")
@redact_option
@display_options
@click.pass_context
def sources(ctx: click.Context, histories: tuple[str, ...], as_json: bool, verbose: bool, redact: bool) -> None:
    """List the histories that are searched: how much they hold, how new they are, what could not be read."""
    with open_recall(histories, as_json=as_json) as recall:
        reports = read_with_progress(recall, index=False)
        checked, place = recall.checked, recall.folder
    if redact:
        from recall_rank.frontends.redaction.redacted_answers import report_without_secrets

        reports = [report_without_secrets(each) for each in reports]
    if as_json:
        from recall_rank.model.serialize import source_to_dict

        answer: dict[str, Any] = {"ok": True, "sources": [source_to_dict(each, verbose=verbose) for each in reports]}
        if place is not None and checked is not None:
            answer["cache"] = {"folder": str(place), "refreshed": int(checked * 1000)}
        print_json(answer)
    else:
        now = int(time.time() * 1000)
        display = given_display(sys.stdout)
        rows = [_COLUMNS, *(_row(report, now, display) for report in reports)]
        lines = [*table_lines(rows, _RIGHT, "bold", display.columns)]
        if place is not None and checked is not None:
            kept = one_line(display.path(str(place)))
            lines.append([(f"last refreshed {age(int(checked * 1000), now)}, kept in {kept}", "dim")])
        lines += [line for report in reports for line in _problems(report, verbose)]
        show(lines, display)
    ctx.exit(status_of(reports))


def _row(report: SourceReport, now: int, display: Display) -> tuple[str, ...]:
    return (
        one_line(report.agent),
        f"{report.sessions:,}",
        f"{report.messages:,}",
        f"{report.parts:,}",
        _size(report.bytes),
        f"{report.malformed_count:,}",
        age(report.newest, now) if report.newest else "-",
        one_line(display.path(report.location)),
    )


def _problems(report: SourceReport, verbose: bool) -> Iterator[Line]:
    """Yield the errors and warnings of a source, and with `verbose` its malformed records."""
    if report.kept:
        gone = "1 session is" if report.kept == 1 else f"{report.kept:,} sessions are"
        yield note_line(f"{report.agent}: {gone} gone at the source and kept in the cache")
    for error in report.errors:
        yield [("not read: ", "red"), (one_line(f"{report.agent}: {error}"), "")]
    for warning in report.warnings:
        yield note_line(f"{report.agent}: {warning}")
    if verbose:
        for record in report.malformed[:_MOST_RECORDS]:
            more = f" ({record.count:,} records)" if record.count > 1 else ""
            place = f"{record.location}, {record.place}" if record.location else record.place
            yield [("malformed: ", "yellow"), (one_line(f"{place}: {record.reason}{more}"), "")]
        left = sum(record.count for record in report.malformed[_MOST_RECORDS:])
        if left:
            records = counted(left, "more malformed record", "more malformed records")
            yield note_line(f"{report.agent}: {records}; --json --verbose lists all")
    elif report.malformed:
        yield note_line(f"{report.agent}: --verbose lists the malformed records")


def _size(count: int) -> str:
    """Return a number of bytes as text, in the largest unit that gives at least 1."""
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
