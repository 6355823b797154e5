"""The four edits of a project: a reference line, a line of .gitignore, two hooks, and the file that they name.

Each edit is a pair of functions over the content of its file: one adds it, the other takes it out. Without later
changes, taking out what was added gives the content before, byte for byte.
"""

from __future__ import annotations

from typing import Any, Final

from recall_rank.frontends.file_edits.hook_entries import HOOKS_KEY, HookFile
from recall_rank.frontends.file_edits.project_files import EditError
from recall_rank.frontends.file_edits.text_bytes import BOM, line_end

CONTEXT: Final = ".claude/recall-context.md"
INSTRUCTIONS: Final = "CLAUDE.md"
IGNORED: Final = ".gitignore"
SETTINGS: Final = ".claude/settings.json"
REFERENCE: Final = f"@{CONTEXT}"
IGNORE_LINE: Final = f"{CONTEXT}*"  # also the temporary files beside it
OTHER_INSTRUCTIONS: Final = "AGENTS.md"
MARK: Final = "<!-- recall-rank compact -->"  # the first line of the file that we write
PRE_COMPACT_SECONDS: Final = 300  # after which Claude Code ends the hook
SESSION_START_SECONDS: Final = 5
PROGRAM: Final = "recall-rank"  # as the hooks call it: a full path would be that of one machine
HOOKS: Final = {  # event -> the command of its hook, and its seconds
    "PreCompact": (f"{PROGRAM} compact hook pre-compact", PRE_COMPACT_SECONDS),
    "SessionStart": (f"{PROGRAM} compact hook session-start", SESSION_START_SECONDS),
}


# --- lines of a text file ----------------------------------------------------------------------------


def has_line(data: bytes | None, line: str) -> bool:
    """Return whether a text has a line, blanks around it aside."""
    return any(each.strip() == line.encode() for each in (data or b"").removeprefix(BOM).splitlines())


def with_first_line(data: bytes, line: str, name: str) -> bytes:
    """Return a text with a line put first, behind a byte order mark. Raises EditError for UTF-16 and UTF-32."""
    _check_text(data, name)
    mark = BOM if data.startswith(BOM) else b""
    return mark + line.encode() + line_end(data) + data.removeprefix(mark)


def with_last_line(data: bytes, line: str, name: str) -> bytes:
    """Return a text with a line put last. The text ends with a line end afterwards if it did before, or was empty.
    Raises EditError for UTF-16 and UTF-32.
    """
    _check_text(data, name)
    end = line_end(data)
    if not data.removeprefix(BOM) or data.endswith((b"\n", b"\r")):
        return data + line.encode() + end
    return data + end + line.encode()


def without_line(data: bytes, line: str) -> bytes:
    """Return a text without the lines that are this one, blanks around it aside. Where the last line goes that has no
    line end, the line before loses its own.
    """
    mark = BOM if data.startswith(BOM) else b""
    lines = data.removeprefix(mark).splitlines(keepends=True)
    kept = [each for each in lines if each.strip() != line.encode()]
    if kept and lines[-1].strip() == line.encode() and not lines[-1].endswith((b"\n", b"\r")):
        last = kept[-1]
        kept[-1] = last.removesuffix(b"\r\n") if last.endswith(b"\r\n") else last[:-1]
    return mark + b"".join(kept)


def _check_text(data: bytes, name: str) -> None:
    if b"\0" in data or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise EditError(f"{name} is no text in UTF-8: a line that is put into it could not be read")


# --- hooks of settings.json ---------------------------------------------------------------------------


def hook_group(event: str) -> dict[str, Any]:
    """Return the entry of an event in settings.json that runs our hook.

    The command ends with status 0 even where the program is missing, or is a version without the command: status 2 of
    a PreCompact hook would keep Claude Code from compacting.
    """
    command, seconds = HOOKS[event]
    return {HOOKS_KEY: [{"type": "command", "command": f"{command} || true", "timeout": seconds}]}


def hooks_there(data: bytes | None) -> tuple[str, ...]:
    """Return the events for which settings.json runs our hook. Raises EditError for settings that are no JSON."""
    there = _HOOK_FILE.handlers(data)
    return tuple(event for event in HOOKS if event in there)


def with_missing_hooks(data: bytes | None) -> tuple[bytes, tuple[str, ...]]:
    """Return settings.json with our hooks added where they are missing, and the keys that had to be added for them, as
    HookFile.with_hooks() does.
    """
    there = hooks_there(data)
    return _HOOK_FILE.with_hooks(data, {event: hook_group(event) for event in HOOKS if event not in there})


def without_our_hooks(data: bytes, made: tuple[str, ...] | None) -> bytes:
    """Return settings.json without our hooks and the keys that were added for them, as
    HookFile.without_hooks() does."""
    return _HOOK_FILE.without_hooks(data, made)


def names_hooks(data: bytes) -> bool:
    """Return whether a text can have a hook of ours: it has the command of one, valid JSON or not."""
    return any(command.encode() in data for command, _ in HOOKS.values())


def _is_ours(event: str, command: str) -> bool:
    return event in HOOKS and HOOKS[event][0] in command


_HOOK_FILE: Final = HookFile(SETTINGS, _is_ours)
