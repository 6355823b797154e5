"""What stands where in the file of a segment.

A header, the columns, and a directory of them behind the last. Numbers are little-endian. What is packed is read as a
whole; what follows from other columns is not there. A column is followed by the xxh3-64 of each of its blocks of
64 KiB; the directory holds the xxh3-64 of those, the header the xxh3-128 of the directory. So whoever has read the
header and the directory can tell whether any block is what was written.
"""

from __future__ import annotations

import struct
import sys
from typing import Final

from recall_rank.index.errors import IndexFormatError

FORMAT: Final = 4  # one more with every change of what is written; others are refused, and the index built again
MAGIC: Final = b"RRSEG\r\n\x1a"  # shows when a copy turned line ends or stopped at a control character
BLOCK: Final = 65_536
ALIGN: Final = 64  # columns begin on a cache line
HEADER: Final = struct.Struct("<8sIIQQQ16s")  # magic, format, zero, directory's place and size, file size, xxh3-128
SUM: Final = struct.Struct("<Q")  # behind the header: its xxh3-64
HEADER_SIZE: Final = HEADER.size + SUM.size
ENTRY: Final = struct.Struct("<24ssxxxxxxxQQQQ")  # name, type, place, size in bytes, numbers, xxh3-64 of its sums
PACKED_MOST: Final = 32  # numbers a byte of a packed column may stand for


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
