"""The command `refresh`: read what changed in the histories."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.options.histories import open_recall, stored_history_option
from recall_rank.frontends.cli.output.console import (
    fail_without_history,
    note_line,
    print_json,
    print_lines,
    progress_on_stderr,
)
from recall_rank.frontends.display_text import counted


@click.command(name="refresh", short_help="Read what changed in the histories since the last time.")
@stored_history_option
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
        known = counted(sessions, "session", "sessions")
        done = f"{report.indexed:,} of {known} indexed, {report.removed:,} gone"
        line = f"{done if report.changed else f'nothing changed, {known}'}, in {report.elapsed_ms:,.0f} ms"
        print_lines([[(line, "")], *map(note_line, notes)])
