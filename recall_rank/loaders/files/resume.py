"""Resume points: where a reader of a growing file stopped, with hashes that show whether the file was replaced."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import IO, Any

import orjson

from recall_rank.loaders.files.regular_files import hash_ends, read_ends


class StaleResumePointError(Exception):
    """An appended record changes records before the resume point, so that the whole file must be read."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """An offset in a file, the number of lines before it, and the first and last bytes before it."""

    offset: int = 0
    line: int = 0
    head: bytes = b""
    tail: bytes = b""


def pack_resume_point(place: ResumePoint, state: Any) -> bytes:
    """The resume point as bytes, with the reader's state as a JSON value.

    Its hashes are made of the bytes that were read, so that it is invalid for a file that replaced this one.
    """
    return orjson.dumps([place.offset, place.line, hash_ends(place.head, place.tail).hex(), state])


def unpack_resume_point(file: IO[bytes], since: bytes | None) -> tuple[ResumePoint, Any] | None:
    """The resume point and the reader's state; None when there is none or the file does not begin as it did then."""
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
