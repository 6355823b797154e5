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
    """Raised when an appended record changes records before the resume point, so that the whole file must be read
    again.
    """


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """The point at which a reader of a growing file stopped: the byte offset, the number of lines before it, and the
    first 256 and last 64 bytes of what was read, by which the file is recognised.
    """

    offset: int = 0
    line: int = 0
    head: bytes = b""
    tail: bytes = b""


def pack_resume_point(place: ResumePoint, state: Any) -> bytes:
    """Return the resume point, and the reader's state as a JSON value, encoded as bytes.

    Hashes of the first and last bytes that were read are included, so that the point is invalid for a file that
    replaced this one.
    """
    packed = orjson.dumps([place.offset, place.line, hash_ends(place.head, place.tail).hex(), state])
    return bytes(memoryview(packed))  # orjson's own bytes keep a buffer of kilobytes, for every file of a store


def unpack_resume_point(file: IO[bytes], since: bytes | None) -> tuple[ResumePoint, Any] | None:
    """Return the resume point and the reader's state that `since` encodes; None without `since`, when `since` cannot be
    decoded, and when the bytes before that point have changed.
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
    """Read a growing file: only the records appended since an earlier reading when `since` is still a valid resume
    point of the file, else the whole file.

    `read(blocks, place, state)` reads `blocks`, which begin at `place`; `state` is what the earlier reading kept, None
    for a whole file. When `read` raises StaleResumePointError, because an appended record changes earlier ones, it is
    called again for the whole file.
    """
    resume = unpack_resume_point(file, since)
    if resume is not None:
        place, state = resume
        try:
            return read(read_blocks(file, start=place.offset), place, state)
        except StaleResumePointError:
            pass
    return read(read_blocks(file), ResumePoint(), None)
