"""Convert whole sessions, messages and parts to plain JSON values."""

from __future__ import annotations

from typing import Any

from recall_rank.model.serialize import repaired
from recall_rank.model.sessions import Flag, Message, Part, Session

PROSE = ("text", "reasoning")


def session_to_dict(session: Session, *, with_project: bool) -> dict[str, Any]:
    """Return a session without its messages as JSON values, as an entry of a list of sessions."""
    entry: dict[str, Any] = {
        "id": repaired(session.id),
        "title": repaired(session.title or ""),
        "directory": repaired(session.directory or ""),
        "time": {"created": session.created, "updated": session.updated},
        "archived": Flag.ARCHIVED in session.flags,
    }
    if with_project and (session.project or session.worktree):
        worktree = repaired(session.worktree or "")
        entry["project"] = {"name": _name_of(session), "worktree": worktree}
    for name in ("agent", "parent", "forked_from", "continues", "repository", "host", "user"):
        value = getattr(session, name)
        if value:
            entry[name] = repaired(value)
    _used(entry, session)
    if session.places:
        entry["places"] = [repaired(place) for place in session.places]
    return entry


def heading_to_dict(session: Session) -> dict[str, Any]:
    """Return the title and directory of a session as JSON values; empty when both are unknown."""
    if session.title is None and session.directory is None:
        return {}
    return {"session_title": repaired(session.title or ""), "directory": repaired(session.directory or "")}


def message_to_dict(message: Message) -> dict[str, Any]:
    """Return a message without its parts, as JSON values."""
    entry: dict[str, Any] = {"id": repaired(message.id), "role": message.role, "time": message.time}
    for name in ("agent", "model", "author"):
        value = getattr(message, name)
        if value:
            entry[name] = repaired(value)
    _used(entry, message)
    return entry


def _used(entry: dict[str, Any], record: Session | Message) -> None:
    """Add the token counts and the cost of `record` to `entry`, where they are known."""
    if record.tokens is not None:
        counts = {name: getattr(record.tokens, name) for name in ("input", "output", "cached", "reasoning")}
        entry["tokens"] = {name: count for name, count in counts.items() if count is not None}
    if record.cost is not None:
        entry["cost"] = record.cost


def part_to_dict(part: Part) -> dict[str, Any]:
    """Return a part in full as JSON values.

    Prose is given as text, a tool call by its fields, and any other part as a text that begins with its type in
    brackets.
    """
    entry: dict[str, Any] = {
        "id": repaired(part.id),
        "type": repaired(part.type),
        "pruned": Flag.PRUNED in part.flags,
    }
    if part.type in PROSE:
        entry["content"] = repaired(part.text or "")
    elif part.type == "tool" or part.tool:
        _tool(entry, part)
    else:
        entry["content"] = repaired(_line(part))
        if part.error:
            entry["error"] = repaired(part.error)
    return entry


def _tool(entry: dict[str, Any], part: Part) -> None:
    if part.tool:
        entry["tool_name"] = repaired(part.tool)
    if part.title:
        entry["title"] = repaired(part.title)
    if part.text:
        entry["content"] = repaired(part.text)
    if part.input is not None:
        entry["input"] = plain_value(part.input)
    if part.output is not None:
        entry["output"] = repaired(part.output)
    if part.error is not None:
        entry["error"] = repaired(part.error)


def _line(part: Part) -> str:
    """Return a text for a part that is neither prose nor a tool call: its type in brackets, and its content."""
    about = part.text or ", ".join(part.files) or part.status or ""
    if part.type == "compaction":
        head = f"[compaction boundary{' (auto)' if part.status == 'auto' else ''}]"
        return f"{head}\n{part.text}" if part.text else head
    if part.type == "retry":
        about = f"attempt {part.status}" if part.status else ""
    if part.type == "subtask" and not part.text:
        about = part.prompt or ""
    return f"[{part.type}] {about}" if about else f"[{part.type}]"


def _name_of(session: Session) -> str:
    """Return the name of the project of a session: the last component of its worktree, else what its agent calls the
    project.
    """
    place = (session.worktree or "").replace("\\", "/").rstrip("/")
    return repaired(place.rpartition("/")[2] or session.project or "")


def plain_value(value: Any) -> Any:
    """Return a value as JSON values with strings of valid UTF-8. A value nested too deeply is replaced by a note."""
    try:
        return _copied(value)
    except RecursionError:
        return "[nested too deep to be shown]"


def _copied(value: Any, depth: int = 0) -> Any:
    if depth > 200:  # what writes JSON stops at about 250
        raise RecursionError
    if isinstance(value, str):
        return repaired(value)
    if isinstance(value, dict):
        return {repaired(str(key)): _copied(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(item, depth + 1) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)
