"""A session as lines of the neutral history format, so that reading them gives the session back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from recall_rank.model import Flag, Message, Part, Session, Tokens
from recall_rank.model.serialize import repaired
from recall_rank.model.serialize_transcript import plain_value

_SESSION: Final = (
    *("id", "title", "directory", "project", "worktree", "repository", "created", "updated", "parent", "forked_from"),
    *("continues", "source", "cost"),
)
_PART: Final = ("id", "type", "text", "tool", "input", "output", "error", "title", "prompt", "status")
_PART_FLAGS: Final = (("pruned", Flag.PRUNED), ("synthetic", Flag.SYNTHETIC))
_ZEROES: Final = ("created", "updated", "time")  # 0 is unknown


def history_lines(session: Session) -> Iterator[dict[str, Any]]:
    """The line of the session, then one for each message. What is unknown is left out."""
    about = {**_values(session, _SESSION), "agent_app": session.agent, "tokens": _tokens(session.tokens)}
    yield {"t": "session", **_known(about)}
    for message in session.messages:
        yield _message(session.id, message)


def _message(session_id: str, message: Message) -> dict[str, Any]:
    about = {**_values(message, ("time", "author", "agent", "model", "cost")), "tokens": _tokens(message.tokens)}
    return {
        "t": "message",
        "id": repaired(message.id),
        "session": repaired(session_id),
        "role": message.role,
        **_known(about),
        "parts": [_part(part, message.flags) for part in message.parts],
    }


def _part(part: Part, of_message: Flag) -> dict[str, Any]:
    flags = part.flags | of_message
    return _known({**_values(part, _PART), **{name: True for name, flag in _PART_FLAGS if flags & flag}})


def _tokens(tokens: Tokens | None) -> dict[str, Any] | None:
    return None if tokens is None else _known(_values(tokens, ("input", "output", "cached", "reasoning")))


def _values(record: Session | Message | Part | Tokens, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: plain_value(getattr(record, name)) for name in names}


def _known(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if value is not None and (value or name not in _ZEROES)}
