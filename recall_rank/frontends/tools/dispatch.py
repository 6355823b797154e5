"""RecallTools: calls of the recall tools, and of hooks that are passed in, by name over the same histories."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.redaction.redacted_answers import without_secrets
from recall_rank.frontends.tools.argument_names import NamedArguments, named_arguments
from recall_rank.frontends.tools.call_context import CallContext
from recall_rank.frontends.tools.parameters import (
    Parameter,
    context_parameters,
    get_parameters,
    messages_parameters,
    recall_parameters,
    refused,
    session_recall_parameters,
    session_search_parameters,
    sessions_parameters,
)
from recall_rank.frontends.tools.recall_tool import recall
from recall_rank.frontends.tools.sessions.recall_call import ERROR, original_answer, session_recall_call
from recall_rank.frontends.tools.sessions.session_call import documented_answer, session_search_call
from recall_rank.frontends.tools.transcript_tools import (
    recall_context,
    recall_get,
    recall_messages,
    recall_sessions,
    session_transcript,
)
from recall_rank.frontends.tools.warnings import ToolError, Warnings
from recall_rank.model import Context
from recall_rank.model.camel_case import camel_answer, camel_keys, snake_arguments, written_names
from recall_rank.model.serialize import MAX_DEPTH, error_to_dict, json_kind, repaired_value, too_deep

if TYPE_CHECKING:
    from recall_rank.frontends.curators.curator import Curator
    from recall_rank.recall import Recall

CallHandler = Callable[[CallContext, Mapping[str, Any]], dict[str, Any]]
"""A tool or a hook: it takes the context of a call and its arguments, and returns the answer as JSON values."""

MAX_VIEWS: Final = 4  # views of single projects that are kept for the next call


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: the function that answers its calls, and the function that returns its parameters for given host
    options.
    """

    answer: CallHandler
    parameters: Callable[[HostOptions], tuple[Parameter, ...]]


TOOLS: Final[Mapping[str, Tool]] = {
    "recall": Tool(recall, recall_parameters),
    "recall_get": Tool(recall_get, get_parameters),
    "recall_context": Tool(recall_context, context_parameters),
    "recall_messages": Tool(recall_messages, messages_parameters),
    "recall_sessions": Tool(recall_sessions, sessions_parameters),
    "session_search": Tool(session_search_call, session_search_parameters),
    "session_recall": Tool(session_recall_call, session_recall_parameters),
}
# Calls that no model makes: an MCP server reads its resources by them.
READERS: Final[Mapping[str, CallHandler]] = {"session_transcript": session_transcript}


