"""A source of one session a file, for tests of the order in which sessions are read."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from recall_rank.model import BaseSource, Message, Part, Reading, Session, Unit

SIZE = 1_000  # bytes of a file
NOW = 1_780_000_000_000


class Shelf:
    """A source of one session a file; a higher number is a newer session."""

    name = "shelf"

    def __init__(self, folder: Path, count: int, waits_below: int = 0) -> None:
        """Open the shelf; sessions with a number below `waits_below` are read only after `gate` is set."""
        folder.mkdir()
        self.waits_below = waits_below
        self.gate = threading.Event()
        self.location = str(folder)
        self.paths = [folder / f"s{number:02}" for number in range(count)]
        for number, path in enumerate(self.paths):
            path.write_bytes(b"x" * SIZE)
            os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))

    def units(self) -> Iterable[Unit]:
        return [Unit(path.name, str(path)) for path in self.paths]

    def signature(self, unit: Unit) -> bytes:
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        number = int(unit.key[1:])
        assert number >= self.waits_below or self.gate.wait(30)
        part = Part(f"{unit.key}p", "text", f"the lantern of room {number} flickers")
        message = Message(f"{unit.key}m", "user", NOW + number, (part,))
        directory = "/home/ana/even" if number % 2 == 0 else "/home/ana/odd"
        return Reading([Session(unit.key, (message,), f"room {number}", directory, directory[-4:], updated=NOW)])


class OpenShelf(Shelf, BaseSource):
    """A shelf that stays open while it is read."""

    depth = deepest = 0

    def __enter__(self) -> Self:
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        return self

    def __exit__(self, *problem: object) -> None:
        self.depth -= 1
