"""CallContext: the histories that a tool call reads, its caller, the current time, and the options of the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.tools.warnings import Suggestions, ToolError
from recall_rank.histories.catalog import MIN_PREFIX
from recall_rank.model import Context

if TYPE_CHECKING:
    from recall_rank.frontends.curators.curator import Curator
    from recall_rank.model import Session
    from recall_rank.recall import Recall


@dataclass(frozen=True, slots=True)
class CallContext:
    """The inputs of one call of a tool or hook besides its arguments: histories, caller, time, host options."""

    histories: Recall
    context: Context
    now: int  # epoch milliseconds
    options: HostOptions
    cancel: Any = None  # has is_set(), as threading.Event has
    written: Callable[[str], str] = str  # the name of an argument as the caller writes it
    curator: Curator | str | None = None  # for session_recall: the host's choice, or its name
    sampling: Curator | None = None  # for session_recall: the model of an MCP client, where it offers one

    def cancelled(self) -> bool:
        """Return whether the caller has cancelled the call."""
        return self.cancel is not None and bool(self.cancel.is_set())

    @property
    def knows_project(self) -> bool:
        """Whether the caller's context has a project, a directory or a worktree."""
        return bool(self.context.project or self.context.directory or self.context.worktree)


def no_project(call: CallContext) -> ToolError:
    """Return the error for a call with scope "project" whose current project is unknown."""
    advice = Suggestions()
    suggest_global(call, advice)
    return ToolError("list_failed", "Failed to list sessions: no current project is known", **advice.fields())


def suggest_global(call: CallContext, suggestions: Suggestions) -> None:
    """Suggest scope "global" to a call that found no session of its project, unless the host disables that scope."""
    if call.options.global_:
        suggestions.add("try_scope_global", 'No session of this project: try scope "global"')


def unknown_session(call: CallContext, session_id: str) -> str:
    """Return a sentence that says why no session, or no single one, is known by an id or its beginning."""
    alike = sum(1 for session in call.histories.sessions() if session.id.startswith(session_id))
    if alike and len(session_id) < MIN_PREFIX:
        return f"a beginning of an id has {MIN_PREFIX} characters or more"
    if alike > 1:
        return f"{alike} sessions have ids that begin so"
    unread = call.histories.not_read_yet()
    return "no session has this id" if unread is None else f"no session that was read has this id; {unread}"


def list_sessions(call: CallContext, scope: str, search: str | None = None, agent: str | None = None) -> list[Session]:
    """Return the sessions of a scope, newest first; with `search`, only those with this text in their title; with
    `agent`, only those of that agent.

    Raises ToolError when no current project is known for scope "project", and when no source could be read.
    """
    if scope == "project" and not call.knows_project:
        raise no_project(call)
    found = call.histories.sessions(scope=scope, search=search, agent=agent, context=call.context)
    if not found:
        reports = call.histories.sources()
        if reports and all(report.failed for report in reports):
            errors = "; ".join(error for report in reports for error in report.errors[:1])
            raise ToolError("list_failed", f"Failed to list sessions: {errors}")
    return found
