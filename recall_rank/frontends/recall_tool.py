"""The `recall` tool: an agent's arguments in, the answer as JSON values out. It never raises."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, Protocol

from recall_rank.model import Context
from recall_rank.times import TimeWarning, resolve_window
from recall_rank.wire import error_to_dict, response_to_dict

if TYPE_CHECKING:
    from recall_rank.model import SearchResponse

MAX_RESULTS: Final = 50
_TIMES: Final = ("after", "from", "last", "since", "before", "to", "until")
_ACCEPTED: Final = frozenset(
    (
        *("query", "match", "scope", "group", "type", "role", "session_id", "title", "sessions", "results", "width"),
        *("directory", "fallback", "tool_name", "expand", "expand_results", "window", "expand_budget_messages"),
        *("expand_budget_chars", "explain", *_TIMES),
        # not the original tool's: what the engine adds
        *("project", "exclude_session_ids", "must", "must_not", "order", "offset", "budget_ms"),
    )
)
_CONTEXT_FIELDS: Final = tuple(field.name for field in fields(Context))


class Searcher(Protocol):
    """What answers: an Index or a Recall."""

    def search(self, query: str, **options: Any) -> SearchResponse: ...


def answer(
    searcher: Searcher, args: object, *, context: Context | None = None, now: int | None = None, cancel: object = None
) -> dict[str, Any]:
    """The tool's answer, {"ok": true, ...} or {"ok": false, "error"}; a failing call is an answer like any other."""
    try:
        query, options, warnings = read_arguments(args, int(time.time() * 1000) if now is None else now)
        if context is not None:
            options["context"] = context
        if cancel is not None:
            options["cancel"] = cancel
        output = response_to_dict(searcher.search(query, **options))
    except (ValueError, TypeError) as error:
        return error_to_dict(str(error))
    except Exception as error:  # noqa: BLE001 - a fault of ours must not end an agent's session or a batch
        return error_to_dict(f"internal error: {type(error).__name__}: {error}")
    if warnings:
        output["warnings"] = list(dict.fromkeys([*(warning.text for warning in warnings), *output.get("warnings", ())]))
    return output


def read_arguments(args: object, now: int) -> tuple[str, dict[str, Any], tuple[TimeWarning, ...]]:
    """The query, the options for search, and remarks on times that could not be used. ValueError when unusable.

    Defaults are the original tool's: literal matching, in every session; literal and regex hits in the order of
    time. Odd times are forgiven because models write them; everything else is refused by name.
    """
    if not isinstance(args, Mapping):
        raise ValueError(f"args must be an object, not {type(args).__name__}")
    unknown = sorted(str(name) for name in args if name not in _ACCEPTED)
    if unknown:
        raise ValueError(f"unknown argument {', '.join(unknown)}; accepted are {', '.join(sorted(_ACCEPTED))}")
    options = {name: value for name, value in args.items() if value is not None}
    query = options.pop("query", None)
    if not isinstance(query, str):
        raise ValueError(f"query must be a string, not {query!r}")
    _check_results(options.get("results", 10))
    times = {"from_" if name == "from" else name: options.pop(name, None) for name in _TIMES}
    window = resolve_window(now, **times, strict=False)
    options.update(now=now)
    options.update({name: bound for name, bound in (("after", window.after), ("before", window.before)) if bound})
    options.setdefault("match", "literal")
    options.setdefault("scope", "global")
    options.setdefault("order", "time" if options["match"] in ("literal", "regex") else "relevance")
    return query, options, tuple(window.warnings)


def read_context(value: object) -> Context | None:
    """The caller's context from a JSON object; blank values count as absent. ValueError when it is none."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ValueError(f"context must be an object, not {type(value).__name__}")
    for name, entry in value.items():
        if name not in _CONTEXT_FIELDS:
            raise ValueError(f"context takes {', '.join(_CONTEXT_FIELDS)}, not {name}")
        if not isinstance(entry, str | None):
            raise ValueError(f"context {name} must be a string, not {entry!r}")
    return Context(**{name: entry for name, entry in value.items() if entry and entry.strip()})


def _check_results(results: object) -> None:
    if isinstance(results, bool) or not isinstance(results, int) or not 1 <= results <= MAX_RESULTS:
        raise ValueError(f"results must be a whole number from 1 to {MAX_RESULTS}, not {results!r}")
