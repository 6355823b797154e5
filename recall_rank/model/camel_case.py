"""Convert field names between snake_case and the camelCase of opencode-session-recall, the original tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

# snake_case name -> the original's, where it is not simply the same words run together
_ODD: Final = {
    "session_id": "sessionID",
    "message_id": "messageID",
    "part_id": "partID",
    "exclude_session_ids": "excludeSessionIDs",
}
_ANSWER: Final = (
    *("ok", "error", "results", "scanned", "total", "truncated", "group", "coverage", "match_mode", "degrade_kind"),
    *("load_error_count", "load_errors", "warnings", "suggestions", "near_misses", "expanded", "message", "parts"),
    *("messages", "context", "has_more_before", "has_more_after", "pagination", "sessions", "returned", "scope"),
)
_RESULT: Final = (
    *("session_id", "session_title", "directory", "message_id", "role", "time", "part_id", "part_type", "pruned"),
    *("snippet", "source", "directory_relevance", "why", "tool_name", "score", "match_mode", "matched_terms"),
    *("match_reasons", "hit_count", "title_match", "also_in"),
)
_WHY: Final = ("matched_fields", "directory_relevance", "recency", "confidence", "matched_terms")
_COVERAGE: Final = (
    *("total_sessions_known", "sessions_discovered", "sessions_eligible", "sessions_searched", "sessions_skipped"),
    *("messages_searched", "parts_searched", "skipped_by_reason", "directory_buckets_searched"),
    *("directory_bucket_counts", "limited_by"),
)
_PART: Final = ("id", "type", "content", "tool_name", "title", "input", "output", "error", "pruned")
_MESSAGE: Final = ("id", "role", "time", "agent", "model")
_SESSION: Final = ("id", "title", "directory", "time", "archived", "project")
_NEAR: Final = ("session_id", "session_title", "directory", "reason")
_NEAR_WORD: Final = ("text", "reason")  # the original has sessions only
_EXPANDED: Final = (
    *("result_index", "session_id", "message_id", "mode", "message", "messages", "has_more_before"),
    *("has_more_after", "context"),
)
_NAMED_VALUES: Final = ("matched_fields", "limited_by")  # lists of names, which are written in the same way


def camel(name: str) -> str:
    """Return a snake_case name in camelCase, in the spelling of the original tool: session_id becomes sessionID."""
    return _ODD.get(name) or _plain_camel(name)


def _plain_camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


_NAMES: Final = (
    *("session_id", "message_id", "tool_name", "expand_results", "expand_budget_messages", "expand_budget_chars"),
    *("exclude_session_ids", "must_not", "budget_ms", "primary_tools"),
    *("around_message_id", "session_prefix", "looking_for", "date_from", "date_to"),
)
_ARGUMENTS: Final = {  # each in both spellings of "id": sessionID and sessionId
    written: name for name in _NAMES for written in (_plain_camel(name), _plain_camel(name).replace("Id", "ID"))
}


def snake_arguments(args: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a mapping from argument name in snake_case to value, for arguments in snake_case or camelCase.

    snake_case wins if both are given. Names that are not strings are dropped.
    """
    found = {_ARGUMENTS.get(name, name): value for name, value in args.items() if isinstance(name, str)}
    found.update((name, args[name]) for name in _NAMES if name in args)
    return found


def written_names(args: Mapping[Any, Any], wire: str) -> Callable[[str], str]:
    """Return a function from the snake_case name of an argument to its name as the caller writes it, for messages about
    it.

    That is the name in `args`, the arguments as they were given. For other arguments it is camelCase if `wire` is
    "camel", or if the names in `args` are.
    """
    given = {_ARGUMENTS[name]: name for name in args if isinstance(name, str) and name in _ARGUMENTS}
    snake = frozenset(name for name in _NAMES if name in args)
    use_camel = wire == "camel" or (bool(given) and not snake)

    def written(name: str) -> str:
        return name if name in snake else given.get(name, camel(name) if use_camel else name)

    return written


def camel_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer in the format of the original tool: only the fields that the tool has, with camelCase names.

    Keys inside the input of a tool call are unchanged.
    """
    found = _only(answer, _ANSWER)
    for name, convert in (("results", _result), ("nearMisses", _near), ("expanded", _expansion)):
        if name in found:
            found[name] = [convert(entry) for entry in found[name]]
    if "coverage" in found:
        found["coverage"] = _coverage(found["coverage"])
    if "message" in found:
        found["message"] = _only(found["message"], _MESSAGE)
    if "parts" in found:
        found["parts"] = [_only(part, _PART) for part in found["parts"]]
    if "messages" in found:
        found["messages"] = [_whole(message) for message in found["messages"]]
    if "sessions" in found:
        found["sessions"] = [_only(session, _SESSION) for session in found["sessions"]]
    for name in ("context", "pagination"):
        if name in found:
            found[name] = {camel(key): value for key, value in found[name].items()}
    return found


def camel_keys(value: Any) -> Any:
    """Return a JSON value with all keys in camelCase, also nested ones.

    Used for hooks, which return their input with additions.
    """
    if isinstance(value, Mapping):
        return {camel(name) if isinstance(name, str) else name: camel_keys(item) for name, item in value.items()}
    return [camel_keys(item) for item in value] if isinstance(value, list) else value


def _only(entry: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {
        camel(name): [camel(word) for word in entry[name]] if name in _NAMED_VALUES else entry[name]
        for name in names
        if name in entry
    }


def _result(entry: Mapping[str, Any]) -> dict[str, Any]:
    found = {**_only(entry, _RESULT), "why": _only(entry["why"], _WHY)}
    if "alsoIn" in found:
        found["alsoIn"] = camel_keys(found["alsoIn"])
    return found


def _near(entry: Mapping[str, Any]) -> dict[str, Any]:
    return _only(entry, _NEAR if "session_id" in entry else _NEAR_WORD)


def _coverage(entry: Mapping[str, Any]) -> dict[str, Any]:
    found = _only(entry, _COVERAGE)
    if "skippedByReason" in found:
        found["skippedByReason"] = {camel(reason): count for reason, count in found["skippedByReason"].items()}
    return found


def _whole(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message with its parts as camelCase JSON values.

    The key "center", which marks the requested message among its neighbours, is copied if it is there.
    """
    found = {"message": _only(entry["message"], _MESSAGE), "parts": [_only(part, _PART) for part in entry["parts"]]}
    return {**found, "center": entry["center"]} if "center" in entry else found


def _expansion(entry: Mapping[str, Any]) -> dict[str, Any]:
    found = _only(entry, _EXPANDED)
    if "message" in found:
        found["message"] = _whole(found["message"])
    if "messages" in found:
        found["messages"] = [_whole(message) for message in found["messages"]]
    if "context" in found:
        found["context"] = {camel(key): value for key, value in found["context"].items()}
    return found
