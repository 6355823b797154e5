"""Pages of long answers: every value of an answer is on some page, and the size of a page is limited.

An answer is traversed leaf by leaf (a leaf is a string, number or empty container). A cursor is
"LEAF.OFFSET.CHECKSUM": the number of the leaf at which the next page begins, the number of its characters already
returned, and its checksum.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Final

from recall_rank.frontends.tools.warnings import ToolError

PAGE_BYTES: Final = 65_536
_REPEATED: Final = ("id", "session_id", "message_id", "part_id", "role", "type")  # on every page that continues an item
_MIN_CHARS: Final = 1_024  # of a text on a page, so that every page makes progress
_ABSENT: Final = object()


def paged(answer: dict[str, Any], cursor: str | None = None, limit: int = PAGE_BYTES) -> dict[str, Any]:
    """Return the page of the answer at the cursor, of about `limit` bytes, with `next_cursor` when more follows.

    A text that is too long for a page is continued on the next one, where the ids of its message and part are
    repeated. Raises ToolError for a malformed cursor and for a cursor that belongs to another answer.
    """
    import orjson

    if cursor is None and len(orjson.dumps(answer)) <= limit:
        return answer
    page = _PageBuilder(limit, *_read_cursor(cursor))
    found = page.take(answer, 0)
    if cursor is not None and page.expected is not None:
        raise _stale_cursor()
    taken: dict[str, Any] = found if isinstance(found, dict) else {}
    if page.following is not None:
        taken["next_cursor"] = page.following
    return {"ok": answer.get("ok", True), **taken}


def _read_cursor(cursor: str | None) -> tuple[int, int, str | None]:
    """Return the leaf, offset and checksum of a cursor. Raises ToolError when it is malformed."""
    if cursor is None:
        return 0, 0, None
    leaf, _, rest = cursor.partition(".")
    offset, _, check = rest.partition(".")
    if len(cursor) > 60 or not (leaf.isdecimal() and offset.isdecimal() and check):
        raise ToolError("cursor", "cursor must be the next_cursor of an answer to the same call")
    return int(leaf), int(offset), check


def _stale_cursor() -> ToolError:
    """Return the error for a cursor whose answer has changed."""
    return ToolError("cursor", "The answer is another one by now: call again without cursor")


@dataclass(slots=True)
class _PageBuilder:
    """Traverses the leaves of an answer in order and keeps those from `first` on that fit on the page."""

    room: int  # bytes
    first: int  # number of the first leaf of the page
    offset: int  # characters of the first leaf on earlier pages
    expected: str | None  # the checksum of the first leaf, None once it was found
    leaf: int = 0  # number of the next leaf of the walk
    following: str | None = None  # the cursor of the next page

    def take(self, value: Any, depth: int) -> Any:
        """Return the part of a value that belongs to the page; _ABSENT when it has none."""
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
        """Return a leaf, or the characters of it that fit on the page; _ABSENT when it belongs to another page."""
        number, self.leaf = self.leaf, self.leaf + 1
        if number < self.first or self.following is not None:
            return _ABSENT
        start = 0
        if number == self.first and self.expected is not None:
            if self.expected != _checksum(value):
                raise _stale_cursor()
            start, self.expected = self.offset, None
        rest = value[start:] if isinstance(value, str) else value
        # UTF-8 takes at most four bytes a character; an escape of JSON takes two, since control characters are gone
        need = 4 * len(rest) if isinstance(rest, str) and not rest.isascii() else 2 * len(str(rest))
        if need <= self.room:
            self.room -= need
            return rest
        most = self.room // 4 if isinstance(rest, str) else 0
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


def _checksum(value: Any) -> str:
    """Return the checksum of a leaf, by which a cursor detects that its leaf has changed."""
    return f"{zlib.crc32(str(value).encode('utf-8', 'replace')):08x}"
