"""Warnings of an answer about a search: files and stores that it could not read, or only in part; synonyms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from recall_rank.frontends.display_text import synonyms_text
from recall_rank.frontends.tools.warnings import MAX_WARNINGS, Warnings
from recall_rank.histories.source_reports import note_on_sources
from recall_rank.model import SearchResponse, Session, SourceReport, Unread

_ON_QUERY: Final = ("the query has ", "only the first ")  # how warnings begin that tell of nothing but the query


def places_of_prefix(sessions: Iterable[Session], prefix: str) -> frozenset[str] | None:
    """Return the files and databases of which every session has an id that begins with `prefix`; None, which stands for
    all places, without a prefix.
    """
    if not prefix:
        return None
    own: set[str] = set()
    others: set[str] = set()
    for session in sessions:
        (own if session.id.startswith(prefix) else others).update(session.places)
    return frozenset(own - others)


def warn_of_response(
    response: SearchResponse, warnings: Warnings, places: Collection[str] | None = None, *, read: Collection[str] = ()
) -> bool:
    """Add to `warnings` those of a response, those of warn_of_sources(), and the synonyms that were searched.

    Returns whether results may be missing, because the time budget ended the search or the histories were not yet read
    completely.

    With `places`, nothing is told that may name or count other places: of the warnings of the response, those on the
    query alone.
    """
    coverage = response.coverage
    still_reading = coverage.unread is not None
    warn_of_sources(coverage.per_source, warnings, places, read=read)
    counted = note_on_sources(coverage.per_source)
    warnings.add_unread(None if coverage.unread is None else coverage.unread if places is None else Unread())
    for text in response.warnings:
        if text.startswith(_ON_QUERY) if places is not None else text not in (counted, str(coverage.unread)):
            warnings.add("source", text)
    if response.synonyms:
        warnings.add("synonyms", f"also searched, by the user's vocabulary: {synonyms_text(response.synonyms)}")
    notes = note_on_sources([replace(report, malformed=()) for report in coverage.per_source])
    if notes is not None and places is None:
        warnings.add("source", notes)  # without the damaged records, which were told file by file above
    if response.degrade_kind == "time":
        warnings.add("partial", "the time budget ended the search: there may be more, and better ones")
    return response.degrade_kind == "time" or still_reading


def warn_of_sources(
    reports: Iterable[SourceReport],
    warnings: Warnings,
    places: Collection[str] | None = None,
    *,
    read: Collection[str] = (),
) -> None:
    """Add a warning for each file or store that could not be read, or only in part, and for those beyond the first few
    one with their number. With `places`, only these are told of; `read` are files that have a warning already.
    """
    untold = {location: text for location, text in _problems(reports).items() if location not in read}
    told = [text for location, text in untold.items() if places is None or location in places]
    most = MAX_WARNINGS - 1
    for text in told[:most]:
        warnings.add("source", text)
    if len(told) > most:
        warnings.add("source", _more(len(told) - most))


def others_than_sources(texts: Iterable[str], reports: Sequence[SourceReport]) -> list[str]:
    """Return the warnings of an answer other than those that warn_of_response() and warn_of_sources() add about the
    files and stores of `reports`.
    """
    problems = _problems(reports)
    told = {*problems.values(), *map(_more, range(1, len(problems) + 1))}
    told.add(note_on_sources(reports) or "")
    told.add(note_on_sources([replace(report, malformed=()) for report in reports]) or "")
    return [text for text in texts if text not in told]


def _problems(reports: Iterable[SourceReport]) -> dict[str, str]:
    """Return the first problem of each file or store, by its place."""
    problems: dict[str, str] = {}
    for report in reports:
        for failure in report.failures:
            problems.setdefault(failure.location, str(failure))
        for record in report.malformed:
            problems.setdefault(record.location, f"{record.location}: {record.place}: {record.reason}")
    return problems


def _more(count: int) -> str:
    what = "1 more file or store has" if count == 1 else f"{count} more files or stores have"
    return f"{what} damaged records: see recall-rank sources"
