"""The first records of a file of JSON lines, by which loaders recognise their files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from recall_rank.loaders.files.regular_files import BLOCK, PACKED, open_file, read_blocks
from recall_rank.loaders.json.jsonl import JsonlRecords
from recall_rank.loaders.json.parse import Record

MOST = 50  # records
UNPACKED = 1 << 16  # bytes of an archive that are unpacked: a mebibyte would take as long as a search
_FIRST_KEY = re.compile(rb'\s*\{\s*"(t|type)"\s*:\s*"([\w-]{1,40})"')


def read_first_records(path: Path) -> Iterator[Record]:
    """Yield up to MOST readable records from the beginning of a file; none when it cannot be read.

    When the first record is longer than the bytes read, only its first key and value are yielded.
    """
    try:
        with open_file(path) as file:
            size = UNPACKED if path.suffix in PACKED else BLOCK
            block = next(read_blocks(file, path.suffix, size=size), b"")
        head, whole, _ = block.rpartition(b"\n")
        if not whole:
            found = _FIRST_KEY.match(block.removeprefix(b"\xef\xbb\xbf"))
            if found and len(block) >= 1 << 16:
                yield {found[1].decode(): found[2].decode()}
                return
            head = block
        for count, (_, record) in enumerate(JsonlRecords(iter([head]), str(path))):
            if count >= MOST:
                return
            yield record
    except OSError:
        return


def has_records(path: Path) -> bool:
    """Whether the beginning of a file holds a readable record."""
    return next(read_first_records(path), None) is not None
