"""The answer of the tool `recall`: a SearchResponse as JSON values in the format of opencode-session-recall.

Fields that do not apply to a match mode, such as scores of literal hits, are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from recall_rank.frontends.tools.recall_request import RecallRequest
from recall_rank.model import Result, SearchResponse
from recall_rank.model.project_scope import DIRECTORY_BUCKETS
from recall_rank.model.serialize import repaired

MAX_LOAD_ERRORS: Final = 5
# reasons for which a session is not of the scope at all
_OUTSIDE: Final = ("session_id", "scope", "project", "agent", "title", "excluded")
_RANKED: Final = ("score", "stage", "match_mode", "matched_terms", "explain", "match_reasons")
_REPLACED: Final = ("warnings", "suggestions", "near_misses", "load_errors", "load_error_count")


def shaped(request: RecallRequest, response: SearchResponse, *, fallback: bool) -> dict[str, Any]:
    """Return the response as an answer, without warnings, suggestions, near misses and load errors, which are added
    later.

    `fallback` tells that the hits are those of a literal text scan, since no term of the query matched.
    """
    answer = response.to_dict()
    for name in _REPLACED:
        answer.pop(name, None)
    match = request.options["match"]
    scanned = request.scans or fallback
    for entry, result in zip(answer["results"], response.results, strict=True):
        _shape_result(entry, result, scanned=scanned)
    if fallback:
        answer["match_mode"] = "literal"
        answer["degrade_kind"] = "fallback"
    elif match in ("literal", "regex"):
        if match == "literal":
            del answer["match_mode"]
        if answer["degrade_kind"] != "time":
            del answer["degrade_kind"]
    if scanned:
        del answer["answerable"]
    return answer


def _shape_result(entry: dict[str, Any], result: Result, *, scanned: bool) -> None:
    """Convert the JSON object of one result to the format of opencode-session-recall, in place.

    With `scanned`, that is, for hits ordered by time, the fields about ranking are removed.
    """
    why = entry["why"]
    if result.title_match is not None:
        entry["title_match"] = {"title": repaired(result.title_match)}
    fields = [result.field] if scanned else why["matched_fields"]
    # agents know the field of tool input as "command"
    why["matched_fields"] = list(dict.fromkeys("command" if name == "input" else name for name in fields))
    if scanned:
        why["confidence"] = "medium" if result.source == "title" else "high"
        for name in _RANKED:
            entry.pop(name, None)
        why.pop("matched_terms", None)
        why.pop("matched_forms", None)


def set_coverage(
    answer: dict[str, Any], request: RecallRequest, response: SearchResponse, buckets: Sequence[str] | None
) -> None:
    """Convert the coverage in an answer to the format of opencode-session-recall, without counts outside of the scope.

    `buckets` are the directory buckets ("exact", "project", "global") of the searched sessions; None when no directory
    was requested.
    """
    coverage = answer["coverage"]
    coverage.pop("per_source", None)
    coverage["total_sessions_known"] = False  # sessions outside of the scope are not counted
    count = response.coverage.sessions
    outside = sum(count.skipped.get(reason, 0) for reason in _OUTSIDE)
    skipped = {reason: number for reason, number in count.skipped.items() if reason not in _OUTSIDE}
    coverage["sessions_discovered"] = count.known - outside
    coverage["sessions_skipped"] = sum(skipped.values())
    _replace(coverage, "skipped_by_reason", skipped)
    limited = [_limit(name, request) for name in coverage.get("limited_by", ())]
    if not load_errors(response, request) or (request.one_session and not request.unknown):
        limited = [name for name in limited if name != "load_error"]
    _replace(coverage, "limited_by", limited)
    for name in ("directory_buckets_searched", "directory_bucket_counts"):
        coverage.pop(name, None)
    if buckets is not None:
        coverage["directory_buckets_searched"] = [name for name in DIRECTORY_BUCKETS if name in buckets]
        counts = Counter(entry["directory_relevance"] for entry in answer["results"])
        _replace(
            coverage, "directory_bucket_counts", {name: counts[name] for name in DIRECTORY_BUCKETS if counts[name]}
        )


def set_unknown_session(answer: dict[str, Any]) -> None:
    """Set the counts of an answer to a call whose session id is unknown. As in opencode-session-recall, the unknown
    session counts as one that was found and searched.
    """
    coverage = answer["coverage"]
    answer["scanned"] = 1
    for name in ("sessions_discovered", "sessions_eligible", "sessions_searched"):
        coverage[name] = 1
    coverage["limited_by"] = [*(n for n in coverage.get("limited_by", ()) if n != "load_error"), "load_error"]


def load_errors(response: SearchResponse, request: RecallRequest) -> list[str]:
    """Return the errors in reading the sources, as lines of text that begin with the place.

    Sources that failed as a whole are left out when the search was widened from a project to all projects: a warning
    about the widening covers them.
    """
    return [
        error
        for report in response.coverage.per_source
        if not (request.widened and report.failed)
        for error in report.errors
    ]


def set_load_errors(answer: dict[str, Any], errors: Sequence[str]) -> None:
    """Put the number of errors in reading the sources, and the first MAX_LOAD_ERRORS of them, into an answer."""
    if errors:
        answer["load_error_count"] = len(errors)
        answer["load_errors"] = [repaired(error) for error in errors[:MAX_LOAD_ERRORS]]


def _limit(name: str, request: RecallRequest) -> str:
    """Return the name that opencode-session-recall uses for a limit of the search, such as "max_sessions"."""
    return "max_sessions" if name == "sessions_limit" and request.capped else name


def _replace(entry: dict[str, Any], name: str, value: Any) -> None:
    """Set the field `name` of `entry`, or remove the field when the value is empty."""
    if value:
        entry[name] = value
    else:
        entry.pop(name, None)
