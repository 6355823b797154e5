"""Where a reader of a growing file stopped, and whether the file still begins with what was read then."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import IO, Any

import orjson

from recall_rank.loaders.files.files import digest, ends
from recall_rank.model import Reading

_WHOLE, _MORE = b"=", b"+"


class UnfitError(Exception):
    """An appended record changes what lies before the resume point: everything must be read."""


@dataclass(frozen=True, slots=True)
class Place:
    """An offset in a file, the line that ends there, and the bytes by which the file is known again."""

    offset: int = 0
    line: int = 0
    head: bytes = b""
    tail: bytes = b""


def continues(reading: Reading) -> bool:
    """Whether a reading holds only what was appended since the resume point that was given.

    False: it holds everything, and replaces what was read before. In a reading that continues, a session carries its
    newest title and times and only its new messages.
    """
    return reading.resume is not None and reading.resume.startswith(_MORE)


def pack(place: Place, state: Any, *, more: bool) -> bytes:
    """The resume point as bytes; made of what was read, so it cannot fit a file that was put there since."""
    known = digest(place.head, place.tail).hex()
    return (_MORE if more else _WHOLE) + orjson.dumps([place.offset, place.line, known, state])


def unpack(file: IO[bytes], since: bytes | None) -> tuple[Place, Any] | None:
    """The place and the reader's state, when the file still holds what was read; None: read everything."""
    if not since:
        return None
    try:
        offset, line, known, state = orjson.loads(since[1:])
        if os.fstat(file.fileno()).st_size < offset:
            return None
        head, tail = ends(file, offset)
    except (ValueError, TypeError):
        return None
    return (Place(offset, line, head, tail), state) if digest(head, tail).hex() == known else None
