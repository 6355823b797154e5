"""A call of `recall` as it is understood: checked, completed, its odd values remarked on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from recall_rank.analysis.time_filters import EmptyTimeWindow, resolve_window
from recall_rank.frontends.tools.call_context import Call
from recall_rank.frontends.tools.parameters import LARGEST, TIMES, read, recall_parameters
from recall_rank.frontends.tools.transcript_tools import global_disabled
from recall_rank.frontends.tools.warnings import Remarks, ToolError
from recall_rank.search.query import MAX_PATTERN_CHARS, MAX_QUERY_CHARS
from recall_rank.search.retrieval.literal import compile_pattern

_PASSED_ON: Final = (
    *("match", "scope", "group", "type", "role", "title", "width", "directory", "tool_name", "project"),
    *("exclude_session_ids", "must", "must_not", "budget_ms"),
)
_INLINE_FLAGS: Final = re.compile(r"(?<!\\)(?:\\\\)*\(\?[a-zA-Z]*(?:-[a-zA-Z]+)?[:)]")
_NO_FLAGS: Final = re.compile(r"\(\?:")


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched for, as options of Recall.search, and what else the caller wants of the answer."""

    query: str
    options: dict[str, Any]  # without results, offset and order
    given: dict[str, Any]  # every parameter with its usable value
    session: str | None  # the id asked for, in full; None where all sessions of the scope are meant
    unknown: bool  # that id is of no session
    widened: bool  # scope project, but fallback looks everywhere
    capped: bool  # the host's own limit of sessions counts, not the caller's
    remarks: Remarks
    late: Remarks  # told after those of times

    @property
    def scans(self) -> bool:
        """Whether the text decides what is a hit, and time its order."""
        return self.options["match"] in ("literal", "regex") and self.given["order"] != "relevance"

    @property
    def one_session(self) -> bool:
        return self.session is not None or self.options["scope"] == "session"


def read_question(call: Call, args: Mapping[str, Any]) -> Question:
    """What the arguments ask. ToolError for what cannot be asked."""
    remarks, late = Remarks(), Remarks()
    given = read(recall_parameters(call.options), args, remarks, late)
    query = args.get("query")
    if given["tool_name"] and given["type"] not in ("all", "tool"):
        raise ToolError("tool_name_needs_tool_type", 'toolName can only be used with type:"all" or type:"tool"')
    _check_query(query, given["match"])
    after, before = _window(call, args, remarks)
    if given["scope"] == "global" and not given["session_id"] and not call.options.global_:
        raise global_disabled()
    session, unknown = _session(call, given)
    options = {name: given[name] for name in _PASSED_ON if given[name] not in (None, ())}
    options.update(now=call.now, context=call.context, cancel=call.cancel, explain=given["explain"])
    options["fallback"] = bool(given["fallback"] and given["directory"])
    if session is not None:
        options.update(session_id=session, scope="global")
    widened = options["fallback"] and options["scope"] == "project" and call.options.global_
    if widened:
        options["scope"] = "global"
    limits = [limit for limit in (given["sessions"], call.options.max_sessions) if limit is not None]
    if limits:
        options["sessions"] = min(limits)
    options.update({name: bound for name, bound in (("after", after), ("before", before)) if bound})
    capped = bool(limits) and given["sessions"] != min(limits)
    return Question(str(query), options, given, session, unknown, widened, capped, remarks, late)


def _check_query(query: object, match: str) -> None:
    if not isinstance(query, str):
        raise ToolError("query_required", f"query must be a string, not {type(query).__name__}")
    if match == "regex":
        _check_pattern(query)
    elif not query.strip():
        raise ToolError("query_required", "query is empty: name a word or a text to look for")
    elif len(query) > MAX_QUERY_CHARS:
        raise ToolError("query_too_long", f"query has {len(query)} characters: at most {MAX_QUERY_CHARS} are accepted")


def _check_pattern(pattern: str) -> None:
    if not pattern.strip():
        raise ToolError("regex_empty", "Regex pattern is empty")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise ToolError("regex_too_long", f"Regex pattern is too long: at most {MAX_PATTERN_CHARS} characters")
    if any(not _NO_FLAGS.search(found[0]) for found in _INLINE_FLAGS.finditer(pattern)):
        raise ToolError("regex_invalid", "Invalid regex: flags inside a pattern are not supported; case never counts")
    try:
        compile_pattern(pattern)
    except ValueError as error:
        raise ToolError("regex_invalid", f"Invalid regex: {error}") from None
    except RuntimeError as error:
        raise ToolError("regex_unavailable", str(error)) from None


def _window(call: Call, args: Mapping[str, Any], remarks: Remarks) -> tuple[int | None, int | None]:
    times: dict[str, Any] = {}
    for name in TIMES:
        value = args.get(name)
        if isinstance(value, int | float) and abs(value) > LARGEST:
            remarks.add(f"time_ignored:{name}", f"Ignored {name}: it is no time")
            value = None
        times["from_" if name == "from" else name] = _shortened(value)
    try:
        window = resolve_window(call.now, **times, strict=False)
    except EmptyTimeWindow as error:
        raise ToolError("empty_time_window", str(error)) from None
    for warning in window.warnings:
        remarks.add(f"{warning.category}:{warning.parameter}", warning.text)
    return window.after, window.before


def _shortened(value: object) -> object:
    """A value that may be quoted in a remark: no time is long, and nothing nested is one."""
    if isinstance(value, str):
        return value if len(value) <= 60 else f"{value[:57]}..."
    if value is None or isinstance(value, int | float):
        return value
    return f"({type(value).__name__})"


def _session(call: Call, given: Mapping[str, Any]) -> tuple[str | None, bool]:
    """The id of the one session that is searched, and whether there is no such session."""
    if not given["session_id"]:
        if given["scope"] == "session" and not call.context.session_id:
            raise ToolError("no_current_session", "There is no current session: name one by sessionID")
        if given["scope"] == "project" and not (
            call.context.project or call.context.directory or call.context.worktree
        ):
            raise ToolError("list_failed", "Failed to list sessions: no current project is known")
        return None, False
    try:
        return call.histories.session(given["session_id"]).id, False
    except LookupError:
        return given["session_id"], True
