"""The call of a hook, as Claude Code writes it to stdin, checked; the folder of the project that it concerns."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from recall_rank.frontends.compaction.context_file import SESSION_ID
from recall_rank.frontends.compaction.records import is_recorded
from recall_rank.frontends.display_text import one_line
from recall_rank.frontends.file_edits.project_files import EditError, project_folder

STDIN_BYTES: Final = 1 << 20  # PreCompact sends the words after /compact; a longer call is refused
PROJECT_VARIABLE: Final = "CLAUDE_PROJECT_DIR"
_DEPTH: Final = 40  # folders above the working directory in which the project is looked for


class HookError(Exception):
    """A hook cannot do its work. The message is one line for a person and quotes no history."""


class ForgottenSessionError(HookError):
    """The session of a call was forgotten: neither its history nor its id may be written anywhere."""


@dataclass(frozen=True, slots=True)
class ClaudeCall:
    """One call of a hook. `trigger` is "auto" or "manual" before a compaction; `source` is how a session started, such
    as "startup" or "compact".
    """

    event: str
    session_id: str
    transcript: str
    folder: Path  # the working directory of the agent, in the project or below it
    trigger: str = ""
    source: str = ""


def claude_call(data: bytes, event: str) -> ClaudeCall:
    """Return the call of a hook for an event, such as "PreCompact". Raises HookError for anything else than such a
    call.
    """
    if len(data) > STDIN_BYTES:
        raise HookError(f"stdin has more than {STDIN_BYTES:,} bytes")
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        raise HookError("stdin is no JSON, as Claude Code sends it to a hook") from None
    if not isinstance(given, dict):
        raise HookError("stdin is no JSON object")
    named = given.get("hook_event_name", event)
    if named != event:
        raise HookError(f"the call is for {one_line(str(named))[:40]!r}, not for {event!r}")
    session_id = _text(given, "session_id")
    if SESSION_ID.fullmatch(session_id) is None:
        raise HookError("the session_id is none that Claude Code gives")
    folder = Path(_text(given, "cwd"))
    if not folder.is_absolute():
        raise HookError("the cwd is no full path")
    texts = [given.get(name) for name in ("transcript_path", "trigger", "source")]
    transcript, trigger, source = (text if isinstance(text, str) else "" for text in texts)
    return ClaudeCall(event, session_id, transcript, folder, trigger, source)


def project_of(call: ClaudeCall, environ: Mapping[str, str]) -> Path:
    """Return the folder of the project of a call, for which this machine has a record of `compact on`: the one that
    CLAUDE_PROJECT_DIR names, else the nearest one from the working directory upwards.

    Raises HookError when there is none.
    """
    named = environ.get(PROJECT_VARIABLE, "")
    folders = [Path(named)] if Path(named).is_absolute() else [call.folder, *call.folder.parents][:_DEPTH]
    try:
        for folder in folders:
            if is_recorded(Path(os.path.realpath(folder))):
                return project_folder(folder)
    except EditError as error:
        raise HookError(str(error)) from error
    above = " or above it" if len(folders) > 1 else ""
    where = one_line(str(folders[0]))
    raise HookError(f"compaction is not on in {where}{above}: this machine has no record of `compact on` there")


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value or "\0" in value:
        raise HookError(f"the call has no {name}")
    return value
