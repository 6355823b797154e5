"""Answers as text for a model: marked as quoted data, between delimiters that no recalled text can imitate."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Final

from recall_rank.analysis.text_edits import edited
from recall_rank.frontends.display_text import escaped, is_shown, unsafe_in_lines, utc_minute
from recall_rank.model.recalled_text import NOTICE

TRUST: Final = "untrusted-history"
ITEM_LISTS: Final = ("results", "expanded", "messages", "parts", "sessions", "near_misses")
# Fields for programs, which a model does not read.
_FOR_PROGRAMS: Final = frozenset(
    "spans stages_run degrade_kinds cpu_ms elapsed_ms stage trust notice part_id pruned "
    "recalled_begin recalled_end warning_categories suggestion_categories "
    "sessions_discovered sessions_eligible messages_searched parts_searched per_source total_sessions_known "
    "directory_relevance history stale_ms".split()
)
_JSON_CONTROLS: Final = (b"\\u00", b"\\r", b"\\b", b"\\f", b"\x7f")  # control characters as orjson writes them
_VERBATIM: Final = frozenset({"input", "skipped", "skipped_by_reason"})  # input of a tool call; counts by reason
_TIMES: Final = frozenset({"time", "created", "updated"})


def with_controls_escaped(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer with control and invisible characters in its texts escaped, such as \\x1b or \\u202e.

    Line ends and tabs are kept. The spans of a changed snippet are corrected, so that they cover their words.
    """
    import orjson

    document = orjson.dumps(answer)
    clean = not any(escape in document for escape in _JSON_CONTROLS)
    if clean and (document.isascii() or unsafe_in_lines().search(document.decode()) is None):
        return answer  # the usual case: one pass over the bytes
    shown: dict[str, Any] = _escaped_value(answer)
    return shown


def _escaped_value(value: Any) -> Any:
    if isinstance(value, str):
        return _escaped_text(value)
    if isinstance(value, dict):
        shown = {_escaped_text(key): _escaped_value(item) for key, item in value.items()}
        if isinstance(value.get("snippet"), str) and shown["snippet"] != value["snippet"]:
            shown["spans"] = _moved(value["snippet"], value.get("spans") or [])
        return shown
    return [_escaped_value(item) for item in value] if isinstance(value, list) else value


def new_mark() -> str:
    """Return a random number of 128 bits for the delimiters of one answer, so that no recalled text can contain it."""
    return os.urandom(16).hex()


def marked(answer: Mapping[str, Any], mark: str) -> dict[str, Any]:
    """Return the answer as JSON values for a model: a notice, then its fields between two fields with `mark`.

    Some hosts show their model these values and not the text.
    """
    return {
        "ok": answer["ok"],
        "trust": TRUST,
        "notice": f"{NOTICE} It stands between recalled_begin and recalled_end, with the number {mark}.",
        "recalled_begin": f"<<<recalled {mark}>>>",
        **{name: value for name, value in answer.items() if name != "ok"},
        "recalled_end": f"<<<end of recalled {mark}>>>",
    }


def untrusted_text(answer: Mapping[str, Any], mark: str | None = None) -> str:
    """Return the answer as text for a model: a notice, then JSON lines between two delimiters with `mark`.

    A JSON line consists of the name of a list and one of its items; the line "answer" has all other fields. Without
    `mark`, a new one is made.
    """
    import orjson

    lines = ["answer " + orjson.dumps(for_readers({k: v for k, v in answer.items() if k not in ITEM_LISTS})).decode()]
    for name in ITEM_LISTS:
        lines += (f"{name} {orjson.dumps(for_readers(item)).decode()}" for item in answer.get(name) or ())
    text = fenced(lines, mark)
    if "next_cursor" in answer:
        text += f"\nThe answer goes on: call again with the same arguments and cursor {answer['next_cursor']!r}."
    return text


def fenced(lines: Iterable[str], mark: str | None = None) -> str:
    """Return recalled lines behind a notice, between two delimiters with `mark`, by default a new one."""
    mark = mark or new_mark()
    return "\n".join(
        (
            f"{NOTICE} It stands between the two lines with the number {mark}.",
            f"<<<recalled {mark}>>>",
            *lines,
            f"<<<end of recalled {mark}>>>",
        )
    )


def for_readers(value: Any) -> Any:
    """Return the JSON value without the fields that only programs need, and with times as dates."""
    if isinstance(value, dict):
        return {name: _field_for_readers(name, item) for name, item in value.items() if name not in _FOR_PROGRAMS}
    return [for_readers(item) for item in value] if isinstance(value, list) else value


def _field_for_readers(name: str, value: Any) -> Any:
    if name in _VERBATIM:
        return value
    return utc_minute(value) if name in _TIMES and isinstance(value, int) else for_readers(value)


def _escaped_text(text: str) -> str:
    return text if is_shown(text) else unsafe_in_lines().sub(escaped, text)


def _moved(text: str, spans: list[dict[str, int]]) -> list[dict[str, int]]:
    """Return `spans`, which are character ranges of `text`, as ranges of its escaped form."""
    edits = [(*found.span(), escaped(found)) for found in unsafe_in_lines().finditer(text)]
    shown = edited(text, edits)
    moved = []
    for span in spans:
        start, end = shown.span(span["start"], span["end"])
        moved.append({**span, "start": start, "end": end})
    return moved
