"""The session rows of a segment as one record of bytes each, decoded on access."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, overload

from recall_rank.index.segment.segment import SessionRow

_NONE = 2**32 - 1  # the length of a text that is None
_LENGTHS = struct.Struct("<10I")  # in code points: nine texts, then the numbers in decimal


class Records(Protocol):
    """Many byte strings, one read at a time."""

    def __len__(self) -> int: ...

    def raw(self, at: int) -> bytes: ...


def encoded(row: SessionRow) -> bytes:
    """The record of a row, without the numbers of its messages."""
    numbers = f"{int(row.created)} {int(row.updated)} {int(row.flags)}"  # decimal: numbers in a store may have any size
    places = (row.directory, row.project, row.worktree, row.repository)
    texts = (row.id, row.title, *places, row.parent, row.source, row.agent, numbers)
    lengths = _LENGTHS.pack(*(_NONE if text is None else len(text) for text in texts))
    return lengths + "".join(text for text in texts if text is not None).encode("utf-8", "surrogatepass")


def decoded(record: bytes, first_message: int, last_message: int) -> SessionRow:
    """The row of a record of encoded(), with the numbers of its messages. Raises ValueError or struct.error for
    other bytes.
    """
    text = record[_LENGTHS.size :].decode("utf-8", "surrogatepass")
    place = 0
    texts: list[str | None] = []
    for length in _LENGTHS.unpack_from(record):
        texts.append(None if length == _NONE else text[place : place + length])
        place += 0 if length == _NONE else length
    key, title, directory, project, worktree, repository, parent, source, agent, numbers = texts
    created, updated, flags = map(int, (numbers or "").split(" "))
    return SessionRow(
        id=key or "",
        title=title or "",
        directory=directory or "",
        project=project,
        worktree=worktree,
        created=created,
        updated=updated,
        parent=parent,
        source=source or "",
        agent=agent,
        flags=flags,
        first_message=first_message,
        last_message=last_message,
        repository=repository,
    )


class SessionRows(Sequence[SessionRow]):
    """A sequence of session rows over records; each is decoded once."""

    __slots__ = ("_count", "_first_message", "_known", "_records")

    def __init__(self, records: Records, first_message: memoryview) -> None:
        self._records = records
        self._count = len(records)
        self._first_message = first_message  # u32[sessions + 1]
        self._known: dict[int, SessionRow] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> SessionRow: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[SessionRow]: ...
    def __getitem__(self, at: int | slice) -> SessionRow | Sequence[SessionRow]:
        if isinstance(at, slice):
            return [self._row(number) for number in range(*at.indices(len(self)))]
        row = self._known.get(at)  # asked for with every result
        return self._row(range(len(self))[at]) if row is None else row

    def __iter__(self) -> Iterator[SessionRow]:
        return map(self._row, range(len(self)))

    def _row(self, at: int) -> SessionRow:
        row = self._known.get(at)
        if row is None:
            first, last = self._first_message[at], self._first_message[at + 1]
            row = self._known[at] = decoded(self._records.raw(at), first, last)
        return row


def first_messages(rows: Iterable[SessionRow], messages: int) -> list[int]:
    """The first message of each session, and at last the number of all messages."""
    return [*(row.first_message for row in rows), messages]
