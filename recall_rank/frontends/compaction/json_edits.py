"""Insert a value into a JSON text, or take one out, with every other character of the text unchanged.

What is inserted follows the indentation of the text around it. Taking out what was inserted gives the text before.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn

_BLANK: Final = " \t\n\r"
_INDENT: Final = re.compile(r"\n([ \t]+)[^ \t\r\n]")


class JsonTextError(ValueError):
    """A text is no JSON, or has no room for an edit. The message is one line for a person."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a list, or one member of an object, as characters [start, end) of the text.

    A member has a `key`, with which it starts; `value_at` is where its value starts.
    """

    start: int
    end: int
    key: str | None
    value_at: int
    value: Any


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no value of JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


def checked_object(text: str) -> tuple[int, dict[str, Any]]:
    """Return where the object of a JSON text starts, and its value. Raises JsonTextError for any other text."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise JsonTextError(f"it is no valid JSON: {reason}") from error
    if not isinstance(value, dict):
        raise JsonTextError("it is no JSON object")
    return _after_blanks(text, 0), value


def elements(text: str, at: int) -> list[Element]:
    """Return the elements of the list, or the members of the object, that starts at character `at` of a JSON text."""
    is_object = text[at] == "{"
    found: list[Element] = []
    place = _after_blanks(text, at + 1)
    while text[place] not in "}]":
        start, key = place, None
        if is_object:
            key, place = _DECODER.raw_decode(text, place)
            place = _after_blanks(text, _after_blanks(text, place) + 1)  # behind the colon
        value, end = _DECODER.raw_decode(text, place)
        found.append(Element(start, end, key, place, value))
        place = _after_blanks(text, end)
        if text[place] == ",":
            place = _after_blanks(text, place + 1)
    return found


def member(text: str, at: int, key: str) -> Element | None:
    """Return the member with a key of the object that starts at `at`; of several, the last, whose value counts."""
    return next((each for each in reversed(elements(text, at)) if each.key == key), None)


def with_element(text: str, at: int, value: Any, key: str | None = None) -> str:
    """Return a JSON text with a value added at the end of the list, or with a key at the end of the object, that
    starts at character `at`.
    """
    unit = found[1] if (found := _INDENT.search(text)) else "  "
    line_end = "\r\n" if "\r\n" in text else "\n"
    inside = elements(text, at)
    if inside:
        indent = _own_line(text, inside[-1].start)
        place, before = inside[-1].end, ", " if indent is None else f",{line_end}{indent}"
    else:
        indent = _line_indent(text, at) + unit
        place, before = at + 1, f"{line_end}{indent}" if "\n" in text[at : _after_blanks(text, at + 1)] else ""
        indent = indent if before else _line_indent(text, at)
    on_one_line = indent is None
    written = json.dumps(value, ensure_ascii=False, indent=None if on_one_line else unit)
    written = written.replace("\n", f"{line_end}{indent}")
    return f"{text[:place]}{before}{'' if key is None else json.dumps(key) + ': '}{written}{text[place:]}"


def without_element(text: str, at: int, index: int) -> str:
    """Return a JSON text without one element of the list, or one member of the object, that starts at `at`."""
    inside = elements(text, at)
    start, end = inside[index].start, inside[index].end
    if index:
        start = inside[index - 1].end
    elif len(inside) > 1:
        end = inside[1].start
    else:
        start = at + 1
    return text[:start] + text[end:]


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _own_line(text: str, at: int) -> str | None:
    """Return the blanks before character `at` on its line; None when other characters stand there."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return before if "\n" in text[:at] and not before.strip(" \t") else None


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]
