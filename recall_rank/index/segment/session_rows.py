"""Session rows, the stored fields of sessions, encoded as one byte string each and decoded on first access."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, overload

from recall_rank.index.segment.segment import SessionRow

_NONE = 2**32 - 1  # stands for the length of a text that is None
_LENGTHS = struct.Struct("<12I")  # in code points, of eleven texts and of one string of decimal numbers


class Records(Protocol):
    """A sequence of encoded session rows, one byte string each."""

    def __len__(self) -> int: ...

    def raw(self, at: int) -> bytes:
        """Return the encoded session row at index `at`."""
        ...

    def damaged(self, why: str) -> Exception:
        """Return the error for a record that cannot be decoded."""
        ...


def encode_session_row(row: SessionRow) -> bytes:
    """Return a session row as bytes, without first_message and last_message."""
    numbers = f"{int(row.created)} {int(row.updated)} {int(row.flags)}"  # decimal: numbers of a store may have any size
    folders = (row.directory, row.project, row.worktree, row.repository)
    texts = (row.id, row.title, *folders, row.parent, row.source, row.agent, row.host, row.user, numbers)
    lengths = _LENGTHS.pack(*(_NONE if text is None else len(text) for text in texts))
    return lengths + "".join(text for text in texts if text is not None).encode("utf-8", "surrogatepass")


def decode_session_row(record: bytes, first_message: int, last_message: int) -> SessionRow:
    """Return the session row that encode_session_row() encoded, with its range of messages.

    Raises ValueError for other bytes.
    """
    if len(record) < _LENGTHS.size:
        raise ValueError("it is cut")
    text = record[_LENGTHS.size :].decode("utf-8", "surrogatepass")
    start = 0
    texts: list[str | None] = []
    for length in _LENGTHS.unpack_from(record):
        texts.append(None if length == _NONE else text[start : start + length])
        start += 0 if length == _NONE else length
    key, title, directory, project, worktree, repository, parent, source, agent, host, user, numbers = texts
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
        host=host,
        user=user,
    )


class SessionRows(Sequence[SessionRow]):
    """The session rows of a mapped segment; each is decoded on first access and kept."""

    __slots__ = ("_count", "_first_message", "_known", "_records")

    def __init__(self, records: Records, first_message: memoryview) -> None:
        """Decode rows from `records`, and take the ranges of their messages from `first_message`, u32[sessions + 1].

        The messages of session s begin at first_message[s] and end before first_message[s + 1].
        """
        self._records = records
        self._count = len(records)
        self._first_message = first_message
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
        row = self._known.get(at)  # fast path: read for every result
        return self._row(range(len(self))[at]) if row is None else row

    def __iter__(self) -> Iterator[SessionRow]:
        return map(self._row, range(len(self)))

    def _row(self, at: int) -> SessionRow:
        row = self._known.get(at)
        if row is None:
            record, first, last = self._records.raw(at), self._first_message[at], self._first_message[at + 1]
            try:
                row = self._known[at] = decode_session_row(record, first, last)
            except ValueError as error:
                raise self._records.damaged(f"the record of session {at} cannot be read: {error}") from error
        return row


def first_messages(rows: Iterable[SessionRow], messages: int) -> list[int]:
    """Return the number of the first message of each session, followed by the number of all messages."""
    return [*(row.first_message for row in rows), messages]
