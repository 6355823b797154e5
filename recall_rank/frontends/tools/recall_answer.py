"""What `recall` answers: the response in the shape agents know, nothing in it that the mode cannot tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from recall_rank.frontends.tools.request import Question
from recall_rank.frontends.tools.selection import BUCKETS
from recall_rank.model import Result, SearchResponse
from recall_rank.model.serialize import repaired

LOAD_ERRORS: Final = 5
NOT_LISTED: Final = ("scope", "project", "title", "excluded")  # a listing of the scope does not show these sessions
_RANKED: Final = ("score", "stage", "match_mode", "matched_terms", "explain", "match_reasons")
_DROPPED: Final = ("warnings", "suggestions", "near_misses", "load_errors", "load_error_count")


def shaped(question: Question, response: SearchResponse, *, fallback: bool) -> dict[str, Any]:
    """The response without its remarks. `fallback`: the hits are the text scan's, whatever mode was asked for."""
    answer = response.to_dict()
    for name in _DROPPED:
        answer.pop(name, None)
    match = question.options["match"]
    scanned = question.scans or fallback
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
    why = entry["why"]
    if result.title_match is not None:
        entry["title_match"] = {"title": repaired(result.title_match)}
    fields = [result.field] if scanned else why["matched_fields"]
    # what a tool was given is searched value by value, and called by the name agents know it by
    why["matched_fields"] = list(dict.fromkeys("command" if name == "input" else name for name in fields))
    if scanned:
        why["confidence"] = "medium" if result.source == "title" else "high"
        for name in _RANKED:
            entry.pop(name, None)
        why.pop("matched_terms", None)
        why.pop("matched_forms", None)


def set_coverage(
    answer: dict[str, Any], question: Question, response: SearchResponse, buckets: Sequence[str] | None
) -> None:
    """The ledger as a caller of this scope may know it; `buckets` are those of the sessions that were searched."""
    coverage = answer["coverage"]
    coverage.pop("per_source", None)
    coverage["total_sessions_known"] = False  # how many there are beyond what was listed is not told
    count = response.coverage.sessions
    outside = sum(count.skipped.get(reason, 0) for reason in NOT_LISTED)
    skipped = {reason: number for reason, number in count.skipped.items() if reason not in NOT_LISTED}
    coverage["sessions_discovered"] = count.known - outside
    coverage["sessions_skipped"] = sum(skipped.values())
    _replace(coverage, "skipped_by_reason", skipped)
    limited = [_limit(name, question) for name in coverage.get("limited_by", ())]
    if not load_errors(response, question) or (question.one_session and not question.unknown):
        limited = [name for name in limited if name != "load_error"]
    _replace(coverage, "limited_by", limited)
    for name in ("directory_buckets_searched", "directory_bucket_counts"):
        coverage.pop(name, None)
    if buckets is not None:
        coverage["directory_buckets_searched"] = [name for name in BUCKETS if name in buckets]
        counts = Counter(entry["directory_relevance"] for entry in answer["results"])
        _replace(coverage, "directory_bucket_counts", {name: counts[name] for name in BUCKETS if counts[name]})


def set_unknown_session(answer: dict[str, Any], session_id: str) -> list[str]:
    """Tell of the one session that was looked for in vain; the errors to be told with it."""
    coverage = answer["coverage"]
    answer["scanned"] = 1
    for name in ("sessions_discovered", "sessions_eligible", "sessions_searched"):
        coverage[name] = 1
    coverage["limited_by"] = [*(n for n in coverage.get("limited_by", ()) if n != "load_error"), "load_error"]
    return [f"{session_id}: no session has this id"]


def load_errors(response: SearchResponse, question: Question) -> list[str]:
    """What could not be read, each with its place; a store that only a fallback needed has its own warning."""
    return [
        error
        for report in response.coverage.per_source
        if not (question.widened and report.failed)
        for error in report.errors
    ]


def set_load_errors(answer: dict[str, Any], errors: Sequence[str]) -> None:
    if errors:
        answer["load_error_count"] = len(errors)
        answer["load_errors"] = [repaired(error) for error in errors[:LOAD_ERRORS]]


def _limit(name: str, question: Question) -> str:
    return "max_sessions" if name == "sessions_limit" and question.capped else name


def _replace(entry: dict[str, Any], name: str, value: Any) -> None:
    """The value where it says something, nothing where it is empty."""
    if value:
        entry[name] = value
    else:
        entry.pop(name, None)
