"""Limits of what is read of a store, so that no file can exhaust the memory or the time of the program that reads it.

With the defaults, reading any one file keeps less than 512 MiB resident. What lies beyond a limit is passed over,
counted and reported; its neighbours are read. The environment variable RECALL_RANK_LIMITS changes limits by name, such
as `line=64M sessions=1000000`; K, M and G stand for binary multiples.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Final

VARIABLE: Final = "RECALL_RANK_LIMITS"
LEAST_LINE: Final = 1 << 20  # bytes; a block is as long, and only lines longer than a block are gathered
_GIVEN: Final = re.compile(r"(\w+)=(\d+)([KMG]?)")
_UNITS: Final = {"": 0, "K": 10, "M": 20, "G": 30}


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """The limits of what is read of one unit (a file or a session of a database); sizes are in bytes."""

    line: int = 256 << 20  # one line of a text; at least 1 MiB
    element: int = 64 << 20  # one element of the list of a JSON document, or all of the document that is no element
    record: int = 128 << 20  # memory of the values of one record once it is parsed
    unpacked: int = 8 << 30  # what an archive unpacks to
    unpacker: int = 128 << 20  # memory that unpacking an .xz may take; xz -9 needs 65 MiB
    value: int = 64 << 20  # one value of a database
    rows: int = 256 << 20  # the rows of one session of a database together, with what is made of each
    text: int = 256 << 20  # a Markdown file
    sessions: int = 131_072  # sessions of one file or database; the first ones are left out
    messages: int = 524_288  # messages of one file of several sessions; the first sessions are left out
    listed: int = 1_000  # malformed records, or warnings, that are listed one by one
    title: int = 2_000  # characters of a title, a folder or the name of a repository


def limits() -> ReadingLimits:
    """Return the limits in force: the defaults, changed by RECALL_RANK_LIMITS. Raises ValueError for a limit that does
    not exist or is no number.
    """
    return _parsed(os.environ.get(VARIABLE, ""))


@lru_cache(4)
def _parsed(text: str) -> ReadingLimits:
    known = {each.name for each in fields(ReadingLimits)}
    given: dict[str, int] = {}
    for word in text.replace(",", " ").split():
        found = _GIVEN.fullmatch(word)
        if found is None or found[1] not in known:
            raise ValueError(f"{VARIABLE}: {word!r} is not one of {', '.join(sorted(known))} with =NUMBER behind it")
        given[found[1]] = int(found[2]) << _UNITS[found[3]]
    made = ReadingLimits(**given)
    return made if made.line >= LEAST_LINE else ReadingLimits(**given | {"line": LEAST_LINE})


def size_text(size: int) -> str:
    """Return a number of bytes in the largest binary unit that divides it, such as "256 MiB"."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift and not size % (1 << shift):
            return f"{size >> shift} {unit}"
    return f"{size:,} bytes"
