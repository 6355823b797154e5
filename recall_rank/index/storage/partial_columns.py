"""Terms and postings of a segment whose file is in a store: the blocks that a look-up needs, found before it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from recall_rank._core.index.packed_columns import GROUP, unpack_group
from recall_rank.index.segment.columns import COLUMNS, NAMED, ROW_MARKED
from recall_rank.index.storage.segment_file import SegmentFile

Terms = tuple[int, int]  # the numbers [first, last) of terms
KNOWN: Final = 65_536  # ranges of terms that are remembered to be there
DIRECT: Final = 1 << 31  # bit of a pointer that is a posting itself, not the place of one: see posting_frames.pxd
SLACK: Final = 8  # bytes behind the runs of a packed column: see packed_columns.pyx
AHEAD: Final = 64  # pointers behind those of a term that are read to find the end of its frames


class PartialTerms:
    """The arguments by which a Vocabulary reads an arena that is fetched block by block."""

    __slots__ = ("_file", "block", "marks", "samples", "words")

    def __init__(self, file: SegmentFile) -> None:
        self._file = file
        self.samples = file.column("term_samples")
        self.words = file.column("term_words")
        self.marks, self.block = file.verified("term_arena")

    def load(self, blocks: Sequence[int]) -> None:
        """Fetch and verify blocks of the arena. Raises DamagedIndexError, and OSError for a store out of reach."""
        self._file.verify_blocks("term_arena", blocks)

    def load_signatures(self, first: int, last: int) -> None:
        """Fetch and verify the signatures of the terms [first, last). Raises the errors of load()."""
        self._file.verify("term_signatures", 4 * first, 4 * last)


class PostingLoader:
    """Fetches and verifies the postings of terms, before Postings reads them."""

    __slots__ = ("_block_bits", "_block_ranks", "_file", "_known", "_pointers", "_shared", "_starts")

    def __init__(self, file: SegmentFile, columns: Mapping[str, memoryview]) -> None:
        """Take the columns of postings, of which those that are read in pieces need not be there yet."""
        self._file = file
        self._shared = _Ranks(columns["posting_shared_bits"], columns["posting_shared_ranks"])
        self._starts = columns["posting_block_starts"]
        self._pointers = columns["posting_pointers"]
        blocks = max(len(self._starts) - 1, 1)
        words, ranks = (len(columns[name]) // blocks for name in ("posting_block_bits", "posting_block_ranks"))
        self._block_bits = [columns["posting_block_bits"][at * words : (at + 1) * words] for at in range(blocks)]
        self._block_ranks = [columns["posting_block_ranks"][at * ranks : (at + 1) * ranks] for at in range(blocks)]
        self._known: set[Terms] = set()

    def load_counts(self, ranges: Sequence[Terms]) -> None:
        """Fetch and verify the document frequencies of the terms [first, last) of all `ranges`. Raises the errors of
        load().
        """
        self._file.verify_ranges({"posting_df": self._shared_numbers(ranges)})

    def _shared_numbers(self, ranges: Sequence[Terms]) -> list[Terms]:
        """Return the numbers [first, last) that the terms of each range have among the shared terms."""
        self._file.verify_ranges({"posting_shared_bits": [_words_of(term, term) for each in ranges for term in each]})
        below = self._shared.below
        return [(below(first), below(last)) for first, last in ranges]

    def load(self, ranges: Sequence[Terms]) -> None:
        """Fetch and verify the postings of the terms [first, last) of all `ranges`, in at most five rounds.

        Raises DamagedIndexError, and OSError when the store cannot be reached.
        """
        known = self._known
        new = [terms for terms in ranges if terms not in known]
        if not new:
            return
        lone, entries = [], []
        numbers = self._shared_numbers(new)
        size = 8 * len(self._block_bits[0])
        places = [_words_of(low, high) for low, high in numbers if low < high]
        self._file.verify_ranges(
            {
                "posting_block_bits": [
                    (block * size + start, min(block * size + end, (block + 1) * size))
                    for block in range(len(self._block_bits))
                    for start, end in places
                ]
            }
        )
        for (first, last), (low, high) in zip(new, numbers, strict=True):
            lone.append((first - low, last - high))
            entries += self._entries(low, high)
        self._file.verify_ranges(
            {
                "posting_lone_docs": [(2 * first, 2 * last) for first, last in lone],
                "posting_lone_blocks": lone,
                "posting_pointers": [(4 * first, 4 * (last + AHEAD)) for _, first, last in entries],
            }
        )
        self._file.verify_ranges({"posting_frames": [self._frames_of(*each) for each in entries]})
        if len(known) > KNOWN:
            known.clear()
        known.update(new)

    def _entries(self, low: int, high: int) -> list[tuple[int, int, int]]:
        """Return (block, first, last) for each block in which one of the shared terms [low, high) has postings: the
        numbers [first, last) of their entries.
        """
        found = []
        if low < high:
            for block, (bits, ranks) in enumerate(zip(self._block_bits, self._block_ranks, strict=True)):
                before = _Ranks(bits, ranks)
                first, last = before.below(low), before.below(high)
                if first < last:
                    found.append((block, first, last))
        return found

    def _frames_of(self, block: int, first: int, last: int) -> tuple[int, int]:
        """Return the bytes [start, end) of the frames to which the pointers [first, last) of a block lead.

        Frames lie in the order of their pointers, so that those of the next pointer behind end the last ones.
        """
        base, pointers = self._starts[block], self._pointers
        start = next((pointers[at] for at in range(first, min(last, len(pointers))) if pointers[at] < DIRECT), None)
        if start is None:
            return 0, 0
        behind = self._end_of(block)
        at, size = last, AHEAD
        while at < behind:
            stop = min(at + size, behind)
            self._file.verify("posting_pointers", 4 * at, 4 * stop)
            end = next((pointers[each] for each in range(at, stop) if pointers[each] < DIRECT), None)
            if end is not None:
                return base + start, base + end
            at, size = stop, 4 * size
        return base + start, self._starts[block + 1]

    def _end_of(self, block: int) -> int:
        """Return the number behind the last entry of a block."""
        following = block + 1
        if following < len(self._block_ranks) and len(self._block_ranks[following]):
            return min(self._block_ranks[following][0], len(self._pointers))
        return len(self._pointers)


class PackedRows:
    """A packed column of which single rows are read: groups of GROUP rows are fetched, verified and unpacked."""

    __slots__ = ("_below", "_code", "_count", "_data", "_file", "_groups", "_marks", "_name", "extra")

    def __init__(self, file: SegmentFile, name: str, marks: memoryview, below: int | None) -> None:
        """Take what run_marks() returned for the column `name`, whose values are less than `below`."""
        self._file = file
        self._below = below
        self._name = name
        self._code = COLUMNS[name].code
        self._count = file.count(name)
        self.extra = COLUMNS[name].extra  # a string ends where the next one begins
        self._data = file.raw(name)
        self._marks = marks
        self._groups: dict[int, memoryview] = {}

    def __getitem__(self, row: int, /) -> int:
        """Return the value of a row. Raises IndexError, DamagedIndexError, and OSError for a store out of reach."""
        if not 0 <= row < self._count:
            raise IndexError(row)
        group, at = divmod(row, GROUP)
        values = self._groups.get(group)
        if values is None:
            values = self._groups[group] = self._unpacked(group)
        value: int = values[at]
        return value

    def place_of(self, row: int) -> tuple[int, int]:
        """Return the bytes [start, end) of the column that are read for a row."""
        at = 2 * (row // GROUP)
        end = self._marks[at + 2] + SLACK if at + 2 < len(self._marks) else len(self._data)
        return self._marks[at], end

    def _unpacked(self, group: int) -> memoryview:
        start, end = self.place_of(group * GROUP)
        self._file.verify(self._name, start, end)
        count = min(GROUP, self._count - group * GROUP)
        values = self._file.checked(unpack_group, self._data[start:end], count, self._code, self._marks[2 * group + 1])
        if self._below is not None and max(values) >= self._below:
            raise self._file.damaged(f"column {self._name} has a number that is out of range")
        return values


def packed_rows(file: SegmentFile, names: int) -> dict[str, PackedRows]:
    """Return the columns of ROW_MARKED; those of numbers of names have numbers below `names`. Raises DamagedIndexError
    when their marks do not fit.
    """
    marks = file.column("row_marks")
    found, at = {}, 0
    for name in ROW_MARKED:
        size = 2 * -(-file.count(name) // GROUP)
        found[name] = PackedRows(file, name, marks[at : at + size], names if name in NAMED else None)
        at += size
    if at != len(marks):
        raise file.damaged("the marks of its rows do not fit")
    return found


def _words_of(first: int, last: int) -> tuple[int, int]:
    """Return the bytes [start, end) of the words of a bit set that tell how many members are below each of the numbers
    `first` to `last`, and which of these are members.
    """
    return (first >> 8) * 32, (last >> 6) * 8 + 8


class _Ranks:
    """Counts the members of a bit set below a number: `words` are u64, `ranks`[k] is the count below 256 * k."""

    __slots__ = ("_ranks", "_words")

    def __init__(self, words: memoryview, ranks: memoryview) -> None:
        self._words = words
        self._ranks = ranks

    def below(self, number: int) -> int:
        """Return the number of members below `number`, plus ranks[0]."""
        if not len(self._ranks):
            return 0
        group = min(number >> 8, len(self._ranks) - 1)
        first, word = 4 * group, number >> 6
        count: int = self._ranks[group]
        count += sum(each.bit_count() for each in self._words[first:word])
        if number & 63 and word < len(self._words):
            count += (self._words[word] & ((1 << (number & 63)) - 1)).bit_count()
        return count
