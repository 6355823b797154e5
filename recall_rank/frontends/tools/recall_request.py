"""RecallRequest: a call of the tool `recall`, checked and completed; and the selection of its sessions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Final

from recall_rank.analysis.time_filters import EmptyTimeWindow, resolve_window
from recall_rank.frontends.tools.call_context import CallContext, no_project
from recall_rank.frontends.tools.parameters import LARGEST, TIMES, read, recall_parameters
from recall_rank.frontends.tools.transcript_tools import global_disabled
from recall_rank.frontends.tools.warnings import ToolError, Warnings
from recall_rank.model import Session
from recall_rank.model.agent_names import exact_id, is_of_agent
from recall_rank.model.project_scope import DIRECTORY_BUCKETS, directory_rank, is_named
from recall_rank.model.query_syntax import QuerySyntax
from recall_rank.model.response import DirectoryBucket
from recall_rank.model.serialize import json_kind
from recall_rank.search.query import MAX_PATTERN_CHARS
from recall_rank.search.retrieval.literal import compile_pattern

_SEARCH_OPTIONS: Final = (
    *("match", "scope", "group", "type", "role", "title", "width", "directory", "tool_name", "project"),
    *("agent", "exclude_session_ids", "must", "must_not", "exact", "syntax", "fold", "budget_ms"),
)
_FILTERS: Final = (
    *("scope", "session_id", "title", "project", "directory", "tool_name", "type", "role", *TIMES),
    *("agent", "must", "must_not", "exclude_session_ids"),
)
_INLINE_FLAGS: Final = re.compile(r"(?<!\\)(?:\\\\)*\(\?[a-zA-Z]*(?:-[a-zA-Z]+)?[:)]")
_NO_FLAGS: Final = re.compile(r"\(\?:")


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A checked call of the tool `recall`: options for Recall.search, and options for the answer."""

    query: str
    options: dict[str, Any]  # of Recall.search, without results, offset and order
    given: dict[str, Any]  # every parameter with its usable value
    session: str | None  # the full id of the one session that is searched; None for all sessions of the scope
    unknown: bool  # no session has the id that was given
    widened: bool  # scope "project" was asked for, and the fallback searches all projects
    can_widen: bool  # the scope is "project", and the host does not disable scope "global"
    capped: bool  # the host's limit of sessions applies, not the caller's
    warnings: Warnings
    expansion_warnings: Warnings  # reported after the warnings on times

    @property
    def scans(self) -> bool:
        """Whether hits are ordered by time rather than by relevance, as is the default for literal and regex
        matching.
        """
        return self.options["match"] in ("literal", "regex") and self.given["order"] != "relevance"

    @property
    def filters(self) -> tuple[str, ...]:
        """The names of the arguments that leave sessions, messages or parts out."""
        set_names = (name for name in _FILTERS if self.given[name] not in (None, (), "all", "global"))
        bounded = "after" in self.options or "before" in self.options
        return tuple(name for name in set_names if bounded or name not in TIMES)

    @property
    def one_session(self) -> bool:
        """Whether only one session is searched."""
        return self.session is not None or self.options["scope"] == "session"


@dataclass(frozen=True, slots=True)
class SelectedSession:
    """A session that a request searches, and how near it is to the directory of the request."""

    session: Session
    rank: int  # an index into DIRECTORY_BUCKETS

    @property
    def bucket(self) -> DirectoryBucket:
        return DIRECTORY_BUCKETS[self.rank]


def read_request(call: CallContext, args: Mapping[str, Any]) -> RecallRequest:
    """Return the request that the arguments of a call describe. Raises ToolError for a request that is refused."""
    warnings, expansion_warnings = Warnings(call.written), Warnings(call.written)
    given = read(recall_parameters(call.options), args, warnings, expansion_warnings)
    query = args.get("query")
    if given["tool_name"] and given["type"] not in ("all", "tool"):
        name = call.written("tool_name")
        raise ToolError("tool_name_needs_tool_type", f'{name} can only be used with type:"all" or type:"tool"')
    _check_query(query, given["match"])
    after, before = _time_window(call, args, warnings)
    if given["scope"] == "global" and not given["session_id"] and not call.options.global_:
        raise global_disabled("'project' or 'session'")
    session, unknown = _wanted_session(call, given)
    options = {name: given[name] for name in _SEARCH_OPTIONS if given[name] not in (None, ())}
    if given["exact"]:
        options["exact"] = tuple(filter(str.strip, given["exact"]))  # a blank phrase weighs nothing
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
    can_widen = options["scope"] == "project" and call.options.global_
    return RecallRequest(
        str(query), options, given, session, unknown, widened, can_widen, capped, warnings, expansion_warnings
    )


