"""Hooks of recall-rank in the settings of a host: the command of each, whether a command is one, and whether Claude
Code's settings have one.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from recall_rank.histories.user_files import read_user_file

PROGRAM: Final = "recall-rank"
MODULE: Final = ("-m", "recall_rank")
_HOOK: Final = "hook"
_CLAUDE: Final = "claude-code"
_LARGEST: Final = 1 << 20  # bytes of settings


def hook_command(program: Sequence[str], host: str, event: str) -> str:
    """Return the shell command of the hook for an event of a host.

    It ends with status 0 even where the program is missing, or is a version without the command: another status would
    keep some hosts from going on.
    """
    return f"{shlex.join((*program, _HOOK, host, event))} || true"


def is_our_hook(command: str, host: str, event: str) -> bool:
    """Return whether a shell command runs the hook of recall-rank for an event of a host, wherever the program lies."""
    if event not in command:
        return False
    try:
        words = shlex.split(command)
    except ValueError:  # a quote does not end
        return False
    called = [_HOOK, host, event]
    return any(words[at : at + 3] == called and runs_us(words[:at]) for at in range(1, len(words) - 2))


def runs_us(words: Sequence[str]) -> bool:
    """Return whether the beginning of a command line, up to the name of a command of ours, starts recall-rank."""
    return tuple(words[-2:]) == MODULE or (bool(words) and words[-1].rpartition("/")[2] in (PROGRAM, f"{PROGRAM}.exe"))


def claude_settings_run(event: str, folder: str, environ: Mapping[str, str], home: Path) -> bool:
    """Return whether the settings of Claude Code, of the user or of the project in `folder`, run our hook for an event.
    What cannot be read runs nothing.
    """
    user = Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    project = Path(environ.get("CLAUDE_PROJECT_DIR") or folder or home) / ".claude"
    return any(
        _runs_hook(path, event)
        for path in (user / "settings.json", project / "settings.json", project / "settings.local.json")
    )


def _runs_hook(path: Path, event: str) -> bool:
    try:
        data = read_user_file(path, _LARGEST) or b""
    except OSError:
        return False
    if f"{_HOOK} {_CLAUDE} {event}".encode() not in data:
        return False  # most settings: what reads them is not imported
    from recall_rank.frontends.file_edits.hook_entries import HookFile
    from recall_rank.frontends.file_edits.project_files import EditError

    file = HookFile(path.name, lambda named, command: named == event and is_our_hook(command, _CLAUDE, event))
    try:
        return bool(file.handlers(data))
    except EditError:
        return False
