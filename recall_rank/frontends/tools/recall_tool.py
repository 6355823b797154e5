"""The `recall` tool: an agent's arguments in, the answer as JSON values out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from recall_rank.frontends.redaction.answers import hidden
from recall_rank.frontends.tools.advice import near_misses, suggestions
from recall_rank.frontends.tools.call_context import Call, listed
from recall_rank.frontends.tools.expansion import expanded
from recall_rank.frontends.tools.recall_answer import (
    load_errors,
    set_coverage,
    set_load_errors,
    set_unknown_session,
    shaped,
)
from recall_rank.frontends.tools.request import Question, read_question
from recall_rank.frontends.tools.scan_order import scan_groups, scan_page
from recall_rank.frontends.tools.selection import selected
from recall_rank.frontends.tools.warnings import MOST_SUGGESTIONS, MOST_WARNINGS, Remarks, ToolError
from recall_rank.model import SearchResponse


def recall(call: Call, args: Mapping[str, Any]) -> dict[str, Any]:
    """Search what was said and done. ToolError for what cannot be asked or was cancelled."""
    question = read_question(call, args)
    if call.cancelled():
        raise aborted()
    response = ask(call, question)
    if call.cancelled():
        raise aborted()
    if not response.coverage.sessions.known:
        listed(call, "global")  # tells of a store that cannot be read at all
    fallback = "fallback" in response.degrade_kinds
    answer = shaped(question, response, fallback=fallback)
    told = Remarks()
    for remarks in (question.remarks, question.late):
        told.extend(remarks)
    sessions = selected(call, question) if question.given["directory"] or not response.results else []
    buckets = [bucket for _, bucket in sessions] if question.given["directory"] else None
    set_coverage(answer, question, response, buckets)
    errors = [] if question.one_session and not question.unknown else load_errors(response, question)
    if question.options["fallback"]:
        unlisted = question.widened and any(report.failed for report in response.coverage.per_source)
        _tell_fallback(call, buckets or (), told, unlisted=unlisted)
    if question.unknown:
        errors = [*set_unknown_session(answer, question.given["session_id"]), *errors]
    if errors:
        set_load_errors(answer, errors)
        what = "1 session or file" if len(errors) == 1 else f"{len(errors)} sessions or files"
        told.add("load_partial", f"{what} could not be read: see loadErrors")
    if question.given["expand"] != "none":
        answer["expanded"] = expanded(call, question, response.results, told)
    for text in response.warnings:
        told.add("source", text)
    told.put(answer, "warning", MOST_WARNINGS)
    _advise(question, response, sessions, answer, fallback=fallback)
    return answer


def ask(call: Call, question: Question) -> SearchResponse:
    """The response to the question, in the order it asks for."""
    given = question.given
    results, offset = given["results"], given["offset"]

    def search(**more: Any) -> SearchResponse:
        if call.options.redact:
            more["redact"] = hidden
        return call.histories.search(question.query, **{**question.options, **more})

    if not question.scans:
        return search(results=results, offset=offset, order=given["order"] or "relevance")
    if given["group"] == "session":
        return scan_groups(lambda **more: search(order="time", **more), results, offset)
    return scan_page(lambda **more: search(order="time", **more), results, offset)


def aborted() -> ToolError:
    return ToolError("aborted", "aborted")


def _tell_fallback(call: Call, buckets: Any, told: Remarks, *, unlisted: bool) -> None:
    if not (call.context.worktree or call.context.directory):
        told.add("fallback_no_worktree", "No worktree is known: no session counts as of this project")
    if unlisted:
        told.add("fallback_list_failed", "Directory fallback could not list the sessions of all projects")
    if any(bucket != "exact" for bucket in buckets):
        told.add("fallback_broadened", "Directory fallback broadened the search beyond the directory asked for")


def _advise(
    question: Question, response: SearchResponse, sessions: Any, answer: dict[str, Any], *, fallback: bool
) -> None:
    if question.unknown:  # the session that was looked for counts as searched
        count = replace(response.coverage.sessions, eligible=1)
        response = replace(response, coverage=replace(response.coverage, sessions=count))
    suggestions(question, response, fallback).put(answer, "suggestion", MOST_SUGGESTIONS)
    if not response.total:
        close = near_misses(response, [session for session, _ in sessions])
        if close:
            answer["near_misses"] = close
