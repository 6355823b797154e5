"""The five recall tools, and the hooks, over one set of histories. Every call is answered; none raises."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.hooks.hook_calls import HOOKS, run_hook
from recall_rank.frontends.redaction.answers import without_secrets
from recall_rank.frontends.tools.call_context import Call
from recall_rank.frontends.tools.host_options import HostOptions
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

Tool = Callable[[Call, Mapping[str, Any]], dict[str, Any]]

TOOLS: Final[Mapping[str, tuple[Tool, Callable[[HostOptions], tuple[Parameter, ...]]]]] = {
    "recall": (recall, recall_parameters),
    "recall_get": (recall_get, get_parameters),
    "recall_context": (recall_context, context_parameters),
    "recall_messages": (recall_messages, messages_parameters),
    "recall_sessions": (recall_sessions, sessions_parameters),
}
MOST_VIEWS: Final = 4  # projects whose sessions are kept apart at once


class RecallTools:
    """Answers calls by name. `options` are fixed at the start; `context` tells what is current unless a call does.

    With options.global_ off, every call is answered from a copy of the histories that holds the caller's project and
    nothing else. Thread-safe.
    """

    def __init__(
        self, histories: Recall, *, options: HostOptions | None = None, context: Context | None = None
    ) -> None:
        self._histories = histories
        self._options = options or HostOptions()
        self._context = context
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
        """The answer of a tool or hook, {"ok": true, ...} or {"ok": false, "error", "error_category"}.

        mode "schema" refuses what the original's schema refuses, "raw" makes the best of it. wire "camel" answers in
        the original's field names; arguments may be in either form.
        """
        try:
            answer = self._answer(name, args, context, options or self._options, now, mode == "schema", cancel)
        except ToolError as error:
            answer = {**error_to_dict(str(error)), "error_category": error.category, **error.more}
        except Exception as error:  # noqa: BLE001 - a fault of ours must not end an agent's session or a batch
            answer = error_to_dict(f"internal error: {type(error).__name__}: {error}")
            answer["error_category"] = "other"
        if (options or self._options).redact and name not in HOOKS:  # these give back what they were given
            answer = without_secrets(answer)
        if wire == "camel":
            return camel_keys(answer) if name in HOOKS else camel_answer(answer)
        return answer

    def _answer(
        self,
        name: str,
        args: object,
        context: Context | None,
        options: HostOptions,
        now: int | None,
        schema: bool,
        cancel: Any,
    ) -> dict[str, Any]:
        if name not in TOOLS and name not in HOOKS:
            raise ToolError("other", f"unknown tool {name!r}: there are {', '.join((*TOOLS, *HOOKS))}")
        if not isinstance(args, Mapping):
            raise ToolError("other", f"args must be an object, not {type(args).__name__}")
        known = snake_arguments(args)
        if schema and name in TOOLS:
            odd = refused(TOOLS[name][1](options), known)
            if odd:
                words = f"arguments do not fit the schema: {', '.join(odd)}"
                raise ToolError("schema", words, rejected_by_schema=True, rejected_params=odd)
        from recall_rank.loaders.projects.repositories import name_context_repository

        here = name_context_repository(context or self._context) or Context()
        moment = int(time.time() * 1000) if now is None else now
        histories = self._histories if options.global_ else self._view(here)
        call = Call(histories, here, moment, options, cancel)
        return run_hook(name, call, known) if name in HOOKS else TOOLS[name][0](call, known)

    def _view(self, context: Context) -> Recall:
        """The histories with nothing of other projects in them, whatever of its session a caller still reads."""
        context = replace(context, in_context=(), in_context_since=None)
        with self._lock:
            view = self._views.pop(context, None) or self._histories.only(context)
            self._views[context] = view  # the one used last stands last
            while len(self._views) > MOST_VIEWS:
                del self._views[next(iter(self._views))]
            return view
