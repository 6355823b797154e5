"""The formats of `export`: a session as Markdown, as HTML that loads nothing, or as lines of history JSONL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from recall_rank.frontends.display_text import safe_json, utc_minute
from recall_rank.frontends.transcripts.labels import Minute
from recall_rank.frontends.transcripts.render import markdown_lines
from recall_rank.model import Flag, Message, Part, Session, Tokens
from recall_rank.model.serialize import repaired
from recall_rank.model.serialize_transcript import plain_value

_SESSION_FIELDS: Final = (
    *("id", "title", "directory", "project", "worktree", "repository", "created", "updated", "parent", "forked_from"),
    *("continues", "source", "cost", "host", "user"),
)
_PART_FIELDS: Final = ("id", "type", "text", "tool", "input", "output", "error", "title", "prompt", "status")
_PART_FLAGS: Final = (("pruned", Flag.PRUNED), ("synthetic", Flag.SYNTHETIC))
_TIMES: Final = ("created", "updated", "time")  # 0 is an unknown time


def export_lines(session: Session, form: str, minute: Minute = utc_minute) -> Iterator[bytes]:
    """Yield the lines of a session in a format, "markdown", "html" or "jsonl", as bytes without line ends. Markdown has
    the times that `minute` gives; HTML needs the extra `web`.
    """
    if form == "jsonl":
        from recall_rank.model.serialize import json_line

        yield from (safe_json(json_line(entry)) for entry in history_lines(session))
        return
    if form == "html":
        from recall_rank.frontends.web.standalone_page import standalone_page

        yield "".join(standalone_page(session)).rstrip("\n").encode("utf-8", "replace")
        return
    yield from (line.encode("utf-8", "replace") for line in markdown_lines(session, minute))


def history_lines(session: Session) -> Iterator[dict[str, Any]]:
    """Yield a session as records of history JSONL: one for the session, then one for each message.

    Reading the records gives an equal session. Unknown values are left out.
    """
    about = {**_values(session, _SESSION_FIELDS), "agent_app": session.agent, "tokens": _token_counts(session.tokens)}
    yield {"t": "session", **_known(about)}
    for message in session.messages:
        yield _message_record(session.id, message)


def _message_record(session_id: str, message: Message) -> dict[str, Any]:
    about = {**_values(message, ("time", "author", "agent", "model", "cost")), "tokens": _token_counts(message.tokens)}
    return {
        "t": "message",
        "id": repaired(message.id),
        "session": repaired(session_id),
        "role": message.role,
        **_known(about),
        "parts": [_part_record(part, message.flags) for part in message.parts],
    }


def _part_record(part: Part, of_message: Flag) -> dict[str, Any]:
    flags = part.flags | of_message
    return _known({**_values(part, _PART_FIELDS), **{name: True for name, flag in _PART_FLAGS if flags & flag}})


def _token_counts(tokens: Tokens | None) -> dict[str, Any] | None:
    return None if tokens is None else _known(_values(tokens, ("input", "output", "cached", "reasoning")))


def _values(record: Session | Message | Part | Tokens, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: plain_value(getattr(record, name)) for name in names}


def _known(entry: dict[str, Any]) -> dict[str, Any]:
    """Return `entry` without its unknown values: None, and 0 for a time."""
    return {name: value for name, value in entry.items() if value is not None and (value or name not in _TIMES)}
