"""The entry in a host's configuration: read it, put it in, take it out, with all other text as it was.

It is that of the MCP server, or, in YAML, the name of our plugin in a list. JSON may have comments. TOML and YAML get a
block between marks.
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
from recall_rank.frontends.file_edits.marked_block import block_lines, with_block, without_block
from recall_rank.frontends.file_edits.project_files import EditError
from recall_rank.frontends.file_edits.text_bytes import decoded, encoded, line_end
from recall_rank.frontends.file_edits.yaml_items import YamlItem, has_item, with_item, without_line
from recall_rank.frontends.hosts.host import ENTRY, JSON, TOML

_EMPTY: Final = "{\n}\n"
PLUGIN_ENTRY: Final = {"item": "recall_rank"}  # of a list of plugins in YAML


@dataclass(frozen=True, slots=True)
class ConfigSyntax:
    """The place of the entry in a configuration file: its syntax, the keys above it, the file's name."""

    syntax: str
    path: tuple[str, ...]
    name: str


def entry_of(data: bytes | None, where: ConfigSyntax) -> dict[str, Any] | None:
    """Return the value of the entry `recall`, None when there is none; of an item of a YAML list, {"item": its name}.

    Raises EditError for what cannot be read.
    """
    if data is None:
        return None
    text = decoded(data, where.name)
    if where.syntax == JSON:
        value: Any = _json(text, where)[1]
    elif where.syntax == TOML:
        value = _toml(text, where)
    else:
        block_lines(text, where.name)  # marks that are torn are refused
        return dict(PLUGIN_ENTRY) if has_item(text, _item(where)) else None
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
        toml = where.syntax == TOML
        after = _with_toml(text, value, where, end) if toml else with_item(text, _item(where), end)
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
        marked = block_lines(text, where.name) is not None
        if where.syntax == TOML or marked:
            return encoded(without_block(text), data)
        return encoded(without_line(text, _item(where)), data)  # the host wrote its file anew, without comments
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
        if not isinstance(found.value, dict):
            raise EditError(f'{where.name}: "{key}" is not of the form that the host knows')
        at = found.value_at
    else:
        if member(text, at, ENTRY) is not None:
            raise EditError(f'{where.name}: "{ENTRY}" is not of the form that the host knows')
        after, made = with_element(text, at, value, ENTRY), ()
    if _json(after, where)[1] != _with_value(before, where.path, value):
        raise EditError(f"{where.name} cannot be edited: more than the entry would change")
    return after, made


def _with_value(before: dict[str, Any], path: tuple[str, ...], value: dict[str, Any]) -> dict[str, Any]:
    """Return settings with the entry below the keys of a path; `before` is not changed."""
    if not path:
        return {**before, ENTRY: value}
    return {**before, path[0]: _with_value(before.get(path[0], {}), path[1:], value)}


# --- TOML ---------------------------------------------------------------------------------------------


def _toml(text: str, where: ConfigSyntax) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise EditError(f"{where.name}: it is no valid TOML: {error}") from error


def _with_toml(text: str, value: dict[str, Any], where: ConfigSyntax, end: str) -> str:
    before = _toml(text, where)
    lines = [f"[{'.'.join((*where.path, ENTRY))}]", *(f"{key} = {_written(each)}" for key, each in value.items())]
    after = with_block(text, lines, end)
    if _toml(after, where) != _with_value(before, where.path, value):
        raise EditError(f"{where.name} cannot be edited: more than the entry would change")
    return after


def _written(value: Any) -> str:
    """Return a value as TOML reads it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# --- YAML ---------------------------------------------------------------------------------------------


def _item(where: ConfigSyntax) -> YamlItem:
    section, key = where.path
    return YamlItem(section, key, PLUGIN_ENTRY["item"], where.name)
