"""One line about a tool call: its name and the arguments that tell what it did; its errors; ends of its output."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from recall_rank.frontends.transcripts.homes import HomeFolders
from recall_rank.frontends.transcripts.markdown import code_span, cut_line, escaped_markup, one_line
from recall_rank.frontends.transcripts.reminders import without_reminders
from recall_rank.frontends.transcripts.tool_shapes import PATHS, Action, Slot, tool_shape
from recall_rank.model import Flag, Part
from recall_rank.model.serialize_transcript import plain_value

OUTPUT_LINES: Final = 2  # of an output, at its beginning and again at its end
OUTPUT_CHARS: Final = 200  # of each of them
ERROR_LINES: Final = 20  # of an error, at its beginning and again at its end
ERROR_CHARS: Final = 500  # of each of them
NO_HOMES: Final = HomeFolders()
_OTHER_VALUES: Final = 3  # arguments of a tool that is not known
_OTHER_CHARS: Final = 50
_SHELLS: Final = ("bash", "sh", "zsh", "powershell", "powershell.exe", "pwsh", "cmd", "cmd.exe")
_TEXT_KEYS: Final = ("question", "content", "step", "description", "title", "goal", "prompt", "text", "name", "command")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call in short: name, action, what it was asked to do, the files that it names, whether it failed."""

    name: str
    action: Action
    detail: str
    files: tuple[str, ...]
    failed: bool


def tool_call(part: Part, homes: HomeFolders = NO_HOMES) -> ToolCall:
    """Return a tool call in short, with home folders written as "~"; its `files` are as recorded."""
    name = one_line(part.tool or "") or "tool output"
    given = _arguments(part.input)
    shape = tool_shape(part.tool or "", given.get("command"))
    if shape.slots:
        detail = " ".join(filter(None, (_slot(slot, given, homes) for slot in shape.slots)))
    else:
        values = (f"{key}={cut_line(homes.shortened(_text(value)), _OTHER_CHARS)}" for key, value in given.items())
        detail = ", ".join(value for _, value in zip(range(_OTHER_VALUES), values, strict=False))
    files = part.files or tuple(str(given[key]) for key in PATHS if isinstance(given.get(key), str))
    if files and shape.action in ("read", "edit", "write", "delete") and not any(given.get(key) for key in PATHS):
        detail = homes.shortened(", ".join(files))  # a patch names its files inside its text
    if not detail:
        detail = homes.shortened(part.title or next((value for value in map(_text, given.values()) if value), ""))
    return ToolCall(name, shape.action, cut_line(detail, 2 * OUTPUT_CHARS), files, has_failed(part))


def has_failed(part: Part) -> bool:
    """Return whether a tool call or another part is marked as failed."""
    return bool(part.error) or Flag.ERROR in part.flags or part.status == "error"


def tool_lines(part: Part, homes: HomeFolders) -> Iterator[str]:
    """Yield a tool call as an item of a list, one line, then the lines of its error, or of its output, that are kept.

    Home folders are written as "~".
    """
    call = tool_call(part, homes)
    shown = code_span(call.detail)
    output, _ = without_reminders((part.error or part.output if call.failed else part.output) or "")
    lines = [line for line in output.split("\n") if line.strip()]
    about = [
        "failed" if call.failed else part.status if part.status in ("running", "pending") else "",
        f"{len(lines):,} lines" if len(lines) > 1 else "",
        "output no longer in the agent's context" if Flag.PRUNED in part.flags else "",
    ]
    yield " ".join(filter(None, (f"- **{escaped_markup(call.name)}**", shown))) + "".join(
        f" · {each}" for each in about if each
    )
    yield from kept_lines(lines, homes, failed=call.failed)


def kept_lines(lines: list[str], homes: HomeFolders, *, failed: bool) -> Iterator[str]:
    """Yield, as items of an inner list, the first and last of the lines of an output; of an error many more of them."""
    most, chars = (ERROR_LINES, ERROR_CHARS) if failed else (OUTPUT_LINES, OUTPUT_CHARS)
    left_out = len(lines) - 2 * most
    head, tail = (lines, []) if left_out <= 0 else (lines[:most], lines[-most:])
    spans = (code_span(cut_line(homes.shortened(line), chars)) for line in head)
    yield from (f"  - {span}" for span in spans if span)
    if left_out > 0:
        yield f"  - {left_out:,} {'line' if left_out == 1 else 'lines'} left out"
    spans = (code_span(cut_line(homes.shortened(line), chars)) for line in tail)
    yield from (f"  - {span}" for span in spans if span)


def _arguments(value: Any) -> Mapping[str, Any]:
    """Return the arguments of a tool call by name; those without names are one argument, "input"."""
    plain = plain_value(value)
    if isinstance(plain, Mapping):
        return {str(key): item for key, item in plain.items()}
    return {} if plain is None else {"input": plain}


def _slot(slot: Slot, given: Mapping[str, Any], homes: HomeFolders) -> str:
    """Return the value of a slot as it is shown, "" when the call has none of its arguments."""
    value = next((given[name] for name in slot.names if given.get(name) not in (None, "", [], {}, False)), None)
    if value is None:
        return ""
    if slot.size == "chars":
        return f"({len(_text(value)):,} chars)"
    if slot.size == "items":
        return f"({len(value):,} edits)" if isinstance(value, list) else ""
    if not slot.most:
        return slot.before
    return slot.before + cut_line(homes.shortened(_text(value)), slot.most)


def _text(value: Any) -> str:
    """Return an argument as text: of a list its items, of an object its most telling value."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        if len(value) == 3 and all(isinstance(word, str) for word in value) and _is_shell(value[0]):
            return str(value[2])
        words = all(isinstance(word, str) for word in value)
        return (" " if words else "; ").join(filter(None, map(_text, value)))
    if isinstance(value, Mapping):
        told = next((value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str) and value[key]), None)
        inner = value.get("command") or value.get("query") or value.get("queries")
        return told or (_text(inner) if isinstance(inner, list) else json.dumps(value, ensure_ascii=False))
    return json.dumps(value, ensure_ascii=False)


def _is_shell(word: str) -> bool:
    return word.replace("\\", "/").rpartition("/")[2].casefold() in _SHELLS
