"""What the fuzzer gives bytes to: one function for each target, which raises for what must not be.

Any bytes are an input. A function decodes them as it likes, but always in one way, so that a kept input is tried again
as it was found.
"""

from __future__ import annotations

import asyncio
import functools
import os
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Final

from recall_rank._core.text.passages import passage_ends
from recall_rank._core.text.token_coverage import is_covered
from recall_rank._core.text.tokens import query_tokens, tokens
from recall_rank.corpus import Index
from recall_rank.frontends.mcp import frames as mcp_frames
from recall_rank.frontends.redaction.redact import redacted, secrets
from recall_rank.loaders.json.jsonl import JsonlRecords
from tests.reference.text import token_coverage as slow_coverage
from tests.reference.text import tokens as slow_tokens
from tests.support.index.damage import manifest_for, resealed
from tests.support.search.samples import ENOUGH_MS, NOW, session

STOP: Final = frozenset((b"the", b"a"))
LONGEST: Final = 4_096  # bytes of an input; more finds nothing more


def tokenise(data: bytes) -> None:
    """The kernels of texts, compared with their slow versions."""
    data = data[:400]
    found = tokens(data)
    assert found == slow_tokens.tokens(data), data
    assert all(0 <= low <= high <= len(data) for _, _, low, high, *_ in found), data
    query_tokens(data, STOP)
    assert is_covered(data)[0] == slow_coverage.is_covered(data), data
    ends = passage_ends(data, 16)
    assert ends[-1] == len(data)
    assert all(low < high for low, high in pairwise(ends)), data


@functools.cache
def _saved() -> tuple[tempfile.TemporaryDirectory[str], dict[str, bytes]]:
    """A folder with a small index, and its files as they were."""
    holder = tempfile.TemporaryDirectory(prefix="recall-rank-fuzz-")
    folder = Path(holder.name) / "index"
    said = [f"the lantern {number} is lit at the quay, größe {number}" for number in range(4)]
    Index.build([session("s1", *said, title="Lanterns", directory="/quay"), session("s2", "a gull")]).save(folder)
    return holder, {path.name: path.read_bytes() for path in folder.iterdir()}


def open_segment(data: bytes) -> None:
    """A segment with numbers changed at places that the input names, and with checksums that fit: nothing may crash."""
    holder, files = _saved()
    folder = Path(holder.name) / "index"
    segment, manifest = (next(name for name in files if name.startswith(kind)) for kind in ("segment", "manifest"))
    made = bytearray(files[segment])
    for at in range(0, len(data) - 6, 7):  # a place of three bytes, and up to four bytes for it
        place = int.from_bytes(data[at : at + 3], "little") % len(made)
        width = (1, 2, 4)[data[at] % 3]
        made[place : place + width] = data[at + 3 : at + 3 + width][: len(made) - place]
    forged = resealed(made, files[segment])
    (folder / segment).write_bytes(forged)
    (folder / manifest).write_bytes(manifest_for(files[manifest], forged))
    try:
        with Index.open(folder) as index:
            index.search("lantren", match="fuzzy", now=NOW, budget_ms=ENOUGH_MS)
    except Exception:  # noqa: BLE001 - an error is an answer; a crash is none
        return


def read_lines(data: bytes) -> None:
    """Lines of JSON in blocks of two sizes: equal records, and every line is a record or is told."""
    seen = []
    for size in (7, 1 << 20):
        records = JsonlRecords((data[at : at + size] for at in range(0, len(data), size)), "f", starts=('{"t":',))
        seen.append((list(records), [(bad.place, bad.reason) for bad in records.malformed]))
    assert repr(seen[0]) == repr(seen[1]), data


@functools.cache
def _connection() -> tuple[asyncio.Runner, mcp_frames._Connection]:
    return asyncio.Runner(), mcp_frames._Connection(os.open(os.devnull, os.O_WRONLY))


def understand_frame(data: bytes) -> None:
    """One frame of a client of the MCP server: it is understood or refused, and is no defect."""
    runner, connection = _connection()
    defects: list[object] = []

    async def refused(known: object, code: int, words: str) -> None:
        if code == mcp_frames._INTERNAL_ERROR:
            defects.append(words)

    connection._refused = refused  # type: ignore[method-assign]
    runner.run(connection.understood(data.replace(b"\n", b" ")))
    connection.open.clear()
    assert defects == [], data


def redact(data: bytes) -> None:
    """A text with what secrets are made of: what is found lies in the text, in order, and is not shown."""
    text = data.decode("utf-8", "replace")
    found = secrets(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found), text
    assert all(one.end <= other.start for one, other in pairwise(found)), text
    shown = redacted(text)
    assert not found or shown != text, text
    low = data[0] % (len(text) + 1) if data and text else 0
    for one in secrets(text, low, low + 40):
        assert one.start < low + 40, text
        assert one.end > low, text


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "frames": understand_frame,
    "jsonl": read_lines,
    "redaction": redact,
    "segment": open_segment,
    "tokens": tokenise,
}
