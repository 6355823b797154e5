"""Add the errors and warnings of reading the sources to a search response."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from recall_rank.histories.backend import Snapshot
from recall_rank.model import Flag, SearchResponse, SourceReport

MAX_WARNINGS_PER_SOURCE = 3  # an answer names the problem; `sources` lists every case


def as_of(response: SearchResponse, answering: Snapshot) -> SearchResponse:
    """The response with the age, notes and source reports of the snapshot `answering`, and with a flag on each
    result whose session its source no longer has.
    """
    told = with_reports(response, answering.reports)
    coverage = told.coverage
    if answering.checked is not None:
        coverage = replace(coverage, stale_ms=max(0, int((time.time() - answering.checked) * 1000)))
    warnings = (*answering.notes, *told.warnings)
    if answering.reading is not None:
        coverage = replace(coverage, limited_by=(*coverage.limited_by, "first_reading"))
        warnings = (answering.reading, *warnings)
    results = told.results
    if answering.missing:
        results = tuple(
            replace(hit, flags=hit.flags | Flag.SOURCE_MISSING)
            if (hit.history, hit.session_id) in answering.missing
            else hit
            for hit in results
        )
    return replace(told, results=results, coverage=coverage, warnings=warnings)


def with_reports(response: SearchResponse, reports: Sequence[SourceReport]) -> SearchResponse:
    """The response with the errors and warnings from `reports` placed before its own."""
    errors = [f"{report.agent}: {error}" for report in reports for error in report.errors]
    warnings = [warning for report in reports for warning in remarks(report)]
    coverage = replace(response.coverage, per_source=tuple(reports))
    if errors and "load_error" not in coverage.limited_by:
        coverage = replace(coverage, limited_by=(*coverage.limited_by, "load_error"))
    return replace(
        response,
        coverage=coverage,
        load_errors=(*errors, *response.load_errors),
        warnings=(*warnings, *response.warnings),
    )


def remarks(report: SourceReport) -> Iterator[str]:
    """Yield the warnings about one source: at most three of its own, then one line each with the counts of further
    warnings and of malformed records.
    """
    for warning in report.warnings[:MAX_WARNINGS_PER_SOURCE]:
        yield f"{report.agent}: {warning}"
    more = len(report.warnings) - MAX_WARNINGS_PER_SOURCE
    if more > 0:
        yield f"{report.agent}: {more} more warnings while reading {report.location}"
    bad = len(report.malformed)
    if bad:
        yield f"{report.agent}: {bad} malformed {'record' if bad == 1 else 'records'} skipped in {report.location}"
