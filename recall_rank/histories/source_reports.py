"""Add the errors and warnings of reading the sources to a search response."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from recall_rank.histories.backend import Snapshot
from recall_rank.model import Flag, SearchResponse, SourceReport, Unread
from recall_rank.model.response import NOT_READ_YET


def as_of(response: SearchResponse, answering: Snapshot) -> SearchResponse:
    """Return the response with the age of the index and with the notes and source reports of the snapshot `answering`.
    Results whose session its source no longer has are flagged.
    """
    told = with_reports(response, answering.reports)
    coverage = told.coverage
    if answering.checked is not None:
        coverage = replace(coverage, stale_ms=max(0, int((time.time() - answering.checked) * 1000)))
    warnings = (*answering.notes, *told.warnings)
    if answering.unread is not None:
        coverage = replace(coverage, limited_by=(*coverage.limited_by, NOT_READ_YET), unread=answering.unread)
        warnings = (answering.reading or str(answering.unread), *warnings)
        told = _without_denials(told, answering.unread, sum(report.bytes for report in answering.reports))
    results = told.results
    if answering.missing:
        results = tuple(
            replace(hit, flags=hit.flags | Flag.SOURCE_MISSING)
            if (hit.history, hit.session_id) in answering.missing
            else hit
            for hit in results
        )
    return replace(told, results=results, coverage=coverage, warnings=warnings)


def _without_denials(response: SearchResponse, unread: Unread, size: int) -> SearchResponse:
    """Return a response without what only a search of everything could state: that nobody wrote a word, that nothing
    is near it, how many hits there are, and that the best one is the right one, whose chance counts for the
    `size` bytes that were read. All suggestions and near misses of the engine state such.
    """
    read = size / (size + unread.bytes) if unread.bytes and size else 1.0
    return replace(response, total_exact=False, suggestions=(), near_misses=(), answerable=response.answerable * read)


def denies(response: SearchResponse) -> bool:
    """Return whether a response states that something is not there: any hit, or a word of the query."""
    return not response.results or any(
        getattr(each, "category", "") in ("words_repaired", "words_unknown") for each in response.suggestions
    )


def with_reports(response: SearchResponse, reports: Sequence[SourceReport]) -> SearchResponse:
    """Return the response with the errors of `reports` placed before its own, and with one warning that counts the
    warnings and damaged records in the reports; the reports themselves are in its coverage.
    """
    errors = [f"{report.agent}: {error}" for report in reports for error in report.errors]
    note = note_on_sources(reports)
    coverage = replace(response.coverage, per_source=tuple(reports))
    if errors and "load_error" not in coverage.limited_by:
        coverage = replace(coverage, limited_by=(*coverage.limited_by, "load_error"))
    return replace(
        response,
        coverage=coverage,
        load_errors=(*errors, *response.load_errors),
        warnings=response.warnings if note is None else (*response.warnings, note),
    )


def note_on_sources(reports: Sequence[SourceReport], command: str = "recall-rank sources") -> str | None:
    """Return a sentence with the number of notes on the sources, their warnings and damaged records, and the command
    that tells them; None when there are none.
    """
    notes = sum(len(report.warnings) + bool(report.malformed) for report in reports)
    return f"{notes} {'note' if notes == 1 else 'notes'} about sources: see {command}" if notes else None
