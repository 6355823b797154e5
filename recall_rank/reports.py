"""What reading the sources had to say, joined with what a search has to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from recall_rank.model import SearchResponse, SourceReport

MAX_WARNINGS_PER_SOURCE = 3  # an answer names the problem; `sources` lists every case


def with_reports(response: SearchResponse, reports: Sequence[SourceReport]) -> SearchResponse:
    """The response with what loading had to say put before what searching had to say."""
    errors = [f"{report.agent}: {error}" for report in reports for error in report.errors]
    warnings = [warning for report in reports for warning in _remarks(report)]
    coverage = replace(response.coverage, per_source=tuple(reports))
    if errors and "load_error" not in coverage.limited_by:
        coverage = replace(coverage, limited_by=(*coverage.limited_by, "load_error"))
    return replace(
        response,
        coverage=coverage,
        load_errors=(*errors, *response.load_errors),
        warnings=(*warnings, *response.warnings),
    )


def _remarks(report: SourceReport) -> Iterator[str]:
    for warning in report.warnings[:MAX_WARNINGS_PER_SOURCE]:
        yield f"{report.agent}: {warning}"
    more = len(report.warnings) - MAX_WARNINGS_PER_SOURCE
    if more > 0:
        yield f"{report.agent}: {more} more warnings while reading {report.location}"
    bad = len(report.malformed)
    if bad:
        yield f"{report.agent}: {bad} malformed {'record' if bad == 1 else 'records'} skipped in {report.location}"
