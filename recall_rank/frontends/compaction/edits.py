"""The four edits of a project: a reference line, a line of .gitignore, two hooks, and the file that they name.

Each edit is a pair of functions over the content of its file: one adds it, the other takes it out. Without later
changes, taking out what was added gives the content before, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from recall_rank.frontends.file_edits.json_edits import (
    JsonTextError,
    checked_object,
    elements,
    member,
    with_element,
    without_element,
)
from recall_rank.frontends.file_edits.project_files import EditError
from recall_rank.frontends.file_edits.text_bytes import BOM, decoded, encoded, line_end

CONTEXT: Final = ".claude/recall-context.md"
INSTRUCTIONS: Final = "CLAUDE.md"
IGNORED: Final = ".gitignore"
SETTINGS: Final = ".claude/settings.json"
REFERENCE: Final = f"@{CONTEXT}"
IGNORE_LINE: Final = f"{CONTEXT}*"  # also the temporary files beside it
OTHER_INSTRUCTIONS: Final = "AGENTS.md"
MARK: Final = "<!-- recall-rank compact -->"  # the first line of the file that we write
PRE_COMPACT_SECONDS: Final = 300  # after which Claude Code ends the hook
SESSION_START_SECONDS: Final = 20
PROGRAM: Final = "recall-rank"  # as the hooks call it: a full path would be that of one machine
HOOKS: Final = {  # event -> the command of its hook, and its seconds
    "PreCompact": (f"{PROGRAM} compact hook pre-compact", PRE_COMPACT_SECONDS),
    "SessionStart": (f"{PROGRAM} compact hook session-start", SESSION_START_SECONDS),
}
_HOOKS_KEY: Final = "hooks"


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
    return {_HOOKS_KEY: [{"type": "command", "command": f"{command} || true", "timeout": seconds}]}


def hooks_there(data: bytes | None) -> tuple[str, ...]:
    """Return the events for which settings.json runs our hook. Raises EditError for settings that are no JSON."""
    if data is None:
        return ()
    _, settings = _parsed(data)
    return tuple(event for event in HOOKS if any(True for _ in _ours(settings, event)))


def with_hooks(data: bytes | None) -> tuple[bytes, tuple[str, ...]]:
    """Return settings.json with our hooks added where they are missing, and the keys that had to be added for them:
    "hooks" and names of events.

    Raises EditError for settings that are no JSON, or whose hooks have a form that Claude Code does not know.
    """
    missing = [event for event in HOOKS if event not in hooks_there(data)]
    text = "{\n}\n" if data is None else decoded(data, SETTINGS)
    made: list[str] = []
    for event in missing:
        at, _ = checked_object(text)
        hooks = member(text, at, _HOOKS_KEY)
        if hooks is None:
            made.append(_HOOKS_KEY)
            text = with_element(text, at, {each: [hook_group(each)] for each in missing}, _HOOKS_KEY)
            made += missing
            break
        if not isinstance(hooks.value, dict):
            raise EditError(f'{SETTINGS}: "hooks" is no object')
        of_event = member(text, hooks.value_at, event)
        if of_event is None:
            made.append(event)
            text = with_element(text, hooks.value_at, [hook_group(event)], event)
        elif isinstance(of_event.value, list):
            text = with_element(text, of_event.value_at, hook_group(event))
        else:
            raise EditError(f'{SETTINGS}: the hooks of "{event}" are no list')
    return encoded(text, data), tuple(made)


def without_hooks(data: bytes, made: tuple[str, ...] | None) -> bytes:
    """Return settings.json without our hooks, and without those of the keys `made` that are then empty.

    With `made` None, every key goes that they were in and that is then empty. Raises EditError for settings that
    are no JSON.
    """
    text = decoded(data, SETTINGS)
    any_gone = False
    for event in reversed(HOOKS):
        gone = False
        while (place := next(_ours(_parsed(data)[1], event), None)) is not None:
            group_at, handler_at = place
            gone = any_gone = True
            at = _list_at(text, event)
            group = elements(text, at)[group_at]
            handlers = member(text, group.value_at, _HOOKS_KEY)
            if handlers is not None and len(handlers.value) > 1:
                text = without_element(text, handlers.value_at, handler_at)
            else:
                text = without_element(text, at, group_at)
            data = encoded(text, data)
        text = _without_empty(text, event, made, gone=gone)
        data = encoded(text, data)
    at, settings = checked_object(text)
    if settings.get(_HOOKS_KEY) == {} and (any_gone if made is None else _HOOKS_KEY in made):
        text = _without_member(text, at, _HOOKS_KEY)
    return encoded(text, data)


def names_hooks(data: bytes) -> bool:
    """Return whether a text can have a hook of ours: it has the command of one, valid JSON or not."""
    return any(command.encode() in data for command, _ in HOOKS.values())


def hooks_disabled(data: bytes | None) -> bool:
    """Return whether settings.json turns all hooks off."""
    return data is not None and _parsed(data)[1].get("disableAllHooks") is True


def _ours(settings: Mapping[str, Any], event: str) -> Iterator[tuple[int, int]]:
    """Yield (index of the group, index of the handler in it) of each of our hooks for an event."""
    hooks = settings.get(_HOOKS_KEY)
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    for group_at, group in enumerate(groups if isinstance(groups, list) else ()):
        handlers = group.get(_HOOKS_KEY) if isinstance(group, dict) else None
        for handler_at, handler in enumerate(handlers if isinstance(handlers, list) else ()):
            command = handler.get("command") if isinstance(handler, dict) else None
            if isinstance(command, str) and HOOKS[event][0] in command:
                yield group_at, handler_at


def _list_at(text: str, event: str) -> int:
    """Return where the list of groups of an event starts; it must be there."""
    hooks = member(text, checked_object(text)[0], _HOOKS_KEY)
    found = member(text, hooks.value_at, event) if hooks is not None else None
    assert found is not None  # noqa: S101 - _ours() found a hook in it
    return found.value_at


def _without_empty(text: str, event: str, made: tuple[str, ...] | None, *, gone: bool) -> str:
    """Return settings without the list of an event if it is empty and ours: one of `made`, or, with `made` None, one
    that a hook of ours was in.
    """
    hooks = member(text, checked_object(text)[0], _HOOKS_KEY)
    if hooks is None or not isinstance(hooks.value, dict) or hooks.value.get(event) != []:
        return text
    return _without_member(text, hooks.value_at, event) if (gone if made is None else event in made) else text


def _without_member(text: str, at: int, key: str) -> str:
    keys = [each.key for each in elements(text, at)]
    return without_element(text, at, len(keys) - 1 - keys[::-1].index(key))


def _parsed(data: bytes) -> tuple[int, dict[str, Any]]:
    try:
        return checked_object(decoded(data, SETTINGS))
    except JsonTextError as error:
        raise EditError(f"{SETTINGS}: {error}") from error
