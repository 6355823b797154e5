"""The command that opens a session again in the program that wrote it."""

from __future__ import annotations

import re
import shlex
from typing import Any, Final

from recall_rank.frontends.cli.output.terminal import escape
from recall_rank.model import Flag

# A store's name -> what its program is told. Where nothing is known of a program, nothing is shown.
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
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")  # no id of these programs looks like an option
# A part of a session, which no program opens by itself; what its program deleted.
_NOT_REOPENED: Final = Flag.SUBAGENT | Flag.SOURCE_MISSING


def reopen(store: str | None, session_id: str, directory: str | None, flags: Flag = Flag.NONE) -> str | None:
    """What to type into a shell, in the session's folder where it is known; None where there is no such command.

    `store` is the store that the session was read from: a history that was copied from elsewhere is in no program.
    Nothing of a session is understood by the shell as anything but one word.
    """
    command = _COMMANDS.get(store or "")
    if command is None or flags & _NOT_REOPENED or not _ID.fullmatch(session_id):
        return None
    words = shlex.join(word.format(session_id) for word in command)
    if not directory:
        return words
    if escape(directory) != directory or not directory.startswith("/"):
        return None  # what cannot be shown as it is cannot be typed
    return f"cd {shlex.quote(directory)} && {words}"


def put_reopen(entry: dict[str, Any], store: str | None, session_id: str, directory: str | None, flags: Flag) -> None:
    """Add the command to an answer's entry as `reopen`; nothing where there is none."""
    command = reopen(store, session_id, directory, flags)
    if command:
        entry["reopen"] = command
