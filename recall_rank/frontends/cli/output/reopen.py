"""Make the shell command that reopens a session in the agent that wrote it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any, Final

from recall_rank.frontends.display_text import escape
from recall_rank.model import Flag

# Name of a store -> words of the command, {} for the id. Other agents have no such command.
_COMMANDS: Final = {
    "claude-code": ("claude", "--resume", "{}"),
    "codex": ("codex", "resume", "{}"),
    "copilot-cli": ("copilot", "--resume={}"),
    "cursor-cli": ("cursor-agent", "--resume", "{}"),
    "gemini-cli": ("gemini", "--resume", "{}"),
    "goose": ("goose", "session", "--resume", "--session-id", "{}"),
    "hermes": ("hermes", "--resume", "{}"),
    "opencode": ("opencode", "--session", "{}"),
    "pi": ("pi", "--session", "{}"),
}
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")  # does not begin with a dash, and so is no option
# Subagents have no session of their own to open; a session that is gone at its source cannot be opened.
_NOT_REOPENED: Final = Flag.SUBAGENT | Flag.SOURCE_MISSING


def reopen(store: str | None, session_id: str, directory: str | None, flags: Flag = Flag.NONE) -> str | None:
    """Return the shell command that reopens a session in its directory; None when it cannot be reopened by a command.

    `store` is the name of the store that holds the session. Id and directory are quoted for the shell.
    """
    command = _COMMANDS.get(store or "")
    if command is None or flags & _NOT_REOPENED or not _ID.fullmatch(session_id):
        return None
    words = shlex.join(word.format(session_id) for word in command)
    if not directory:
        return words
    if escape(directory) != directory or not directory.startswith("/"):
        return None  # its escaped form, which is shown, would be another directory
    if not Path(directory).is_dir():
        return None  # it is gone, or was on another machine
    return f"cd {shlex.quote(directory)} && {words}"


def put_reopen(entry: dict[str, Any], store: str | None, session_id: str, directory: str | None, flags: Flag) -> None:
    """Add the shell command that reopens a session to its JSON object `entry`, under the name `reopen`, if there is
    one.
    """
    command = reopen(store, session_id, directory, flags)
    if command:
        entry["reopen"] = command
