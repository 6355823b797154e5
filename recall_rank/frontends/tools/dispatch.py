"""RecallTools: the five recall tools, and hooks that are handed in, as calls by name over one set of histories."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.redaction.redacted_answers import without_secrets
from recall_rank.frontends.tools.call_context import CallContext
from recall_rank.frontends.tools.parameters import (
    Parameter,
    context_parameters,
    get_parameters,
    messages_parameters,
    recall_parameters,
    refused,
    sessions_parameters,
)
from recall_rank.frontends.tools.recall_tool import recall
from recall_rank.frontends.tools.transcript_tools import recall_context, recall_get, recall_messages, recall_sessions
from recall_rank.frontends.tools.warnings import ToolError
from recall_rank.model import Context
from recall_rank.model.camel_case import camel_answer, camel_keys, snake_arguments
from recall_rank.model.serialize import error_to_dict

if TYPE_CHECKING:
    from recall_rank.recall import Recall

CallHandler = Callable[[CallContext, Mapping[str, Any]], dict[str, Any]]
"""A tool or a hook: it takes the context of a call and its arguments, and returns the answer as JSON values."""

MAX_VIEWS: Final = 4  # views of single projects that are kept for the next call


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: the function that answers calls, and a function that returns its parameters for host options."""

    answer: CallHandler
    parameters: Callable[[HostOptions], tuple[Parameter, ...]]


TOOLS: Final[Mapping[str, Tool]] = {
    "recall": Tool(recall, recall_parameters),
    "recall_get": Tool(recall_get, get_parameters),
    "recall_context": Tool(recall_context, context_parameters),
    "recall_messages": Tool(recall_messages, messages_parameters),
    "recall_sessions": Tool(recall_sessions, sessions_parameters),
}


class RecallTools:
    """Answers calls by name and never raises. Thread-safe.

    `options` are fixed at the start. `context` applies to calls without one. `hooks` maps further names to functions,
    such as recall_rank.frontends.hooks.HOOKS. With the option `global_` off, every call is answered from a view of the
    histories that contains only the project of its caller.
    """

    def __init__(
        self,
        histories: Recall,
        *,
        options: HostOptions | None = None,
        context: Context | None = None,
        hooks: Mapping[str, CallHandler] | None = None,
    ) -> None:
        self._histories = histories
        self._options = options or HostOptions()
        self._context = context
        self._hooks = hooks or {}
        self._views: dict[Context, Recall] = {}
        self._lock = threading.Lock()

    def call(
        self,
        name: str,
        args: object,
        *,
        context: Context | None = None,
        options: HostOptions | None = None,
        now: int | None = None,
        mode: str = "raw",
        wire: str = "snake",
        cancel: Any = None,
    ) -> dict[str, Any]:
        """Return the answer of a tool or hook: {"ok": true, ...} or {"ok": false, "error", "error_category"}.

        Mode "schema" refuses values that the schema of opencode-session-recall refuses; mode "raw" replaces them by
        usable ones and warns. `wire` "camel" answers in camelCase names. Arguments are accepted in either case.
        """
        options = options or self._options
        try:
            known = self._arguments(name, args, options, schema=mode == "schema")
            answer = self._answer(name, self._call_context(context, options, now, cancel), known)
        except ToolError as error:
            answer = {**error_to_dict(str(error)), "error_category": error.category, **error.extra}
        except Exception as error:  # noqa: BLE001 - a defect here must not end the session of an agent, or a batch
            answer = error_to_dict(f"internal error: {type(error).__name__}: {error}")
            answer["error_category"] = "other"
        if options.redact and name not in self._hooks:  # hooks redact what they add, and return the rest unchanged
            answer = without_secrets(answer)
        if wire == "camel":
            return camel_keys(answer) if name in self._hooks else camel_answer(answer)
        return answer

    def _arguments(self, name: str, args: object, options: HostOptions, *, schema: bool) -> Mapping[str, Any]:
        """Return the arguments of a call by their snake_case names. Raises ToolError for an unknown tool or refused
        arguments.
        """
        if name not in TOOLS and name not in self._hooks:
            raise ToolError("other", f"unknown tool {name!r}: there are {', '.join((*TOOLS, *self._hooks))}")
        if not isinstance(args, Mapping):
            raise ToolError("other", f"args must be an object, not {type(args).__name__}")
        known = snake_arguments(args)
        if schema and name in TOOLS:
            odd = refused(TOOLS[name].parameters(options), known)
            if odd:
                text = f"arguments do not fit the schema: {', '.join(odd)}"
                raise ToolError("schema", text, rejected_by_schema=True, rejected_params=odd)
        return known

    def _call_context(self, context: Context | None, options: HostOptions, now: int | None, cancel: Any) -> CallContext:
        """Return the call context; the repository of its directory is filled in."""
        from recall_rank.loaders.projects.repositories import name_context_repository

        here = name_context_repository(context or self._context) or Context()
        moment = int(time.time() * 1000) if now is None else now
        return CallContext(self._histories if options.global_ else self._view(here), here, moment, options, cancel)

    def _answer(self, name: str, call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
        hook = self._hooks.get(name)
        return TOOLS[name].answer(call, args) if hook is None else hook(call, args)

    def _view(self, context: Context) -> Recall:
        """Return the histories reduced to the project of a context; the MAX_VIEWS most recent views are kept."""
        context = replace(context, in_context=(), in_context_since=None)  # does not change what a project contains
        with self._lock:
            view = self._views.pop(context, None) or self._histories.only(context)
            self._views[context] = view  # a dict keeps the order of insertion: the first is the one unused longest
            while len(self._views) > MAX_VIEWS:
                del self._views[next(iter(self._views))]
            return view
