"""Warnings of an answer about the files and stores that a search could not read, or only in part."""

from __future__ import annotations

from collections.abc import Iterable

from recall_rank.frontends.tools.warnings import MAX_WARNINGS, Warnings
from recall_rank.histories.source_reports import note_on_sources
from recall_rank.model import SearchResponse, SourceReport


def warn_of_response(response: SearchResponse, warnings: Warnings) -> bool:
    """Add to `warnings` those of a response, and one for each file or store that has damage. Returns whether results
    may be missing, because the time budget ended the search or the histories were not yet read completely.
    """
    coverage = response.coverage
    warn_of_sources(coverage.per_source, warnings)
    others = any(report.warnings for report in coverage.per_source)
    counted = () if others else (note_on_sources(coverage.per_source),)  # damaged records were told file by file above
    for text in response.warnings:
        if text not in counted:
            warnings.add("source", text)
    if response.degrade_kind == "time":
        warnings.add("partial", "the time budget ended the search: there may be more, and better ones")
    return response.degrade_kind == "time" or "first_reading" in coverage.limited_by


def warn_of_sources(reports: Iterable[SourceReport], warnings: Warnings) -> None:
    """Add one warning for each file or store that could not be read, or only in part."""
    problems: dict[str, str] = {}
    for report in reports:
        for failure in report.failures:
            problems.setdefault(failure.location, str(failure))
        for record in report.malformed:
            problems.setdefault(record.location, f"{record.location}: {record.place}: {record.reason}")
    told = list(problems.values())
    most = MAX_WARNINGS - 1
    for text in told[:most]:
        warnings.add("source", text)
    if len(told) > most:
        warnings.add("source", f"{len(told) - most} more files or stores have damaged records: see recall-rank sources")
