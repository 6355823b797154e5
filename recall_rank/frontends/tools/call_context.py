"""CallContext: the histories that a call of a tool reads, its caller, its time and the options of the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.tools.warnings import ToolError
from recall_rank.model import Context

if TYPE_CHECKING:
    from recall_rank.model import Session
    from recall_rank.recall import Recall


@dataclass(frozen=True, slots=True)
class CallContext:
    """Everything that one call of a tool or hook depends on besides its arguments."""

    histories: Recall
    context: Context
    now: int  # epoch milliseconds
    options: HostOptions
    cancel: Any = None  # has is_set(), as threading.Event has

    def cancelled(self) -> bool:
        """Return whether the caller has cancelled the call."""
        return self.cancel is not None and bool(self.cancel.is_set())

    @property
    def knows_project(self) -> bool:
        """Whether the caller's context identifies the current project."""
        return bool(self.context.project or self.context.directory or self.context.worktree)


def no_project() -> ToolError:
    """Return the error for scope "project" when the current project is unknown."""
    return ToolError("list_failed", "Failed to list sessions: no current project is known")


def list_sessions(call: CallContext, scope: str, search: str | None = None) -> list[Session]:
    """Return the sessions of a scope, newest first, optionally those whose title contains `search`.

    Raises ToolError when the scope is unknown or when every source failed.
    """
    if scope == "project" and not call.knows_project:
        raise no_project()
    found = call.histories.sessions(scope=scope, search=search, context=call.context)
    if not found:
        reports = call.histories.sources()
        if reports and all(report.failed for report in reports):
            errors = "; ".join(error for report in reports for error in report.errors[:1])
            raise ToolError("list_failed", f"Failed to list sessions: {errors}")
    return found
