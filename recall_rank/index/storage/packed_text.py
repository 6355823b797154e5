"""The text of a settled segment: stored in packed blocks, and read like a text that is not packed.

A settled segment is one that a bulk build, a merge or a save wrote; the small segments that refreshes append are
merged soon, and stay as they are. The dictionary of a segment is a sample of its own text, so that a segment that was
rewritten without a forgotten session has none of its words.

The codec is _core.index.text_blocks. zlib makes blocks a fifth smaller, but a search reads some hundred blocks, and
unpacking one takes zlib six times as long: a search for new words would take half as much CPU again.
"""

from __future__ import annotations

import mmap
import platform
import sys
import threading
from array import array
from collections.abc import Iterable
from typing import Final

from recall_rank._core.index.text_blocks import MOST_BYTES, pack_blocks, unpack_blocks
from recall_rank._core.search.column_filters import are_marked
from recall_rank.index.segment.columns import TEXT_BLOCK
from recall_rank.index.segment.segment import Offsets, Text
from recall_rank.index.storage.segment_file import SegmentFile

SETTLED_BYTES: Final = 65_536  # texts from this size on are packed: below it, the other columns are most of a file
DICTIONARY_SHARE: Final = 16  # a dictionary has one byte for this many of the text
SAMPLE: Final = 128  # bytes that are taken at once for a dictionary; longer samples repeat less of the text
UNPACKED_BYTES: Final = 1 << 25  # of a segment; a search reads about half a MiB
_NO_RESERVE: Final = 0x4000  # MAP_NORESERVE of Linux on these machines, which mmap names from Python 3.13 on
_MACHINES: Final = ("x86_64", "aarch64")


def packed_text(text: Text) -> tuple[bytes, memoryview, bytearray] | None:
    """Return (dictionary, starts, packed), the columns of a text that is worth packing; None for another text.

    `starts` is u64[blocks + 1]. Takes about 20 ns a byte.
    """
    if len(text) < SETTLED_BYTES:
        return None
    dictionary = sampled(text, min(MOST_BYTES, len(text) // DICTIONARY_SHARE))
    packed, starts = pack_blocks(text, dictionary, TEXT_BLOCK)
    return (dictionary, starts, packed) if len(dictionary) + len(packed) < len(text) else None


def sampled(text: Text, size: int) -> bytes:
    """Return at most `size` bytes of a text, in stretches of SAMPLE bytes that begin at even distances.

    Frequent stretches of the text were chosen, too; blocks are a fiftieth smaller with them, for a multiple of the CPU.
    """
    count, view = size // SAMPLE, memoryview(text)
    starts = (len(text) * k // count for k in range(count))
    return b"".join(view[start : start + SAMPLE] for start in starts)


class PackedText:
    """The unpacked bytes of a segment's text, of which those that are asked for are there. Thread-safe.

    At most UNPACKED_BYTES, and what the last call asked for, are kept unpacked, besides what callers still hold.
    """

    __slots__ = ("_dictionary", "_file", "_lock", "_pages", "_size", "_starts")

    def __init__(self, file: SegmentFile) -> None:
        """Take a segment file whose text is packed. Nothing is read yet."""
        self._file = file
        self._size = file.count("text")
        self._lock = threading.Lock()
        self._dictionary: memoryview | None = None
        self._starts: memoryview | None = None
        self._pages: _Pages | None = None

    def text_for(self, ranges: Iterable[tuple[int, int]]) -> memoryview:
        """Return the whole text, of which the byte ranges [start, end) of `ranges` are there.

        Raises DamagedIndexError for packed blocks that are not what was written, and OSError for a store that cannot
        be reached.
        """
        pages = self._current()
        find = pages.marks.find
        missing: set[int] = set()
        for start, end in ranges:
            if start < end and find(0, start // TEXT_BLOCK, -(-end // TEXT_BLOCK)) >= 0:
                missing.update(range(start // TEXT_BLOCK, min(-(-end // TEXT_BLOCK), len(pages.marks))))
        if missing:
            self._unpack(pages, missing)
        return pages.text

    def text_between(self, starts: Offsets, ends: Offsets) -> memoryview:
        """Return the whole text, of which bytes [starts[k], ends[k]) are there. Raises the errors of text_for()."""
        pages = self._current()
        if are_marked(pages.marks, starts, ends, TEXT_BLOCK):
            return pages.text
        return self.text_for(zip(starts, ends, strict=True))

    def _current(self) -> _Pages:
        """Return the unpacked blocks; none of them, if too many were unpacked since the last time."""
        pages = self._pages
        if pages is not None and pages.unpacked * TEXT_BLOCK <= UNPACKED_BYTES:
            return pages
        with self._lock:
            now = self._pages
            if now is None or now is pages:  # replaced, not cleared: other threads may be reading them
                now = self._pages = _Pages(self._size)
            return now

    def _unpack(self, pages: _Pages, wanted: set[int]) -> None:
        """Unpack the blocks with these numbers that are not there yet. Several threads may do this at a time: each
        byte is written with its final value only, after all of its block was verified and unpacked.
        """
        if self._starts is None or self._dictionary is None:
            self._dictionary, self._starts = self._file.column("text_dictionary"), self._file.column("text_starts")
        starts, marks = self._starts, pages.marks
        blocks = array("I", sorted(at for at in wanted if not marks[at]))
        self._file.verify_ranges({"text": [(starts[at], starts[at + 1]) for at in blocks]})
        packed = self._file.raw("text")
        self._file.checked(unpack_blocks, packed, starts, self._dictionary, blocks, pages.text, TEXT_BLOCK)
        for at in blocks:
            marks[at] = 1
        pages.unpacked += len(blocks)


class _Pages:
    """Memory for a text: `text`, u8[size], whose block k of TEXT_BLOCK bytes is there if marks[k] is 1. The system
    gives memory only for the pages that are written to.
    """

    __slots__ = ("marks", "text", "unpacked")

    def __init__(self, size: int) -> None:
        pages = _private_memory(size)
        if hasattr(mmap, "MADV_NOHUGEPAGE"):
            pages.madvise(mmap.MADV_NOHUGEPAGE)  # each would take 2 MiB for one block
        self.text = memoryview(pages)
        self.marks = bytearray(-(-size // TEXT_BLOCK))
        self.unpacked = 0  # blocks, roughly: threads count without a lock


def _private_memory(size: int) -> mmap.mmap:
    """Return memory that may be larger than that of the machine, as the text of a segment may be: Linux refuses such a
    mapping unless it is told that most of it is never written.
    """
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows
        return mmap.mmap(-1, size)
    lazy = getattr(mmap, "MAP_NORESERVE", 0)
    if not lazy and sys.platform == "linux" and platform.machine() in _MACHINES:
        lazy = _NO_RESERVE
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | lazy)
