"""Insert a value into a JSON text, or take one out, with every other character of the text unchanged.

What is inserted follows the indentation of the text around it. Taking out what was inserted gives the text before. The
text may be JSONC: comments (`//`, `/* */`) and a comma behind the last element are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NoReturn

_BLANK: Final = " \t\n\r"
_TOKENS: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\r\n]*|/\*.*?\*/|/\*', re.DOTALL)  # strings are kept
_LAST_COMMA: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_INDENT: Final = re.compile(r"\n([ \t]+)[^ \t\r\n]")


class JsonTextError(ValueError):
    """A text is no JSON, or has no room for an edit. The message is one line for a person."""


@dataclass(frozen=True, slots=True)
class _Parsed:
    value: Any


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


def without_comments(text: str) -> str:
    """Return a JSONC text as JSON of equal length: blanks in place of comments and of a comma behind the last element.

    Raises JsonTextError for a comment that does not end.
    """
    if _parsed(text) is not None:
        return text  # nearly always: looking for comments takes far longer than reading the whole text
    return _LAST_COMMA.sub(lambda found: " " if found[0] == "," else found[0], _uncommented(text))


def _uncommented(text: str) -> str:
    """Return a JSONC text with blanks in place of comments; line ends stay."""

    def blank(found: re.Match[str]) -> str:
        if found[0].startswith('"'):
            return found[0]
        if found[0] == "/*":
            raise JsonTextError("it is no valid JSON: a comment does not end")
        return "".join(each if each in "\r\n" else " " for each in found[0])

    return text if _parsed(text) is not None else _TOKENS.sub(blank, text)


@lru_cache(2)
def _parsed(text: str) -> _Parsed | None:
    """Return the value of a JSON text without comments, None for any other text. An edit asks for it many times, of
    files with megabytes of a host's state.
    """
    try:
        return _Parsed(json.loads(text, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return None


def checked_object(text: str, *, comments: bool = False) -> tuple[int, dict[str, Any]]:
    """Return where the object of a JSON text starts, and its value, which must not be changed: others get it too; with
    `comments`, of a JSONC text.

    Raises JsonTextError for any other text.
    """
    plain = without_comments(text) if comments else text
    parsed = _parsed(plain)
    if parsed is not None:
        value = parsed.value
    else:
        try:
            value = json.loads(plain, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise JsonTextError(f"it is no valid JSON: {reason}") from error
    if not isinstance(value, dict):
        raise JsonTextError("it is no JSON object")
    return _after_blanks(plain, 0), value


@lru_cache(2)
def elements(text: str, at: int) -> Sequence[Element]:
    """Return the elements of the list, or the members of the object, that starts at character `at` of a JSON text.
    Raises JsonTextError where neither does.
    """
    text = without_comments(text)
    if text[at] not in "[{":
        raise JsonTextError("a list or an object is needed where it has another value")
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
    plain = without_comments(text)
    last = inside[-1].end if inside else at + 1
    close = _after_blanks(plain, last)
    place = last + len(text[last:close].rstrip(_BLANK))  # behind the last element, its comma and comments
    has_comma = bool(inside) and "," in _uncommented(text)[last:close]
    in_line_comment = any(found[0][:2] == "//" for found in [*_TOKENS.finditer(text, last, place)][-1:])
    if inside:
        indent = _own_line(text, inside[-1].start)
        if indent is None and in_line_comment:
            indent = _line_indent(text, at) + unit
        before = " " if indent is None else f"{line_end}{indent}"
    else:
        indent = _line_indent(text, at) + unit
        before = f"{line_end}{indent}" if "\n" in text[at:close] or in_line_comment else ""
        indent = indent if before else _line_indent(text, at)
    on_one_line = indent is None
    written = json.dumps(value, ensure_ascii=False, indent=None if on_one_line else unit)
    written = ("" if key is None else json.dumps(key) + ": ") + written.replace("\n", f"{line_end}{indent}")
    comma = "," if inside and not has_comma else ""
    return f"{text[:last]}{comma}{text[last:place]}{before}{written}{',' if has_comma else ''}{text[place:]}"


def without_element(text: str, at: int, index: int) -> str:
    """Return a JSON text without one element of the list, or one member of the object, that starts at `at`.

    Comments stay. Where the last element goes, so does the comma before it, unless a comma is behind it too.
    """
    inside = elements(text, at)
    commas = _uncommented(text)
    start, end = inside[index].start, inside[index].end
    follows = inside[index + 1].start if index + 1 < len(inside) else _after_blanks(without_comments(text), end)
    comma_behind = commas.find(",", end, follows)
    line = text[:start].rstrip(_BLANK)
    if comma_behind >= 0:
        if not index and index + 1 < len(inside) and not text[comma_behind + 1 : follows].strip(_BLANK):
            return text[:start] + text[follows:]  # the next element takes the place
        return line + text[comma_behind + 1 :]
    if index:
        start = inside[index - 1].end
        comma = commas.index(",", start)
        return text[:comma] + text[comma + 1 : len(line)].rstrip(_BLANK) + text[end:]
    return line + text[end:]


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
