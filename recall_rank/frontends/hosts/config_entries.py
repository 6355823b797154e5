"""The MCP entry in a host's configuration: read it, put it in, take it out, with all other text as it was.

JSON may have comments. TOML and YAML get a block between marks. YAML is not parsed: a file in which the place of the
block is not certain is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
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
from recall_rank.frontends.file_edits.text_bytes import decoded, encoded, line_end
from recall_rank.frontends.hosts.host import ENTRY, JSON, TOML
from recall_rank.frontends.hosts.marked_block import block_lines, with_block, without_block

_EMPTY: Final = "{\n}\n"
_KEY: Final = r"""(?:[^\s#&*!|>'"%@`{}\[\],:?-][^:#\r\n]*|"[^"\r\n]*"|'[^'\r\n]*')"""
_TOP_KEY: Final = re.compile(rf"({_KEY})[ \t]*:(?:[ \t]+(.*))?$")
_OPEN_QUOTE: Final = re.compile(r"""(?::|-)[ \t]+(?:"(?:[^"\\]|\\.)*|'[^']*)$""")


@dataclass(frozen=True, slots=True)
class ConfigSyntax:
    """The place of the MCP entry in a configuration file: its syntax, the keys above it, the file's name."""

    syntax: str
    path: tuple[str, ...]
    name: str


def entry_of(data: bytes | None, where: ConfigSyntax) -> dict[str, Any] | None:
    """Return the value of the entry `recall`, None when there is none. Raises EditError for what cannot be read."""
    if data is None:
        return None
    text = decoded(data, where.name)
    if where.syntax == JSON:
        value: Any = _json(text, where)[1]
    elif where.syntax == TOML:
        value = _toml(text, where)
    else:
        return _yaml_entry(text, where)
    for key in where.path:
        value = value.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise EditError(f'{where.name}: "{key}" is not of the form that the host knows')
    found = value.get(ENTRY)
    if found is not None and not isinstance(found, dict):
        raise EditError(f'{where.name}: "{ENTRY}" is not of the form that the host knows')
    return found


def with_entry(data: bytes | None, value: dict[str, Any], where: ConfigSyntax) -> tuple[bytes, tuple[str, ...]]:
    """Return a configuration with the entry, and the keys above it that had to be added.

    Raises EditError for a text that cannot be edited so that only the entry is added.
    """
    text = (_EMPTY if where.syntax == JSON else "") if data is None else decoded(data, where.name)
    made: tuple[str, ...] = ()
    if where.syntax == JSON:
        after, made = _with_json(text, value, where)
    else:
        end = line_end(text.encode()).decode()
        after = _with_toml(text, value, where, end) if where.syntax == TOML else _with_yaml(text, value, where, end)
    result = encoded(after, data)
    if entry_of(result, where) != value:
        raise EditError(f"{where.name} cannot be edited: the entry would not be read as it is written")
    return result, made


def without_entry(data: bytes, where: ConfigSyntax, made: tuple[str, ...] | None) -> bytes:
    """Return a configuration without our entry, and without those keys of `made` that are then empty; with `made`
    None, without every key above it that is then empty.
    """
    text = decoded(data, where.name)
    if where.syntax != JSON:
        block_lines(text, where.name)
        return encoded(without_block(text), data)
    gone = False
    keys = (*where.path, ENTRY)
    for depth in range(len(keys) - 1, -1, -1):
        at: int | None = _json(text, where)[0]
        for key in keys[:depth]:
            found = member(text, at, key) if at is not None else None
            at = found.value_at if found is not None and isinstance(found.value, dict) else None
        found = member(text, at, keys[depth]) if at is not None else None
        if at is None or found is None:
            continue
        if depth == len(keys) - 1 or (found.value == {} and gone and (made is None or keys[depth] in made)):
            if depth < len(keys) - 1 and "/" in text[found.value_at : found.end]:
                break  # a comment is in it
            index = max(number for number, each in enumerate(elements(text, at)) if each.key == keys[depth])
            text, gone = without_element(text, at, index), True
    return encoded(text, data)


def says_nothing(data: bytes, where: ConfigSyntax) -> bool:
    """Return whether a configuration says nothing, not even in a comment."""
    text = decoded(data, where.name).strip()
    return re.fullmatch(r"\{\s*\}", text) is not None if where.syntax == JSON else not text


# --- JSON ---------------------------------------------------------------------------------------------


def _json(text: str, where: ConfigSyntax) -> tuple[int, dict[str, Any]]:
    try:
        return checked_object(text, comments=True)
    except JsonTextError as error:
        raise EditError(f"{where.name}: {error}") from error


def _with_json(text: str, value: dict[str, Any], where: ConfigSyntax) -> tuple[str, tuple[str, ...]]:
    at, before = _json(text, where)
    for number, key in enumerate(where.path):
        found = member(text, at, key)
        if found is None:
            missing = where.path[number:]
            inner: dict[str, Any] = {ENTRY: value}
            for each in reversed(missing[1:]):
                inner = {each: inner}
            after, made = with_element(text, at, inner, key), missing
            break
        at = found.value_at
    else:
        after, made = with_element(text, at, value, ENTRY), ()
    expected = json.loads(json.dumps(before))
    inside = expected
    for key in where.path:
        inside = inside.setdefault(key, {})
    inside[ENTRY] = value
    if _json(after, where)[1] != expected:
        raise EditError(f"{where.name} cannot be edited: more than the entry would change")
    return after, made


# --- TOML ---------------------------------------------------------------------------------------------


def _toml(text: str, where: ConfigSyntax) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise EditError(f"{where.name}: it is no valid TOML: {error}") from error


def _with_toml(text: str, value: dict[str, Any], where: ConfigSyntax, end: str) -> str:
    expected = _toml(text, where)
    lines = [f"[{'.'.join((*where.path, ENTRY))}]", *(f"{key} = {_written(each)}" for key, each in value.items())]
    after = with_block(text, lines, end)
    inside = expected
    for key in where.path:
        inside = inside.setdefault(key, {})
    inside[ENTRY] = value
    if _toml(after, where) != expected:
        raise EditError(f"{where.name} cannot be edited: more than the entry would change")
    return after


def _written(value: Any) -> str:
    """Return a value as TOML and YAML both read it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# --- YAML ---------------------------------------------------------------------------------------------


def _yaml_entry(text: str, where: ConfigSyntax) -> dict[str, Any] | None:
    lines = block_lines(text, where.name)
    if lines is None:
        if _yaml_place(text, where)[1]:
            raise EditError(f'{where.name}: "{ENTRY}" is there, and recall-rank did not write it')
        return None
    value: dict[str, Any] = {}
    for line in lines:
        key, _, written = line.partition(":")
        if written.strip():
            try:
                value[key] = json.loads(written)
            except ValueError:
                raise EditError(f"{where.name}: the lines between recall-rank's marks were changed") from None
    return value


def _with_yaml(text: str, value: dict[str, Any], where: ConfigSyntax, end: str) -> str:
    (at, indent), _ = _yaml_place(text, where)
    (key,) = where.path
    step = indent or "  "
    lines = [f"{ENTRY}:", *(f"{step}{name}: {_written(each)}" for name, each in value.items())]
    if not indent:
        return with_block(text, [f"{key}:", *(f"{step}{line}" for line in lines)], end, at=at)
    return with_block(text, lines, end, at=at, indent=indent)


def _yaml_place(text: str, where: ConfigSyntax) -> tuple[tuple[int, str], bool]:
    """Return where the block goes and the indent of its lines ("" for a block with the key above the entry), and
    whether an entry of our name is there. Raises EditError for YAML whose top level is not plainly `key:` after `key:`.

    Without that key the block goes to the end, or, where the last line has no line end, before the first key: a line
    end behind it could become part of a text over several lines.
    """
    (wanted,) = where.path
    section_at: int | None = None  # behind its line
    first_at: int | None = None  # of the first key
    indent, is_there, in_section, offset = "", False, False, 0
    for number, line in enumerate(text.splitlines(keepends=True)):
        bare = line.rstrip("\r\n")
        begin, offset = offset, offset + len(line)
        if not bare.strip() or bare.lstrip().startswith("#") or (bare.rstrip() == "---" and number == 0):
            continue
        if _OPEN_QUOTE.search(bare):
            raise EditError(f"{where.name}, line {number + 1}: a text over several lines is not understood")
        if bare[0] in " \t" or bare.startswith("- "):
            if not in_section:
                continue
            depth = bare[: len(bare) - len(bare.lstrip())]
            indent = indent or depth
            if "\t" in depth or not depth or len(depth) < len(indent):
                raise EditError(f'{where.name}, line {number + 1}: "{wanted}" is no mapping that can be edited')
            if depth == indent:
                child = _TOP_KEY.fullmatch(bare[len(depth) :])
                if child is None:
                    raise EditError(f'{where.name}, line {number + 1}: "{wanted}" is no mapping that can be edited')
                is_there = is_there or child[1].strip("\"' ") == ENTRY
            continue
        top = _TOP_KEY.fullmatch(bare)
        if top is None:
            raise EditError(f"{where.name}, line {number + 1}: this form of YAML is not edited")
        first_at = begin if first_at is None else first_at
        in_section = top[1].strip("\"' ") == wanted
        if in_section:
            if section_at is not None or (top[2] or "").split("#")[0].strip():
                raise EditError(f'{where.name}, line {number + 1}: "{wanted}" is no mapping that can be edited')
            section_at = offset
    if section_at is not None:
        return (section_at, indent or "  "), is_there
    at_end = first_at is None or text.endswith("\n")
    return (len(text) if at_end else first_at or 0, ""), is_there
