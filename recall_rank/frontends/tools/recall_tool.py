"""The tool `recall`: search the histories for an agent, and answer with JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recall_rank.frontends.redaction.redacted_answers import hidden
from recall_rank.frontends.tools.call_context import CallContext, list_sessions, unknown_session
from recall_rank.frontends.tools.expanded_hits import expanded_hits
from recall_rank.frontends.tools.recall_answer import (
    load_errors,
    set_coverage,
    set_load_errors,
    set_unknown_session,
    shaped,
)
from recall_rank.frontends.tools.recall_request import RecallRequest, read_request, selected_sessions
from recall_rank.frontends.tools.suggestions import near_misses, suggestions
from recall_rank.frontends.tools.time_order import scan_groups, scan_page
from recall_rank.frontends.tools.warnings import SOURCE_NOTES, ToolError, Warnings
from recall_rank.histories.source_reports import note_on_sources
from recall_rank.model import SearchResponse, Session


def recall(call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
    """Search the histories and return the answer with its hits.

    Raises ToolError for an invalid request and for a cancelled call.
    """
    request = read_request(call, args)
    if call.cancelled():
        raise _aborted()
    response = _search(call, request)
    if call.cancelled():
        raise _aborted()
    if not response.coverage.sessions.known:
        list_sessions(call, "global")  # raises when no store could be read at all
    fallback = "fallback" in response.degrade_kinds
    answer = shaped(request, response, fallback=fallback)
    warnings = Warnings()
    for given in (request.warnings, request.expansion_warnings):
        warnings.extend(given)
    listed = request.given["directory"] or not response.results
    sessions = selected_sessions(call, request, response.syntax) if listed else []
    buckets = [each.bucket for each in sessions] if request.given["directory"] else None
    set_coverage(answer, request, response, buckets)
    errors = [] if request.one_session and not request.unknown else load_errors(response, request)
    if request.options["fallback"]:
        unlisted = request.widened and any(report.failed for report in response.coverage.per_source)
        _warn_of_fallback(call, buckets or (), warnings, unlisted=unlisted)
    if errors:
        what = "1 session or file" if len(errors) == 1 else f"{len(errors)} sessions or files"
        warnings.add("load_partial", f"{what} could not be read: the load errors tell which")
    if request.unknown:
        wanted = request.given["session_id"]
        reason = unknown_session(call, wanted)
        warnings.add("load_partial", f"Unknown session {wanted!r}: {reason}")
        set_unknown_session(answer)
        errors = [f"{wanted}: {reason}", *errors]
    set_load_errors(answer, errors)
    if request.given["expand"] != "none":
        answer["expanded"] = expanded_hits(call, request, response.results, warnings)
    note = note_on_sources(response.coverage.per_source)
    for text in response.warnings:
        warnings.add(SOURCE_NOTES if text == note else "source", text)
    warnings.put(answer)
    _put_advice(request, response, [each.session for each in sessions], answer, fallback=fallback)
    return answer


def _search(call: CallContext, request: RecallRequest) -> SearchResponse:
    """Return the response to a request, with its hits ordered by relevance or by time, as requested."""
    given = request.given
    results, offset = given["results"], given["offset"]

    def search(**more: Any) -> SearchResponse:
        if call.options.redact:
            more["redact"] = hidden
        return call.histories.search(request.query, **{**request.options, **more})

    if not request.scans:
        return search(results=results, offset=offset, order=given["order"] or "relevance")
    if given["group"] == "session":
        return scan_groups(lambda **more: search(order="time", **more), results, offset)
    return scan_page(lambda **more: search(order="time", **more), results, offset)


def _aborted() -> ToolError:
    return ToolError("aborted", "aborted")


def _warn_of_fallback(call: CallContext, buckets: Iterable[str], warnings: Warnings, *, unlisted: bool) -> None:
    """Add warnings about a search that may extend beyond the requested directory.

    `buckets` are the directory buckets of the searched sessions. `unlisted` tells that the sessions of a source could
    not be listed.
    """
    if not (call.context.worktree or call.context.directory):
        warnings.add("fallback_no_worktree", "No worktree is known: no session counts as of this project")
    if unlisted:
        warnings.add("fallback_list_failed", "Directory fallback could not list the sessions of all projects")
    if any(bucket != "exact" for bucket in buckets):
        warnings.add("fallback_broadened", "Directory fallback broadened the search beyond the directory asked for")


def _put_advice(
    request: RecallRequest,
    response: SearchResponse,
    sessions: Sequence[Session],
    answer: dict[str, Any],
    *,
    fallback: bool,
) -> None:
    """Add suggestions for the next search to an answer, and near misses to an answer without hits."""
    suggestions(request, response, fallback).put(answer)
    if not response.total and response.coverage.parts.eligible and response.coverage.unread is None:
        found = near_misses(response, sessions)
        if found:
            answer["near_misses"] = found
