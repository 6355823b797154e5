"""Choose the newest units (files or sessions) of a large history that is read for the first time, so that they can
be searched soon.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recall_rank.loaders.read_all import LoadedSource, list_units
from recall_rank.model import BaseSource, Source, Unit, Unread
from recall_rank.model.source_wrapper import SourceWrapper, complete_source

PART_BYTES: Final = 24 << 20  # a few seconds of reading
WORTH: Final = 4  # times as much has to be there: else all of it is read about as soon
STILL_READING: Final = "The histories are still being read for the first time: only a part of them is searched so far"


@dataclass(frozen=True, slots=True)
class FirstPart:
    """The newest part of a large history: its sources, limited to the newest units, with the numbers and bytes of these
    units and of all units.
    """

    sources: Sequence[BaseSource]
    units: int
    of: int
    bytes: float
    total: float

    @property
    def unread(self) -> Unread:
        return Unread(self.of - self.units, int(self.total - self.bytes))

    def __str__(self) -> str:
        mib = 1 << 20
        return (
            f"{STILL_READING}, the newest {self.units:,} of {self.of:,} files and sessions, "
            f"{self.bytes / mib:,.0f} of {self.total / mib:,.0f} MiB; ask again soon"
        )


def first_part(sources: Sequence[Source], most: int = PART_BYTES) -> FirstPart | None:
    """Return the newest units of a large history, at most `most` bytes in sum; None when the whole history has less
    than four times `most` bytes, or when no unit fits.

    Size and age of a unit are those of its file; the size of a database is divided equally among its sessions.
    """
    found: list[tuple[float, int, int, float, Unit]] = []  # newest first, then as the sources have them
    for at, source in enumerate(map(complete_source, sources)):
        loaded = LoadedSource(source)
        with loaded.opened():
            units = list_units(loaded)
        sharing = Counter(unit.location for unit in units)
        files = {location: _size_and_time(location) for location in sharing}
        for place, unit in enumerate(units):
            size, time = files[unit.location]
            found.append((-time, at, place, size / sharing[unit.location], unit))
    total = sum(size for *_, size, _ in found)
    if total < WORTH * most:
        return None
    chosen: list[set[str]] = [set() for _ in sources]
    used = 0.0
    for _, at, _, size, unit in sorted(found, key=lambda each: each[:3]):
        if used + size <= most:  # a file that is too large is skipped, older ones may still fit
            used += size
            chosen[at].add(unit.key)
    count = sum(map(len, chosen))
    if not count:
        return None
    some = [UnitSubset(source, keys) for source, keys in zip(sources, chosen, strict=True)]
    return FirstPart(some, count, len(found), used, total)


class UnitSubset(SourceWrapper):
    """A source that lists only the units with the given keys."""

    def __init__(self, source: Source, keys: set[str]) -> None:
        super().__init__(source)
        self._keys = keys

    def units(self) -> Iterable[Unit]:
        return [unit for unit in super().units() if unit.key in self._keys]


def _size_and_time(location: str) -> tuple[float, float]:
    try:
        found = Path(location).stat()
    except (OSError, ValueError):  # reading the unit reports the error
        return 0.0, 0.0
    return found.st_size, found.st_mtime
