"""Where a reader of a growing file stopped, and whether the file still begins with what was read then."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import IO, Any

import orjson

from recall_rank.loaders.files.regular_files import hash_ends, read_ends


class StaleResumePointError(Exception):
    """An appended record changes what lies before the resume point: everything must be read."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """An offset in a file, the line that ends there, and the bytes by which the file is known again."""

    offset: int = 0
    line: int = 0
    head: bytes = b""
    tail: bytes = b""


def pack_resume_point(place: ResumePoint, state: Any) -> bytes:
    """The resume point as bytes; made of what was read, so it cannot fit a file that was put there since."""
    return orjson.dumps([place.offset, place.line, hash_ends(place.head, place.tail).hex(), state])


def unpack_resume_point(file: IO[bytes], since: bytes | None) -> tuple[ResumePoint, Any] | None:
    """The place and the reader's state, when the file still holds what was read; None: read everything."""
    if not since:
        return None
    try:
        offset, line, known, state = orjson.loads(since)
        if os.fstat(file.fileno()).st_size < offset:
            return None
        head, tail = read_ends(file, offset)
    except (ValueError, TypeError):
        return None
    return (ResumePoint(offset, line, head, tail), state) if hash_ends(head, tail).hex() == known else None
