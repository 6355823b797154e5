"""Make the shell command that reopens a session in the agent that wrote it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from recall_rank.frontends.display_text import escape
from recall_rank.model import Flag, Session

# Name of a store -> words of the command, {} for the id. Other agents have no such command.
_COMMANDS: Final = {
    "claude-code": ("claude", "--resume", "{}"),
    "codex": ("codex", "resume", "{}"),
    "copilot-cli": ("copilot", "--resume={}"),
    "cursor-cli": ("cursor-agent", "--resume", "{}"),
    "gemini-cli": ("gemini", "--resume", "{}"),
    "goose": ("goose", "session", "--resume", "--session-id", "{}"),
    "hermes": ("hermes", "--resume", "{}"),
    "memo-agent": ("memo", "--resume", "{}"),  # only a full id: for another one it begins a new session
    "opencode": ("opencode", "--session", "{}"),
    "pi": ("pi", "--session", "{}"),
    "tallow": ("tallow", "--resume", "{}"),
}
_MEMO_PROFILE: Final = re.compile(r"[\\/]profiles[\\/]([^\\/]+)[\\/][^\\/]+$")  # the folder of a database
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")  # does not begin with a dash, and so is no option
# Subagents have no session of their own to open; a session that is gone at its source cannot be opened.
_NOT_REOPENED: Final = Flag.SUBAGENT | Flag.SOURCE_MISSING


@dataclass(frozen=True, slots=True)
class ReopenCommand:
    """The words of a command that reopens a session, and the folder in which it is run; None for any folder."""

    words: tuple[str, ...]
    folder: str | None

    @property
    def line(self) -> str:
        """The command as a line for a shell; every word and the folder are quoted."""
        words = shlex.join(self.words)
        return words if self.folder is None else f"cd {shlex.quote(self.folder)} && {words}"


def reopen_command(
    store: str | None,
    session_id: str,
    directory: str | None,
    flags: Flag = Flag.NONE,
    places: Sequence[str] = (),
) -> ReopenCommand | None:
    """Return the command that reopens a session in its directory; None when it cannot be reopened by a command.

    `store` is the name of the store that holds the session. `places` are the files in which it lies; memo-agent's
    profile is found in the first one, and without it there is no command, since memo-agent begins a new session when
    the profile has none of that id.
    """
    command = _COMMANDS.get(store or "")
    if command is None or flags & _NOT_REOPENED or not _ID.fullmatch(session_id):
        return None
    words = [word.format(session_id) for word in command]
    if store == "memo-agent":
        if not places:
            return None
        profile = _MEMO_PROFILE.search(places[0])
        if profile is not None:
            if not _ID.fullmatch(profile[1]):
                return None
            words += ["--profile", profile[1]]
    if not directory:
        return ReopenCommand(tuple(words), None)
    if escape(directory) != directory or not directory.startswith("/"):
        return None  # its escaped form, which is shown, would be another directory
    if not Path(directory).is_dir():
        return None  # it is gone, or was on another machine
    return ReopenCommand(tuple(words), directory)


def reopen(
    store: str | None,
    session_id: str,
    directory: str | None,
    flags: Flag = Flag.NONE,
    places: Sequence[str] = (),
) -> str | None:
    """Return the command of reopen_command() as a line for a shell; None when there is none."""
    found = reopen_command(store, session_id, directory, flags, places)
    return None if found is None else found.line


def why_not_reopened(session: Session) -> str:
    """Return why reopen_command() has no command for a session."""
    if session.flags & Flag.SOURCE_MISSING:
        return "it is gone at its source"
    if session.flags & Flag.SUBAGENT:
        return "it is the session of a subagent"
    if session.directory and not os.path.isdir(session.directory):  # noqa: PTH112 - a name that is no path is no folder
        return f"its folder {session.directory} is not on this machine"
    return f"{session.agent or session.source or 'its agent'} has no command for it"


def put_reopen(
    entry: dict[str, Any],
    store: str | None,
    session_id: str,
    directory: str | None,
    flags: Flag,
    places: Sequence[str] = (),
) -> None:
    """Add the shell command that reopens a session to its JSON object `entry`, under the name `reopen`, if there is
    one.
    """
    command = reopen(store, session_id, directory, flags, places)
    if command:
        entry["reopen"] = command
