"""The kernels that columns on disk are written and read with, each on the columns of generated text."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from recall_rank._core.index import derived_columns as derived
from recall_rank._core.index import id_codec as held
from recall_rank._core.index import packed_columns as packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Row = tuple[str, "Callable[[], Any]", "Callable[[], Any]", int, str]


def column_rows(texts: list[bytes], plain: Callable[[str], Any]) -> Iterator[Row]:
    """Room, native and plain call, how much of what one call does; where `plain` knows the slow version."""
    if plain("index.packed_columns.unpack") is None:
        return
    starts = array("Q", accumulate(map(len, texts), initial=0))
    written = packed.pack(starts)
    yield (
        "packed.unpack",
        lambda: packed.unpack(written, len(starts), "Q").tolist(),
        lambda: plain("index.packed_columns.unpack")(bytes(written), len(starts), "Q").tolist(),
        len(starts),
        "numbers",
    )
    yield (
        "packed.pack",
        lambda: packed.pack(starts),
        lambda: plain("index.packed_columns.pack")(starts),
        len(starts),
        "numbers",
    )
    firsts = array("I", range(0, 2 * len(texts) + 1, 2))
    yield (
        "derived.owners",
        lambda: derived.owners(firsts, firsts[-1]).tolist(),
        lambda: plain("index.derived_columns.owners")(firsts, firsts[-1]),
        firsts[-1],
        "rows",
    )
    names = [b"ses_%06d.m%d" % (number // 50, number % 50) for number in range(len(texts))]
    sessions = [b"ses_%06d" % number for number in range(len(texts) // 50 + 1)]
    holder = array("I", [number // 50 for number in range(len(texts))])
    records, places = held.shorten(*_ended(names), holder, *_ended(sessions))
    holders = _ended(sessions)
    yield (
        "held.lengthen",
        lambda: bytes(held.lengthen(records, places, holder, 0, *holders)[0]),
        lambda: lengthened(bytes(records), places, holder, sessions),
        len(names),
        "names",
    )


def lengthened(records: bytes, places: memoryview, holder: array[int], sessions: list[bytes]) -> bytes:
    """The names of records, one after the other."""
    names = []
    for at, end, number in zip(places, places[1:], holder, strict=False):
        names.append(sessions[number][: records[at]] + records[at + 1 : end])
    return b"".join(names)


def _ended(names: list[bytes]) -> tuple[bytes, array[int]]:
    return b"".join(names), array("Q", accumulate(map(len, names), initial=0))
