"""The file format of a segment.

A file has a header, the columns, and a directory of the columns at its end. Numbers are little-endian. Packed columns
are read as a whole; columns that can be derived from others are not stored. Each column is followed by the xxh3-64 of
each of its blocks of 64 KiB; the directory has the xxh3-64 of these sums, and the header has the xxh3-128 of the
directory. After reading header and directory, any block can therefore be verified by itself.
"""

from __future__ import annotations

import struct
import sys
from typing import Final

from recall_rank.index.errors import IndexFormatError

FORMAT: Final = 4  # increased with every change of the format; other formats are refused, and the index is built again
MAGIC: Final = b"RRSEG\r\n\x1a"  # shows when a copy turned line ends or stopped at a control character
BLOCK: Final = 65_536
ALIGN: Final = 64  # columns begin on a cache line
HEADER: Final = struct.Struct("<8sIIQQQ16s")  # magic, format, zero, directory's place and size, file size, xxh3-128
SUM: Final = struct.Struct("<Q")  # behind the header: its xxh3-64
HEADER_SIZE: Final = HEADER.size + SUM.size
ENTRY: Final = struct.Struct("<24ssxxxxxxxQQQQ")  # name, type, place, size in bytes, numbers, xxh3-64 of its sums
PACKED_MOST: Final = 32  # numbers a byte of a packed column may stand for


def blocks_of(size: int) -> int:
    """The number of blocks of a column with `size` bytes."""
    return -(-size // BLOCK)


def aligned(place: int, step: int = ALIGN) -> int:
    """The first multiple of `step` that is not below `place`."""
    return -(-place // step) * step


def require_little_endian(name: str) -> None:
    """Raise IndexFormatError on a big-endian machine, which would read wrong numbers from the columns."""
    if sys.byteorder != "little":
        raise IndexFormatError(f"{name}: an index on disk is little-endian, this machine is not; search it in memory")
