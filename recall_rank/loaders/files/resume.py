"""Resume points: where a reader of a growing file stopped, with hashes that show whether another file took its
place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import orjson

from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import hash_ends, read_ends
from recall_rank.model import Reading


class StaleResumePointError(Exception):
    """An appended record changes records before the resume point, so that the whole file must be read again."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """The byte offset where a reader stopped, the number of lines before it, and the first and last bytes of what
    was read.
    """

    offset: int = 0
    line: int = 0
    head: bytes = b""
    tail: bytes = b""


def pack_resume_point(place: ResumePoint, state: Any) -> bytes:
    """The resume point, and the reader's state as a JSON value, encoded as bytes.

    Hashes of the first and last bytes that were read are included, so that the point is invalid for a file that
    replaced this one.
    """
    packed = orjson.dumps([place.offset, place.line, hash_ends(place.head, place.tail).hex(), state])
    return bytes(memoryview(packed))  # orjson's own bytes keep a buffer of kilobytes, for every file of a store


def unpack_resume_point(file: IO[bytes], since: bytes | None) -> tuple[ResumePoint, Any] | None:
    """The resume point and the reader's state that `since` encodes; None without `since`, or when the bytes before
    that point have changed.
    """
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


def read_resumable(
    file: IO[bytes], since: bytes | None, read: Callable[[Iterator[bytes], ResumePoint, Any], Reading]
) -> Reading:
    """The reading of a growing file; of its appended records alone when `since` is still a valid resume point of it.

    `read(blocks, place, state)` reads from `place` on; `state` is None for a whole file. It raises
    StaleResumePointError when an appended record changes earlier ones: then it is called again for the whole file.
    """
    resume = unpack_resume_point(file, since)
    if resume is not None:
        place, state = resume
        try:
            return read(read_blocks(file, start=place.offset), place, state)
        except StaleResumePointError:
            pass
    return read(read_blocks(file), ResumePoint(), None)
