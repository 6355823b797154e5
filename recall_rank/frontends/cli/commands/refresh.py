"""`recall-rank refresh`: bring the cache up to the histories now, and say what changed."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.options.histories import history_option, open_recall
from recall_rank.frontends.cli.output.outcome import ALL_SOURCES_FAILED, HITS, NO_HITS, every_source_failed, print_json
from recall_rank.frontends.cli.output.progress import progress_on_stderr
from recall_rank.frontends.cli.output.terminal import one_line


@click.command(name="refresh")
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print what changed as one line of JSON.")
@click.pass_context
def command(ctx: click.Context, histories: tuple[str, ...], as_json: bool) -> None:
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
        from recall_rank.frontends.cli.output.paint import paint

        sessions = sum(each.sessions + each.kept for each in report.sources)
        done = f"{report.indexed:,} of {sessions:,} sessions indexed, {report.removed:,} gone"
        line = (
            f"{done if report.changed else f'nothing changed, {sessions:,} sessions'}, in {report.elapsed_ms:,.0f} ms"
        )
        paint([[(line, "")], *([("note: ", "yellow"), (one_line(note), "")] for note in notes)])
    if every_source_failed(report.sources):
        ctx.exit(ALL_SOURCES_FAILED)
    ctx.exit(HITS if any(each.sessions or each.kept for each in report.sources) else NO_HITS)
