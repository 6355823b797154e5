"""The columns of a segment: their names, types and lengths."""

from __future__ import annotations

import struct
from typing import Final, Literal

from recall_rank.model.record_classes import frozen

Code = Literal["B", "H", "I", "Q", "q"]


@frozen
class ColumnFormat:
    """The type and the length of a column of a segment.

    `code` is a type code of `array`. The column has one value for each row of the kind `rows`, such as "message", and
    `extra` values after these. A `packed` column is stored as _core.index.packed_columns encodes it. `block` is the
    number of bytes that have a hash of their own: few for columns that searches read in pieces.
    """

    code: Code
    rows: str
    extra: int = 0
    packed: bool = False
    block: int = 65_536

    @property
    def width(self) -> int:
        """The size of one unpacked value, in bytes."""
        return struct.calcsize(f"<{self.code}")


PIECE: Final = 4096  # bytes of a block of most columns that are read in pieces
TEXT_BLOCK: Final = 4096  # bytes of the text that are packed together: half as many take as long for a search

# The columns in a segment's file, in their order there.
COLUMNS: Final = {
    "session_records": ColumnFormat("B", "session record bytes", block=PIECE),
    "session_record_starts": ColumnFormat("Q", "session", 1, block=PIECE),
    "session_first_message": ColumnFormat("I", "session", 1),
    "session_talk": ColumnFormat("B", "session"),
    "name_bytes": ColumnFormat("B", "name bytes"),
    "name_starts": ColumnFormat("Q", "name", 1),
    "message_role": ColumnFormat("B", "message", packed=True),
    "message_time": ColumnFormat("q", "message", packed=True),
    "message_author": ColumnFormat("I", "message", packed=True),
    "message_first_part": ColumnFormat("I", "message", 1, packed=True),
    "message_asked": ColumnFormat("I", "message", packed=True),
    "part_type": ColumnFormat("I", "part", packed=True, block=PIECE // 2),
    "part_tool": ColumnFormat("I", "part", packed=True, block=PIECE // 2),
    "part_flags": ColumnFormat("H", "part", packed=True, block=PIECE // 2),
    "part_first_doc": ColumnFormat("I", "part", 1, packed=True),
    "part_first_field": ColumnFormat("I", "part", 1, packed=True),
    "field_start": ColumnFormat("Q", "field", 1, packed=True),
    "doc_sizes": ColumnFormat("I", "document before another of its part", packed=True),
    "doc_words": ColumnFormat("H", "document", packed=True),
    "doc_class": ColumnFormat("B", "document", packed=True),
    "term_arena": ColumnFormat("B", "term bytes", block=PIECE // 2),
    "term_offsets": ColumnFormat("I", "term", 1, packed=True),
    "term_starts": ColumnFormat("I", "length"),
    "term_words": ColumnFormat("I", "length"),
    "term_samples": ColumnFormat("B", "sample byte"),
    "term_signatures": ColumnFormat("I", "term", block=PIECE),
    "posting_shared_bits": ColumnFormat("Q", "64 terms", block=PIECE // 4),
    "posting_shared_ranks": ColumnFormat("I", "256 terms"),
    "posting_lone_docs": ColumnFormat("H", "lone term", block=PIECE // 4),
    "posting_lone_blocks": ColumnFormat("B", "lone term", block=PIECE // 4),
    "posting_df": ColumnFormat("B", "shared term", block=PIECE // 4),
    "posting_frequent": ColumnFormat("I", "frequent term"),
    "posting_more": ColumnFormat("I", "frequent term"),
    "posting_block_starts": ColumnFormat("Q", "block", 1),
    "posting_block_bits": ColumnFormat("Q", "64 shared terms of a block", block=PIECE // 4),
    "posting_block_ranks": ColumnFormat("I", "256 shared terms of a block"),
    "posting_pointers": ColumnFormat("I", "entry", block=PIECE // 4),
    "posting_frames": ColumnFormat("B", "frame byte", block=PIECE // 2),
    "message_id_bytes": ColumnFormat("B", "message id bytes", block=PIECE),
    "message_id_starts": ColumnFormat("Q", "message", 1, packed=True, block=PIECE // 2),
    "part_id_bytes": ColumnFormat("B", "part id bytes", block=PIECE),
    "part_id_starts": ColumnFormat("Q", "part", 1, packed=True, block=PIECE // 2),
    "row_marks": ColumnFormat("Q", "row mark"),
    "folded_part": ColumnFormat("I", "folded part", packed=True),
    "folded_start": ColumnFormat("Q", "folded part", 1, packed=True),
    "folded_text": ColumnFormat("B", "folded byte"),
    "text_dictionary": ColumnFormat("B", "dictionary byte"),
    "text_starts": ColumnFormat("Q", "packed block of text", 1, packed=True),
    "text": ColumnFormat("B", "byte", block=PIECE),
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
# Packed columns of which results need single rows; row_marks has what run_marks() returns for one after the other.
ROW_MARKED: Final = ("part_type", "part_tool", "part_flags", "message_id_starts", "part_id_starts")
NAMED: Final = ("message_author", "part_type", "part_tool")  # whose values are numbers of names
# Columns that are read in pieces, where the segment's file is in a store.
PIECEMEAL: Final = frozenset(name for name, column in COLUMNS.items() if column.block <= 2 * PIECE)
# The other columns that a search reads in any case, beside those of results alone.
SEARCHED: Final = tuple(
    name
    for name in COLUMNS
    if name not in PIECEMEAL and name not in ("folded_part", "folded_start", "folded_text", "message_author")
)
DOC_COLUMNS: Final = (
    *("doc_part", "doc_words", "doc_class", "part_message"),
    *("message_session", "message_time", "session_talk", "message_asked"),
)
