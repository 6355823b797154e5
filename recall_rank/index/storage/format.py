"""The layout of a segment file: a header, the columns, and a directory with one entry for each column.

Numbers are little-endian. Columns that can be computed from other columns are not stored. Each column is followed by
the xxh3-64 of each of its blocks, of ColumnFormat.block bytes. The directory entry of a column holds the xxh3-64 of
these block hashes, and the header holds the xxh3-128 of the directory. A reader that has verified header and directory
can therefore verify any single block. A packed column can only be decoded completely.

The text of a settled segment is stored as _core.index.text_blocks packs blocks of TEXT_BLOCK bytes of it: text_starts
has the offset of each packed block and the end of the last one, text_dictionary the bytes that all of them may repeat.
The directory entry of `text` has the number of unpacked bytes then. Other texts have no packed block, no dictionary.
"""

from __future__ import annotations

import struct
import sys
from typing import Final

from recall_rank.index.errors import IndexFormatError

FORMAT: Final = 8  # raised with every change of the layout or of the terms; other formats are refused
MAGIC: Final = b"RRSEG\r\n\x1a"  # differs after a copy that converted line ends
ALIGN: Final = 64  # columns begin on a cache line
HEADER: Final = struct.Struct(
    "<8sIIQQQ16s"
)  # magic, format, zero, offset and size of the directory, file size, xxh3-128
SUM: Final = struct.Struct("<Q")  # the xxh3-64 of the header, stored after it
HEADER_SIZE: Final = HEADER.size + SUM.size
ENTRY: Final = struct.Struct("<24ssxxxxxxxQQQQ")  # name, type, offset, bytes, values, xxh3-64 of the block hashes
MAX_VALUES_PER_BYTE: Final = 32  # limit for a packed column, against forged lengths


def block_count(size: int, block: int) -> int:
    """Return the number of blocks, of `block` bytes, of a column of `size` bytes."""
    return -(-size // block)


def aligned(offset: int, step: int = ALIGN) -> int:
    """Return the smallest multiple of `step` that is not below `offset`."""
    return -(-offset // step) * step


def require_little_endian(name: str) -> None:
    """Raise IndexFormatError on a big-endian machine; `name`, a file name, is quoted in the message."""
    if sys.byteorder != "little":
        raise IndexFormatError(f"{name}: an index on disk is little-endian, this machine is not; search it in memory")
