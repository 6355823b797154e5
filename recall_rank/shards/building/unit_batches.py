"""The units of the sources of a build, cut into batches of which each is read by one task."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import xxhash

from recall_rank.histories.cache.change_scan import scan_sources
from recall_rank.histories.ignore import Ignore
from recall_rank.histories.records.table import Table, UnitEntry
from recall_rank.index.storage.format import FORMAT
from recall_rank.loaders.read_all import failure_reason
from recall_rank.model import ReadFailure
from recall_rank.shards.building.unit_tasks import SourceAddress, sources_at

BUILD_FORMAT: Final = 2  # raised with every change of what the tasks write
CUT: Final = 32  # a batch has so many units as a rule
MOST_UNITS: Final = 256
MOST_BYTES: Final = 64 << 20  # of files; a file that is larger is a batch of its own


@dataclass(frozen=True, slots=True)
class PlannedSource:
    """A source of a build: its address, and its units by their keys."""

    address: SourceAddress
    units: dict[str, UnitEntry]


@dataclass(frozen=True, slots=True)
class UnitBatch:
    """Units of one source, by its number, and a digest of their signatures; "" where one has none."""

    source: int
    units: tuple[UnitEntry, ...]
    digest: str


@dataclass(slots=True)
class BuildPlan:
    """The sources of a build and their units in batches, and the sources that could not be listed."""

    sources: list[PlannedSource] = field(default_factory=list)
    batches: list[UnitBatch] = field(default_factory=list)
    failures: list[ReadFailure] = field(default_factory=list)


def plan_batches(histories: Iterable[str], ignore: Ignore) -> BuildPlan:
    """List the units of the sources that `histories` name: stores at a path and below it, or those of an agent.

    Reads no session. A path that cannot be read, or vanishes meanwhile, is a failure of the plan. Raises ValueError and
    FileNotFoundError where nothing is found.
    """
    plan = BuildPlan()
    for history in histories:
        path = Path(history).expanduser()
        exists = path.exists()
        where = os.path.abspath(path) if exists else history  # noqa: PTH100 - links are not followed
        try:
            found = sources_at(where, ignore)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not exists:
                raise
            plan.failures.append(ReadFailure(where, failure_reason(error)))
            continue
        for scan in scan_sources(found, Table()):
            number = len(plan.sources)
            address = SourceAddress(where, scan.source.name, scan.source.location)
            plan.sources.append(PlannedSource(address, dict(scan.entry.units)))
            plan.failures += [ReadFailure(scan.entry.location, reason) for reason in scan.entry.errors]
            plan.batches += [
                UnitBatch(number, units, _digest_of(plan.sources[number], units, ignore))
                for units in _cut(list(scan.entry.units.values()))
            ]
    return plan


def digest(*values: Any) -> str:
    """Return a hash of values that have one way to be written: texts, numbers, and lists and tuples of them."""
    return xxhash.xxh3_128_hexdigest(repr((BUILD_FORMAT, FORMAT, values)).encode("utf-8", "surrogatepass"))


def _digest_of(source: PlannedSource, units: Sequence[UnitEntry], ignore: Ignore) -> str:
    if not all(unit.signature for unit in units):
        return ""
    return digest(source.address, [(each.unit.key, each.signature) for each in units], ignore.digest())


def _cut(units: Sequence[UnitEntry]) -> Iterator[tuple[UnitEntry, ...]]:
    """Yield the units in batches that end where the hash of a key says so: a unit that is new changes one batch."""
    batch: list[UnitEntry] = []
    size = 0
    for entry in units:
        more = _size(entry.unit.location)
        if batch and size + more > MOST_BYTES:
            yield tuple(batch)
            batch, size = [], 0
        batch.append(entry)
        size += more
        key = entry.unit.key.encode("utf-8", "surrogatepass")
        if len(batch) >= MOST_UNITS or xxhash.xxh3_64_intdigest(key) % CUT == 0:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


def _size(location: str) -> int:
    try:
        return os.stat(location).st_size  # noqa: PTH116 - asked of every unit
    except (OSError, ValueError):
        return 0
