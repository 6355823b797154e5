"""Divide a long answer into pages of limited size, so that every value of the answer is on some page.

An answer is traversed leaf by leaf; a leaf is a string, a number or an empty container. A cursor is
"LEAF.OFFSET.CHECKSUM": the index of the leaf at which a page begins, the number of its characters that earlier pages
returned, and the checksum of that leaf.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Final

from recall_rank.frontends.tools.untrusted_text import ITEM_LISTS
from recall_rank.frontends.tools.warnings import ToolError

ANSWER_BYTES: Final = 18_000  # of an answer that a model reads: with its marks below 5,000 tokens of four characters
RESOURCE_BYTES: Final = 65_536  # of a resource, which a person has chosen
_REPEATED: Final = ("id", "session_id", "message_id", "part_id", "role", "type")  # on every page that continues an item
_MIN_CHARS: Final = 1_024  # of a text on a page, so that every page makes progress
_ABSENT: Final = object()


def paged(answer: dict[str, Any], cursor: str | None = None, limit: int = ANSWER_BYTES) -> dict[str, Any]:
    """Return the page of `answer` that begins at `cursor`, of about `limit` bytes; without a cursor, the first page.

    The page has `next_cursor` when another one follows. A text that is too long for a page is continued on the next
    page, where the ids of its message and part are repeated. What is no list of items, such as the total, is on the
    first page. Raises ToolError for a malformed cursor and for a cursor of another answer.
    """
    import orjson

    if cursor is None and len(orjson.dumps(answer)) <= limit:
        return answer
    page = _PageBuilder(limit, *_read_cursor(cursor))
    items_last = sorted(answer.items(), key=lambda field: field[0] in ITEM_LISTS)  # stable
    found = page.take(dict(items_last), 0)
    if cursor is not None and page.expected is not None:
        raise _stale_cursor()
    taken: dict[str, Any] = found if isinstance(found, dict) else {}
    if page.following is not None:
        taken["next_cursor"] = page.following
    return {"ok": answer.get("ok", True), **taken}


def _read_cursor(cursor: str | None) -> tuple[int, int, str | None]:
    """Return (leaf, offset, checksum) of a cursor: leaf index, characters, text; (0, 0, None) without a cursor.

    Raises ToolError when the cursor is malformed.
    """
    if cursor is None:
        return 0, 0, None
    leaf, _, rest = cursor.partition(".")
    offset, _, check = rest.partition(".")
    if len(cursor) > 60 or not (leaf.isdecimal() and offset.isdecimal() and check):
        raise ToolError("cursor", "cursor must be the next_cursor of an answer to the same call")
    return int(leaf), int(offset), check


def _stale_cursor() -> ToolError:
    """Return the error for a cursor into an answer that has changed since."""
    return ToolError("cursor", "The answer is another one by now: call again without cursor")


@dataclass(slots=True)
class _PageBuilder:
    """Traverses the leaves (strings, numbers, empty containers) of an answer and keeps those of one page.

    The page begins at the leaf with index `first` and ends when `room` bytes are used up.
    """

    room: int  # bytes
    first: int  # number of the first leaf of the page
    offset: int  # characters of the first leaf on earlier pages
    expected: str | None  # the checksum of the first leaf, None once it was found
    leaf: int = 0  # number of the next leaf of the walk
    following: str | None = None  # the cursor of the next page

    def take(self, value: Any, depth: int) -> Any:
        """Return `value` reduced to its leaves that are on this page; _ABSENT when there is none. `depth` is 0 for
        the answer.
        """
        if isinstance(value, dict) and value:
            found = {}
            for name, item in value.items():
                self.room -= len(name) + 8
                part = self.take(item, depth + 1)
                if part is _ABSENT:
                    self.room += len(name) + 8
                else:
                    found[name] = part
            if found and depth:
                return {**{name: value[name] for name in _REPEATED if isinstance(value.get(name), str)}, **found}
            return found or _ABSENT
        if isinstance(value, list) and value:
            parts = [part for item in value if (part := self.take(item, depth + 1)) is not _ABSENT]
            return parts or _ABSENT
        return self._take_leaf(value)

    def _take_leaf(self, value: Any) -> Any:
        """Return a leaf if it is on this page, or those of its characters that fit; _ABSENT if it is on another
        page.
        """
        number, self.leaf = self.leaf, self.leaf + 1
        if number < self.first or self.following is not None:
            return _ABSENT
        start = 0
        if number == self.first and self.expected is not None:
            if self.expected != _checksum(value):
                raise _stale_cursor()
            start, self.expected = self.offset, None
        rest = value[start:] if isinstance(value, str) else value
        need = _bytes(rest)
        if need <= self.room:
            self.room -= need
            return rest
        most = _fitting(rest, self.room) if isinstance(rest, str) else 0
        if number == self.first:
            most = max(most, _MIN_CHARS)
            if not isinstance(rest, str) or len(rest) <= most:
                self.room -= need
                return rest
        if most < _MIN_CHARS:
            self.following = f"{number}.{start}.{_checksum(value)}"
            return _ABSENT
        self.following = f"{number}.{start + most}.{_checksum(value)}"
        return rest[:most]


def _bytes(value: Any) -> int:
    """Return the size of a leaf as JSON."""
    import orjson

    return len(orjson.dumps(value))


def _fitting(text: str, room: int) -> int:
    """Return how many characters of a text, about as many as possible, have at most `room` bytes as JSON."""
    most = max(0, min(len(text), room))
    while most and (size := _bytes(text[:most])) > room:
        most = min(most - 1, most * room // size)
    return most


def _checksum(value: Any) -> str:
    """Return the checksum of a leaf of an answer, by which a cursor into an answer that has changed is detected."""
    return f"{zlib.crc32(str(value).encode('utf-8', 'replace')):08x}"
