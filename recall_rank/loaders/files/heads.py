"""The beginning of a file, by which loaders recognise it: blank lines are passed over, and the effort is bounded.

A file is looked at up to 64 MiB, or up to 1 MiB when that has 256 lines or more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from recall_rank.loaders.files.blocks import Hole, read_blocks
from recall_rank.loaders.files.regular_files import BLOCK, open_file

MOST: Final = 64 << 20  # bytes: a first record, or blank lines, of as much do not hide what follows
LINES: Final = 256
PIECE: Final = 1 << 16  # bytes of a block: the first one of a history mostly tells
_BLANK: Final = b" \t\r\n\0\xef\xbb\xbf"  # with a byte order mark; no record begins with one of them
_BLANK_LINES: Final = re.compile(rb"\n[ \t\r\n\0]*\n")


def head_blocks(path: Path) -> Iterator[bytes]:
    """Yield the beginning of a file, unpacked, in blocks and without blank lines. Raises OSError when the file cannot
    be read.
    """
    with open_file(path) as file:
        lines = length = 0
        begun = False
        for block in read_blocks(file, path.suffix, size=PIECE):
            length += len(block)
            if not begun:
                block = block.lstrip(_BLANK)
                begun = bool(block)
            if block and type(block) is not Hole:
                block = _BLANK_LINES.sub(b"\n", block)
                lines += block.count(b"\n")
                yield block
            if length >= MOST or (length >= BLOCK and lines >= LINES):
                return