class RecallTools:
    """Answers calls of tools and hooks by name. Thread-safe; no call raises.

    `options` are those of the host. `context` is the context for calls without one of their own. `hooks` maps the
    names of hooks to functions, as recall_rank.frontends.hooks.HOOKS does. With the option `global_` off, a call sees
    only the project of its caller. `curator` is that of session_recall, or its name (see frontends.curators.choose).
    `names` maps names of arguments to those that callers write, where these are neither of `wire`, as the options of a
    command are not.
    """

    def __init__(
        self,
        histories: Recall,
        *,
        options: HostOptions | None = None,
        context: Context | None = None,
        hooks: Mapping[str, CallHandler] | None = None,
        curator: Curator | str | None = None,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._histories = histories
        self._names = names
        self._options = options or HostOptions()
        self._context = context
        self._hooks = hooks or {}
        self._curator = curator
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
        sampling: Curator | None = None,
    ) -> dict[str, Any]:
        """Return the answer of a tool or hook: {"ok": true, ...} or {"ok": false, "error", "error_category", ...}.

        Arguments may have snake_case or camelCase names. With `mode` "schema", values that the schema of
        opencode-session-recall refuses are errors; with "raw", they are replaced by usable values, with a warning.
        With `wire` "camel", the answer has camelCase names. `now` is in epoch milliseconds, by default the current
        time. `cancel` has is_set(), as threading.Event has; once it is set, a search ends early. `context` and
        `options` replace those of this RecallTools. `sampling` is the curator that asks the model of an MCP client.
        Errors, an unknown name too, are answers with "ok" false, never exceptions.
        """
        options = options or self._options
        ignored = Warnings()
        given: Mapping[Any, Any] = {}
        try:
            try:
                given = self._given(name, args)
                named = self._arguments(name, given, options, wire=wire)
                ignored = named.ignored
                if mode == "schema" and name in TOOLS:
                    _check_schema(_parameters(name, options, named.values), named)
                inputs = self._call_context(context, options, now, cancel)
                answer = self._answer(name, replace(inputs, written=named.written, sampling=sampling), named.values)
            except ToolError as error:
                answer = {**error_to_dict(str(error)), "error_category": error.category, **error.extra}
            except Exception as error:  # noqa: BLE001 - a defect here must not end the session of an agent, or a batch
                answer = failed_call(error, f": {error}")
            ignored.put_first(answer)
            if options.redact and name not in self._hooks:  # hooks redact what they add, and return the rest unchanged
                answer = without_secrets(answer)
            return self._in_form(name, answer, given, wire)
        except Exception as error:  # noqa: BLE001 - nor must one in what is done with an answer
            return self._in_form(name, failed_call(error), {}, "snake")  # its text could quote what was to be redacted

    def _in_form(self, name: str, answer: dict[str, Any], args: Mapping[Any, Any], wire: str) -> dict[str, Any]:
        """Return an answer in the form of the original of its tool for `wire` "camel", else in our own."""
        if wire != "camel":
            return {**answer, "status": ERROR} if name == "session_recall" and not answer["ok"] else answer
        if name == "session_search":
            return documented_answer(answer, snake_arguments(args), added=False)
        if name == "session_recall":
            return original_answer(answer, snake_arguments(args))
        return camel_keys(answer) if name in self._hooks else camel_answer(answer)

    def _given(self, name: str, args: object) -> Mapping[Any, Any]:
        """Return the arguments of a call as they are given; those of a tool without lone surrogates, since answers
        repeat them and are written as UTF-8.

        Raises ToolError for an unknown tool and for arguments that are no object or nested deeper than MAX_DEPTH.
        """
        if name not in TOOLS and name not in self._hooks and name not in READERS:
            raise ToolError("other", f"unknown tool {name!r}: there are {', '.join((*TOOLS, *self._hooks))}")
        if not isinstance(args, Mapping):
            raise ToolError("other", f"args must be an object, not {json_kind(args)}")
        if too_deep(args):
            raise ToolError("other", f"args may be nested {MAX_DEPTH} levels deep")
        return repaired_value(args) if name in TOOLS else args

    def _arguments(self, name: str, given: Mapping[Any, Any], options: HostOptions, *, wire: str) -> NamedArguments:
        """Return the arguments of a call by the names of the parameters; those of a hook as they are given."""
        names = self._names
        written = written_names(given, wire) if names is None else lambda name: names.get(name, name)
        known = snake_arguments(given)
        if name not in TOOLS:
            return NamedArguments(known, written, Warnings())
        return named_arguments(name, _parameters(name, options, known), known, written)

    def _call_context(self, context: Context | None, options: HostOptions, now: int | None, cancel: Any) -> CallContext:
        """Return the inputs of a call; the repository is added to `context`, by default the context of the tools."""
        from recall_rank.loaders.projects.repositories import name_context_repository

        here = name_context_repository(context or self._context) or Context()
        moment = int(time.time() * 1000) if now is None else now
        histories = self._histories if options.global_ else self._view(here)
        return CallContext(histories, here, moment, options, cancel, curator=self._curator)

    def _answer(self, name: str, call: CallContext, args: Mapping[str, Any]) -> dict[str, Any]:
        hook = self._hooks.get(name) or READERS.get(name)
        return TOOLS[name].answer(call, args) if hook is None else hook(call, args)

    def _view(self, context: Context) -> Recall:
        """Return the histories reduced to the project of a context, cached for the MAX_VIEWS contexts used last."""
        context = replace(context, in_context=(), in_context_since=None)  # does not change what a project contains
        with self._lock:
            view = self._views.pop(context, None) or self._histories.only(context)
            self._views[context] = view  # a dict keeps the order of insertion: the first is the one unused longest
            while len(self._views) > MAX_VIEWS:
                del self._views[next(iter(self._views))]
            return view


def failed_call(error: Exception, text: str = "") -> dict[str, Any]:
    """Return the answer to a call that ended with an error that no tool raises on purpose; `text` is shown behind the
    name of that error.
    """
    if isinstance(error, MemoryError):
        return {**error_to_dict("there is not enough memory"), "error_category": "out_of_memory"}
    return {**error_to_dict(f"internal error: {type(error).__name__}{text}"), "error_category": "internal"}


def _parameters(name: str, options: HostOptions, args: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a tool for a call; with PraisonAI's scoring, session_search takes any limit, as
    PraisonAI does.
    """
    if name == "session_search" and args.get("scoring") == "praisonai":
        return session_search_parameters(options, original=True)
    return TOOLS[name].parameters(options)


@cache
def argument_names(tool: str) -> frozenset[str]:
    """Return the names of the arguments that a tool takes, in snake_case."""
    return frozenset(name for each in TOOLS[tool].parameters(HostOptions()) for name in (each.name, *each.aliases))


def _check_schema(parameters: Sequence[Parameter], named: NamedArguments) -> None:
    """Raise ToolError for arguments that the schema of a tool refuses."""
    odd = refused(parameters, named.values)
    if odd:
        text = f"arguments do not fit the schema: {', '.join(map(named.written, odd))}"
        raise ToolError("schema", text, rejected_by_schema=True, rejected_params=odd)
