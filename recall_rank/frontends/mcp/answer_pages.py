"""Long answers in pages: everything in an answer can be reached, and no page is longer than a limit."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Final

from recall_rank.frontends.tools.warnings import ToolError

PAGE_BYTES: Final = 65_536
_NAMES: Final = ("id", "session_id", "message_id", "part_id", "role", "type")  # say on every page what goes on there
_LEAST_CHARS: Final = 1_024  # of a text, so that every page gets further
_ABSENT: Final = object()


def paged(answer: dict[str, Any], cursor: str | None = None, limit: int = PAGE_BYTES) -> dict[str, Any]:
    """The page of the answer at the cursor, with `next_cursor` when there is more. ToolError for a cursor of another.

    A text that is too long for a page goes on in the next, where the ids of its message and part stand again.
    """
    import orjson

    if cursor is None and len(orjson.dumps(answer)) <= limit:
        return answer
    page = _Page(limit, *_read(cursor))
    found = page.taken(answer, 0)
    if cursor is not None and page.expected is not None:
        raise _stale()
    taken: dict[str, Any] = found if isinstance(found, dict) else {}
    if page.following is not None:
        taken["next_cursor"] = page.following
    return {"ok": answer.get("ok", True), **taken}


def _read(cursor: str | None) -> tuple[int, int, str | None]:
    if cursor is None:
        return 0, 0, None
    leaf, _, rest = cursor.partition(".")
    offset, _, check = rest.partition(".")
    if len(cursor) > 60 or not (leaf.isdecimal() and offset.isdecimal() and check):
        raise ToolError("cursor", "cursor must be the next_cursor of an answer to the same call")
    return int(leaf), int(offset), check


def _stale() -> ToolError:
    return ToolError("cursor", "The answer is another one by now: call again without cursor")


@dataclass(slots=True)
class _Page:
    """Walks over the leaves of an answer in order and keeps those from `first` on, as many as there is room for."""

    room: int
    first: int
    offset: int
    expected: str | None  # the check sum of the first leaf, None once it was found
    leaf: int = 0
    following: str | None = None

    def taken(self, value: Any, depth: int) -> Any:
        if isinstance(value, dict) and value:
            found = {}
            for name, item in value.items():
                self.room -= len(name) + 8
                part = self.taken(item, depth + 1)
                if part is _ABSENT:
                    self.room += len(name) + 8
                else:
                    found[name] = part
            if found and depth:
                return {**{name: value[name] for name in _NAMES if isinstance(value.get(name), str)}, **found}
            return found or _ABSENT
        if isinstance(value, list) and value:
            parts = [part for item in value if (part := self.taken(item, depth + 1)) is not _ABSENT]
            return parts or _ABSENT
        return self._leaf(value)

    def _leaf(self, value: Any) -> Any:
        number, self.leaf = self.leaf, self.leaf + 1
        if number < self.first or self.following is not None:
            return _ABSENT
        start = 0
        if number == self.first and self.expected is not None:
            if self.expected != _check(value):
                raise _stale()
            start, self.expected = self.offset, None
        rest = value[start:] if isinstance(value, str) else value
        # a character takes four bytes at most, or two where it is escaped: what is invisible has been written out
        need = 4 * len(rest) if isinstance(rest, str) and not rest.isascii() else 2 * len(str(rest))
        if need <= self.room:
            self.room -= need
            return rest
        most = self.room // 4 if isinstance(rest, str) else 0
        if number == self.first:
            most = max(most, _LEAST_CHARS)
            if not isinstance(rest, str) or len(rest) <= most:
                self.room -= need
                return rest
        if most < _LEAST_CHARS:
            self.following = f"{number}.{start}.{_check(value)}"
            return _ABSENT
        self.following = f"{number}.{start + most}.{_check(value)}"
        return rest[:most]


def _check(value: Any) -> str:
    """Tells whether a leaf is still the one that the page before ended in."""
    return f"{zlib.crc32(str(value).encode('utf-8', 'replace')):08x}"
