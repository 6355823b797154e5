"""The columns of a segment: their names, types and lengths."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final, Literal

Code = Literal["B", "H", "I", "Q", "q"]


@dataclass(frozen=True, slots=True)
class Column:
    """The type and the length of a column.

    `code` is the type code of `array`. The length is the number of rows of the kind `of`, plus `more`. A `packed`
    column is stored in the encoding of _core.index.packed_columns.
    """

    code: Code
    of: str
    more: int = 0
    packed: bool = False

    @property
    def width(self) -> int:
        """The bytes of one number."""
        return struct.calcsize(f"<{self.code}")


# The columns in a segment's file, in their order there.
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

# The types of the columns of a segment that are computed from other columns when the file is read.
DERIVED: Final[dict[str, Code]] = {
    "message_session": "I",
    "part_message": "I",
    "part_start": "Q",
    "doc_start": "Q",
    "doc_part": "I",
}

# The arguments of the native classes, in order.
VOCABULARY: Final = ("term_arena", "term_offsets", "term_starts", "term_signatures")
POSTINGS: Final = tuple(name for name in COLUMNS if name.startswith("posting_"))
DOC_COLUMNS: Final = (
    *("doc_part", "doc_words", "doc_class", "part_message"),
    *("message_session", "message_time", "session_talk", "message_asked"),
)
