"""Changes the files of an index that this process has open, and goes on searching it.

`python -m tests.support.index.cut_open FOLDER WAY KIND COLD`: WAY is what is done to the file (see WAYS), KIND the file
("segment" or "table"), and COLD whether nothing was searched before. Prints one line for each length or place: what
every kind of read did, "equal" or the name of the error. Any other answer ends with an exception; a signal ends it too.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from recall_rank import Index, Message, Part, Recall, Session
from recall_rank.histories.cache.state import TableView
from recall_rank.histories.cache.store import find
from recall_rank.index.errors import DamagedIndexError
from recall_rank.model import Match, Reading, Unit
from recall_rank.search.options import SearchOptions
from tests.support.index.history import told
from tests.support.search.samples import ENOUGH_MS

WORDS: Final = ("lantern", "wick", "harbour", "gull", "tide", "keel", "anchor", "oakum", "plover", "whimbrel")
QUERIES: Final[tuple[tuple[str, Match], ...]] = (
    *(("lantern tide 7", "smart"), ("whimbrel", "literal")),
    *(("anchr", "fuzzy"), ("ta.le", "regex")),
)
WAYS: Final = ("cut", "cut and filled", "overwritten", "lengthened")
NOW: Final = 1_780_000_000_000
ASKED_WITH: Final[SearchOptions] = {"now": NOW, "budget_ms": ENOUGH_MS}


def sessions(count: int = 120) -> Iterator[Session]:
    """Sessions whose index has many pages in every larger column."""
    for number in range(count):
        said = (
            Message(f"m{number}-{at}", "user" if at % 2 == 0 else "assistant", NOW - number * 1000 + at, (
                Part(f"p{number}-{at}", "text", " ".join(
                    f"{WORDS[(number * 7 + at * 3 + k) % len(WORDS)]} table{number * 31 + k}" for k in range(40))),))
            for at in range(8)
        )  # fmt: skip
        yield Session(f"s{number}", tuple(said), f"About {WORDS[number % len(WORDS)]} {number}", updated=NOW - number)


class Told:
    """A source with these sessions."""

    name, location = "told", "/told"

    def units(self) -> list[Unit]:
        return [Unit("u", "/told/u")]

    def signature(self, unit: Unit) -> bytes:
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        return Reading(list(sessions()))


class Victim:
    """A file that is changed in place, by whoever else has it open, and restored."""

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()
        self._descriptor = os.open(path, os.O_RDWR)
        self._status = path.stat()

    def hurt(self, way: str, at: int) -> None:
        if way.startswith("cut"):
            os.ftruncate(self._descriptor, at)
        if way == "cut and filled":
            os.ftruncate(self._descriptor, len(self.data))
        if way == "overwritten":
            os.pwrite(self._descriptor, bytes(len(self.data) - at), at)
        if way == "lengthened":
            os.ftruncate(self._descriptor, len(self.data) + at)

    def mend(self) -> None:
        os.pwrite(self._descriptor, self.data, 0)
        os.ftruncate(self._descriptor, len(self.data))

    def lengths(self, way: str) -> list[int]:
        size = len(self.data)
        if way == "lengthened":
            return [1, 5000]
        return [0, 1, 100, 4096, 5000, *(size * k // 8 for k in range(1, 8)), size - 4097, size - 100, size - 1]


def asked(index: Index) -> list[str]:
    return [json.dumps(told(index.search(text, match=mode, **ASKED_WITH))) for text, mode in QUERIES]


def outcome(read: Callable[[], object], wanted: object) -> str:
    """ "equal", or the name of the error; raises for any other answer."""
    try:
        found = read()
    except DamagedIndexError:
        return "refused"
    if found != wanted:
        raise AssertionError(f"{found!r:.300} is not {wanted!r:.300}")
    return "equal"


def open_index(folder: Path, victim: Victim, way: str, at: int, cold: bool) -> list[str]:
    """The outcomes of the reads of one index, the file of which is changed after it was opened."""
    with Index.open(folder) as index:
        reads: dict[str, Callable[[], object]] = {
            "search": lambda: asked(index),
            "scores": lambda: index.scores("lantern tide").tolist(),
            "columns": lambda: {name: column.tolist() for name, column in index.columns.items()},
            "save": lambda: index.save(folder.parent / "copy"),
            "search again": lambda: asked(index),
        }
        if not cold:
            WANTED.update((name, read()) for name, read in reads.items())
        victim.hurt(way, at)
        return [outcome(read, WANTED[name]) for name, read in reads.items()]


def refreshed(cache: Path, victim: Victim, way: str, at: int) -> str:
    """ "equal" when a Recall answers as before, although a file of its cache was changed: it makes the index anew."""
    with Recall([Told()], cache=cache) as recall:
        wanted = shown(recall)
        victim.hurt(way, at)
        message = recall.get("s3", "m3-2").message
        found = shown(recall)
    if found != wanted or not message.parts:
        raise AssertionError(f"{found!r:.300} is not {wanted!r:.300}")
    return "equal"


def shown(recall: Recall) -> list[list[tuple[str, float, str]]]:
    """The results of every query, without how old the state is that answered."""
    answers = [recall.search(text, match=mode, **ASKED_WITH) for text, mode in QUERIES]
    return [[(hit.part_id, hit.score, hit.snippet) for hit in answer.results] for answer in answers]


WANTED: dict[str, object] = {}


def main(folder: Path, way: str, kind: str, cold: bool) -> None:
    if kind == "table":
        return main_of_table(folder, way)
    index_folder = folder / "index"
    Index.build(sessions()).save(index_folder)
    (path,) = index_folder.glob("segment-*")
    victim = Victim(path)
    open_index(index_folder, victim, "nothing", 0, False)
    for at in victim.lengths(way):
        print(at, *open_index(index_folder, victim, way, at, cold), flush=True)
        victim.mend()
    return None


def counted(view: TableView) -> int:
    return len(view.table().sources)


def main_of_table(folder: Path, way: str) -> None:
    """Change the table and then the segment of a cache below an open state, and below an open Recall."""
    cache = folder / "cache"
    with Recall([Told()], cache=cache) as recall:
        recall.search("lantern")
    (inside,) = cache.iterdir()
    state = find(inside).state
    assert state is not None
    wanted = counted(state.view)
    (path,) = inside.glob("table-*")
    victim = Victim(path)
    for at in victim.lengths(way):
        state = find(inside).state
        assert state is not None
        victim.hurt(way, at)
        print(at, outcome(partial(counted, state.view), wanted), flush=True)
        victim.mend()
    for kind in ("table", "segment"):
        (path,) = inside.glob(f"{kind}-*")
        size = path.stat().st_size
        for at in (0, 100, size // 2, size - 1):
            (path,) = inside.glob(f"{kind}-*")  # a new one, where the last was made anew
            print(at, refreshed(cache, Victim(path), way, at), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4] == "cold")