def selected_sessions(
    call: CallContext, request: RecallRequest, syntax: QuerySyntax | None = None
) -> list[SelectedSession]:
    """Return the sessions that a request searches, in the order in which they are searched.

    `syntax` are the operators in its query.
    """
    given, options = request.given, request.options
    operators = syntax or QuerySyntax("")
    if request.unknown:
        return []
    found: Sequence[Session] = call.histories.sessions(
        scope="project" if options["scope"] == "project" and not request.one_session else "global",
        search=given["title"],
        agent=given["agent"],
        context=call.context,
    )
    wanted = request.session if request.session is not None else call.context.session_id
    if request.one_session:
        found = [session for session in found if session.id == wanted]
    excluded = frozenset(given["exclude_session_ids"])
    projects = [name for name in (given["project"], *operators.given("project")) if name]
    agents = operators.given("agent")
    by_folder = replace(call.context, project=None)
    kept = [
        SelectedSession(session, directory_rank(session, given["directory"], by_folder))
        for session in found
        if session.id not in excluded
        and all(is_named(session, project) for project in projects)
        and all(is_of_agent(session, agent) for agent in agents)
    ]
    if given["directory"]:
        if not options["fallback"]:
            kept = [each for each in kept if each.bucket == "exact"]
        kept.sort(key=attrgetter("rank"))
    return kept[: options.get("sessions")]


def _check_query(query: object, match: str) -> None:
    """Raise ToolError unless `query` is a text, or for match mode "regex" a pattern of an accepted length."""
    if query is None:
        raise ToolError("query_required", "query is missing: name a word or a text to look for")
    if not isinstance(query, str):
        raise ToolError("query_required", f"query must be a string, not {json_kind(query)}")
    if match == "regex":
        _check_pattern(query)
    elif not query.strip():
        raise ToolError("query_required", "query is empty: name a word or a text to look for")


def _check_pattern(pattern: str) -> None:
    """Raise ToolError unless the pattern compiles under RE2 and sets no flags inside itself, as (?i) does."""
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


def _time_window(call: CallContext, args: Mapping[str, Any], warnings: Warnings) -> tuple[int | None, int | None]:
    """Return the time bounds (after, before) of a call in epoch milliseconds; None is no bound.

    Raises ToolError when they exclude every time.
    """
    times: dict[str, Any] = {}
    for name in TIMES:
        value = args.get(name)
        if isinstance(value, int | float) and abs(value) > LARGEST:
            warnings.add(f"time_ignored:{name}", f"Ignored {name}: it is no time")
            value = None
        times["from_" if name == "from" else name] = _quotable(value)
    try:
        window = resolve_window(call.now, **times, strict=False)
    except EmptyTimeWindow as error:
        raise ToolError("empty_time_window", str(error)) from None
    for warning in window.warnings:
        warnings.add(f"{warning.category}:{warning.parameter}", warning.text)
    return window.after, window.before


def _quotable(value: object) -> object:
    """Return the value, shortened to be quoted in a warning; a list or object is replaced by its kind."""
    if isinstance(value, str):
        return value if len(value) <= 60 else f"{value[:57]}..."
    if value is None or isinstance(value, int | float):
        return value
    return f"({json_kind(value)})"


def _wanted_session(call: CallContext, given: Mapping[str, Any]) -> tuple[str | None, bool]:
    """Return (id, unknown): the exact_id() of the one session to search, and whether no session has that id.

    The id is None when several sessions are to be searched.
    """
    if not given["session_id"]:
        if given["scope"] == "session" and not call.context.session_id:
            raise ToolError(
                "no_current_session", f"There is no current session: name one by {call.written('session_id')}"
            )
        if given["scope"] == "project" and not call.knows_project:
            raise no_project(call)
        return None, False
    try:
        found = call.histories.session(given["session_id"])
    except LookupError:
        return given["session_id"], True
    return exact_id(found.id, found.host), False
