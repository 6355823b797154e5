"""An item of a list in a YAML file, such as the name of a plugin: found, put in between marks, taken out again.

YAML is not parsed: a file in which the place of the item is not certain is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from recall_rank.frontends.file_edits.marked_block import with_block
from recall_rank.frontends.file_edits.project_files import EditError

_KEY: Final = r"""(?:[^\s#&*!|>'"%@`{}\[\],:?-][^:#\r\n]*|"[^"\r\n]*"|'[^'\r\n]*')"""
_PLAIN_KEY: Final = re.compile(rf"({_KEY})[ \t]*:(?:[ \t]+(.*))?$")
_OPEN_QUOTE: Final = re.compile(r"""(?::|-)[ \t]+(?:"(?:[^"\\]|\\.)*|'[^']*)$""")
_ONE_LINE: Final = re.compile(r"\[([^\[\]{}#\r\n]*)\]$")


@dataclass(frozen=True, slots=True)
class YamlItem:
    """An item of the list `section: key:` in a YAML file called `name`."""

    section: str
    key: str
    item: str
    name: str


@dataclass(frozen=True, slots=True)
class _YamlLine:
    """A line of the text: its number, where it begins and where the next one does, its indent and what follows it."""

    number: int
    begin: int
    end: int
    indent: str
    inner: str

    @property
    def is_item(self) -> bool:
        return self.inner == "-" or self.inner.startswith("- ")

    @property
    def item(self) -> str:
        return self.inner[2:].split(" #")[0].strip().strip("\"'")

    def key(self) -> tuple[str, str] | None:
        """Return the key of the line and what stands behind it; None for a line that is not plainly `key: value`."""
        found = _PLAIN_KEY.fullmatch(self.inner)
        return None if found is None else (found[1].strip("\"' "), (found[2] or "").split("#")[0].strip())


@dataclass(slots=True)
class _FoundList:
    """The parts of a list that are there: the lines of its section and of its key, with the values behind them, and the
    items of a list over several lines.
    """

    first: int | None = None  # where the first key of the file begins
    section: _YamlLine | None = None
    of_section: str = ""
    indent: str = ""  # of the keys in the section
    key: _YamlLine | None = None
    of_key: str = ""
    items: list[_YamlLine] = field(default_factory=list)


def has_item(text: str, where: YamlItem) -> bool:
    """Return whether the item is in the list. Raises EditError for YAML that is not understood."""
    found = _find(text, where)
    if found.key is None:
        return False
    return where.item in ([each.item for each in found.items] or _of_one_line(found.of_key, where))


def with_item(text: str, where: YamlItem, end: str) -> str:
    """Return a text with the item in the list, between marks, with the line ends `end`.

    A list that stands on one line is written anew; the line stays beside it as a comment. Raises EditError where the
    place of the item is not certain.
    """
    found = _find(text, where)
    new = f"{where.key}: {json.dumps([where.item])}"
    if found.section is None:
        # Without a line end at the end of the text, before the first key: a line end behind the last line could become
        # part of a text over several lines.
        at = len(text) if found.first is None or text.endswith("\n") else found.first
        return with_block(text, [f"{where.section}:", f"  {new}"], end, at=at)
    if found.key is None:
        if found.of_section:
            replaced = text[found.section.begin : found.section.end]
            return with_block(text, [f"{where.section}:", f"  {new}"], end, at=found.section.begin, replaced=replaced)
        return with_block(text, [new], end, at=found.section.end, indent=found.indent or "  ")
    if not found.of_key:
        indent = found.items[0].indent if found.items else f"{found.indent}  "
        return with_block(text, [f"- {where.item}"], end, at=found.key.end, indent=indent)
    lines = [f"{where.key}: {json.dumps([*_of_one_line(found.of_key, where), where.item], ensure_ascii=False)}"]
    replaced = text[found.key.begin : found.key.end]
    return with_block(text, lines, end, at=found.key.begin, indent=found.indent, replaced=replaced)


def without_line(text: str, where: YamlItem) -> str:
    """Return a text without the line of the item, which stands there without marks; as it is where it has no line."""
    for each in _find(text, where).items:
        if each.item == where.item:
            return text[: each.begin] + text[each.end :]
    return text


def _find(text: str, where: YamlItem) -> _FoundList:
    """Return what is there of the list. Raises EditError for YAML that is not plainly `key:` after `key:`."""
    found = _FoundList()
    in_section = in_list = False
    for line in _lines(text, where):
        if line.indent or line.is_item:
            in_list = in_section and _inside(line, found, where, in_list=in_list)
            continue
        top = line.key()
        if top is None:
            raise EditError(f"{where.name}, line {line.number}: this form of YAML is not edited")
        found.first = line.begin if found.first is None else found.first
        in_section, in_list = top[0] == where.section, False
        if in_section:
            if found.section is not None or top[1] not in ("", "{}"):
                raise _unclear(where, line, where.section)
            found.section, found.of_section = line, top[1]
    return found


def _inside(line: _YamlLine, found: _FoundList, where: YamlItem, *, in_list: bool) -> bool:
    """Take a line of the section; return whether what follows may be an item of the list."""
    found.indent = found.indent or line.indent
    if "\t" in line.indent or len(line.indent) < max(1, len(found.indent)):
        raise _unclear(where, line, where.section)
    if line.is_item and in_list:
        found.items.append(line)
        return True
    if line.is_item or len(line.indent) > len(found.indent):
        if in_list:
            raise _unclear(where, line, where.key)
        return False
    child = line.key()
    if child is None:
        raise _unclear(where, line, where.section)
    if child[0] != where.key:
        return False
    if found.key is not None:
        raise _unclear(where, line, where.key)
    found.key, found.of_key = line, child[1]
    return True


def _lines(text: str, where: YamlItem) -> Iterator[_YamlLine]:
    """Yield the lines that are neither blank nor comments."""
    offset = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        bare = line.rstrip("\r\n")
        begin, offset = offset, offset + len(line)
        inner = bare.lstrip()
        if not inner or inner.startswith("#") or (bare.rstrip() == "---" and number == 1):
            continue
        if _OPEN_QUOTE.search(bare):
            raise EditError(f"{where.name}, line {number}: a text over several lines is not understood")
        yield _YamlLine(number, begin, offset, bare[: len(bare) - len(inner)], inner)


def _of_one_line(value: str, where: YamlItem) -> list[str]:
    """Return the items of a list that stands on one line, without quotes; none for an empty value."""
    listed = _ONE_LINE.fullmatch(value or "[]")
    if listed is None:
        raise EditError(f'{where.name}: "{where.key}" is no list that can be edited')
    return [each.strip().strip("\"'") for each in listed[1].split(",") if each.strip()]


def _unclear(where: YamlItem, line: _YamlLine, key: str) -> EditError:
    return EditError(f'{where.name}, line {line.number}: "{key}" is no list or mapping that can be edited')
