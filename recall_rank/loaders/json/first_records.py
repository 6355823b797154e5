"""The first records of a file of JSON lines, by which loaders recognise their files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice, takewhile
from pathlib import Path

from recall_rank.loaders.files.heads import head_blocks
from recall_rank.loaders.files.regular_files import BLOCK
from recall_rank.loaders.json.jsonl import JsonlRecords
from recall_rank.loaders.json.parse import Record

MOST = 50  # records
BROKEN = 200  # lines that are not readable, before a file is given up
_FIRST_KEY = re.compile(rb'\s*\{\s*"(t|type)"\s*:\s*"([\w-]{1,40})"')


def read_first_records(path: Path) -> Iterator[Record]:
    """Yield up to 50 readable records from the beginning of a file of JSON lines; none when it cannot be read.

    Of a first line over 1 MiB only the first member is yielded, and only when its name is `t` or `type`. Later lines
    over 1 MiB are passed over.
    """
    try:
        blocks = head_blocks(path)
        first = b""
        while b"\n" not in first and len(first) < BLOCK and (block := next(blocks, None)) is not None:
            first += block
        found = _FIRST_KEY.match(first) if b"\n" not in first and len(first) >= 1 << 16 else None
        if found:
            yield {found[1].decode(): found[2].decode()}
        whole_enough = takewhile(lambda _: len(records.malformed) < BROKEN, chain((first,), blocks))
        records = JsonlRecords(whole_enough, str(path), longest=BLOCK)
        yield from islice((record for _, record in records), MOST)
    except OSError:
        return


def has_records(path: Path) -> bool:
    """Return whether the beginning of a file holds a readable record."""
    return next(read_first_records(path), None) is not None
