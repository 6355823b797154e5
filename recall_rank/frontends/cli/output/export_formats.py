"""The format of `export` that can be read again: a session as lines of history JSONL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from recall_rank.model import Flag, Message, Part, Session, Tokens
from recall_rank.model.serialize import repaired
from recall_rank.model.serialize_transcript import plain_value

_SESSION_FIELDS: Final = (
    *("id", "title", "directory", "project", "worktree", "repository", "created", "updated", "parent", "forked_from"),
    *("continues", "source", "cost"),
)
_PART_FIELDS: Final = ("id", "type", "text", "tool", "input", "output", "error", "title", "prompt", "status")
_PART_FLAGS: Final = (("pruned", Flag.PRUNED), ("synthetic", Flag.SYNTHETIC))
_TIMES: Final = ("created", "updated", "time")  # 0 is an unknown time


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
