"""What stands where in the file of a segment.

A header, the columns, and a directory of them behind the last. Numbers are little-endian. What is packed is read as a
whole; what follows from other columns is not there. A column is followed by the xxh3-64 of each of its blocks of
64 KiB; the directory holds the xxh3-64 of those, the header the xxh3-128 of the directory. So whoever has read the
header and the directory can tell whether any block is what was written.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass
from typing import Final, Literal

from recall_rank.index.errors import IndexFormatError

Code = Literal["B", "H", "I", "Q", "q"]

FORMAT: Final = 4  # one more with every change of what is written; others are refused, and the index built again
MAGIC: Final = b"RRSEG\r\n\x1a"  # shows when a copy turned line ends or stopped at a control character
BLOCK: Final = 65_536
ALIGN: Final = 64  # columns begin on a cache line
HEADER: Final = struct.Struct("<8sIIQQQ16s")  # magic, format, zero, directory's place and size, file size, xxh3-128
SUM: Final = struct.Struct("<Q")  # behind the header: its xxh3-64
HEADER_SIZE: Final = HEADER.size + SUM.size
ENTRY: Final = struct.Struct("<24ssxxxxxxxQQQQ")  # name, type, place, size in bytes, numbers, xxh3-64 of its sums
PACKED_MOST: Final = 32  # numbers a byte of a packed column may stand for


@dataclass(frozen=True, slots=True)
class Column:
    """The type of a column as `array` names it, and how long it is: as many as there are `of`, and `more`.

    What is `packed` lies there as _core.packed writes it.
    """

    code: Code
    of: str
    more: int = 0
    packed: bool = False

    @property
    def width(self) -> int:
        return struct.calcsize(f"<{self.code}")


COLUMNS: Final = {
    "session_records": Column("B", "session record bytes"),
    "session_record_starts": Column("Q", "session", 1),
    "session_first_message": Column("I", "session", 1),
    "session_talk": Column("B", "session"),
    "name_bytes": Column("B", "name bytes"),
    "name_starts": Column("Q", "name", 1),
    "message_role": Column("B", "message", packed=True),
    "message_time": Column("q", "message", packed=True),
    "message_author": Column("I", "message", packed=True),
    "message_first_part": Column("I", "message", 1, packed=True),
    "message_asked": Column("I", "message", packed=True),
    "part_type": Column("I", "part", packed=True),
    "part_tool": Column("I", "part", packed=True),
    "part_flags": Column("H", "part", packed=True),
    "part_first_doc": Column("I", "part", 1, packed=True),
    "part_first_field": Column("I", "part", 1, packed=True),
    "field_start": Column("Q", "field", 1, packed=True),
    "doc_sizes": Column("I", "document before another of its part", packed=True),
    "doc_words": Column("H", "document", packed=True),
    "doc_class": Column("B", "document", packed=True),
    "term_arena": Column("B", "term bytes"),
    "term_offsets": Column("I", "term", 1, packed=True),
    "term_starts": Column("I", "length"),
    "term_signatures": Column("I", "term"),
    "posting_shared_bits": Column("Q", "64 terms"),
    "posting_shared_ranks": Column("I", "256 terms"),
    "posting_lone_docs": Column("H", "lone term"),
    "posting_lone_blocks": Column("B", "lone term"),
    "posting_df": Column("B", "shared term"),
    "posting_frequent": Column("I", "frequent term"),
    "posting_more": Column("I", "frequent term"),
    "posting_block_starts": Column("Q", "block", 1),
    "posting_block_bits": Column("Q", "64 shared terms of a block"),
    "posting_block_ranks": Column("I", "256 shared terms of a block"),
    "posting_pointers": Column("I", "entry"),
    "posting_frames": Column("B", "frame byte"),
    "message_id_bytes": Column("B", "message id bytes"),
    "message_id_starts": Column("Q", "message", 1, packed=True),
    "part_id_bytes": Column("B", "part id bytes"),
    "part_id_starts": Column("Q", "part", 1, packed=True),
    "folded_part": Column("I", "folded part", packed=True),
    "folded_start": Column("Q", "folded part", 1, packed=True),
    "folded_text": Column("B", "folded byte"),
    "text": Column("B", "byte"),
}

# the types of those columns of a segment that are made of others when it is read
DERIVED: Final[dict[str, Code]] = {
    "message_session": "I",
    "part_message": "I",
    "part_start": "Q",
    "doc_start": "Q",
    "doc_part": "I",
}

# as the native classes take them
VOCABULARY: Final = ("term_arena", "term_offsets", "term_starts", "term_signatures")
POSTINGS: Final = tuple(name for name in COLUMNS if name.startswith("posting_"))
LAYOUT: Final = (
    *("doc_part", "doc_words", "doc_class", "part_message"),
    *("message_session", "message_time", "session_talk", "message_asked"),
)
FACTS: Final = (
    *("part_message", "part_type", "part_tool", "part_flags", "part_first_field"),
    *("message_session", "message_author", "message_role", "message_time"),
    *("field_start", "doc_start"),
)


def blocks_of(size: int) -> int:
    """How many blocks a column of `size` bytes has."""
    return -(-size // BLOCK)


def aligned(place: int, step: int = ALIGN) -> int:
    """The first multiple of `step` at or behind `place`."""
    return -(-place // step) * step


def require_little_endian(name: str) -> None:
    """Raises IndexFormatError on a machine that would read the columns the wrong way round."""
    if sys.byteorder != "little":
        raise IndexFormatError(f"{name}: an index on disk is little-endian, this machine is not; search it in memory")
