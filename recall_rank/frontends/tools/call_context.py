"""What a tool stands on when it is called: the histories, who asks, when, and what the host decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.tools.host_options import HostOptions
from recall_rank.frontends.tools.warnings import ToolError
from recall_rank.model import Context

if TYPE_CHECKING:
    from recall_rank.model import Session
    from recall_rank.recall import Recall

_CONTEXT_FIELDS: Final = tuple(field.name for field in fields(Context))
_KINDS: Final = {"in_context": "a list of message ids"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: who asks, when, and what the host decided at its start."""

    histories: Recall
    context: Context
    now: int
    options: HostOptions
    cancel: Any = None

    def cancelled(self) -> bool:
        return self.cancel is not None and bool(self.cancel.is_set())


def read_context(value: object) -> Context | None:
    """The caller's context from a JSON object; blank values count as absent. ValueError when it is none.

    `in_context` is a list of ids, everything else a string.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ValueError(f"context must be an object, not {type(value).__name__}")
    known: dict[str, Any] = {}
    for name, entry in value.items():
        if name not in _CONTEXT_FIELDS:
            raise ValueError(f"context takes {', '.join(_CONTEXT_FIELDS)}, not {name}")
        if name == "in_context" and isinstance(entry, list | tuple):
            if not all(isinstance(each, str) for each in entry):
                raise ValueError("context in_context must be a list of message ids")
            known[name] = tuple(entry)
        elif not isinstance(entry, str | None) or (entry and name == "in_context"):
            raise ValueError(f"context {name} must be {_KINDS.get(name, 'a string')}, not {entry!r}")
        elif entry and entry.strip():
            known[name] = entry
    return Context(**known)


def listed(call: Call, scope: str, search: str | None = None) -> list[Session]:
    """The sessions of a scope, newest first. ToolError when none can be listed at all."""
    if scope == "project" and not (call.context.project or call.context.directory or call.context.worktree):
        raise ToolError("list_failed", "Failed to list sessions: no current project is known")
    found = call.histories.sessions(scope=scope, search=search, context=call.context)
    if not found:
        reports = call.histories.sources()
        if reports and all(report.failed for report in reports):
            errors = "; ".join(error for report in reports for error in report.errors[:1])
            raise ToolError("list_failed", f"Failed to list sessions: {errors}")
    return found
