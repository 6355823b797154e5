"""The two tasks of a build, which run in any process that reaches the sources and the folder.

A task writes one index folder under a name that depends on its inputs alone. What lies there is complete, and is not
built again, once the task has ended: the manifest of a shard appears last, and TOLD after that of a reading, whose
generation it names.
"""

from __future__ import annotations

import base64
import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeVar

import xxhash

from recall_rank.histories.cache.change_scan import read
from recall_rank.histories.cache.resolve_copies import ReadSession, read_session, resolve_copies
from recall_rank.histories.ignore import Ignore, without_ignored
from recall_rank.histories.records.table import UnitEntry
from recall_rank.index.errors import MissingIndexError, UnusableIndexError
from recall_rank.index.merge.merge import merge
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.folder import Folder
from recall_rank.index.storage.publish import open_generation, save_all, save_in
from recall_rank.loaders import open_source, open_sources
from recall_rank.loaders.read_all import LoadedSource, failure_reason
from recall_rank.model import BaseSource, Session, Unit
from recall_rank.model.source_wrapper import complete_source
from recall_rank.shards.building.build_folder import TOLD, mark

SEGMENT_PARTS: Final = 393_216  # parts in a segment of a shard, plus the rest of its last input

Member = tuple[str | None, str]  # the agent and the id of a session that a task takes
T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class Task(Protocol[T_co]):
    """A task of a build, which another process gets by pickle."""

    def done_before(self) -> T_co | None:
        """Return the result of the task when it ran before; None when it did not end, or could not read all."""

    def run(self) -> T_co:
        """Run the task and return its result."""


def run_task(task: Task[T]) -> T:
    """Run a task, or return its result when it ran before."""
    done = task.done_before()
    return task.run() if done is None else done


def sources_at(where: str, ignore: Ignore) -> list[BaseSource]:
    """Return the sources at a path and below it, or those of an agent, without what is ignored.

    Raises OSError and ValueError where there is none.
    """
    found = open_sources(where) if Path(where).exists() else []
    return [complete_source(source) for source in without_ignored(found or [open_source(where)], ignore)]


@lru_cache(maxsize=256)
def _sources_once(build_id: str, where: str, ignore: Ignore) -> list[BaseSource]:
    """Return the sources at a place, looked for once in each build and process."""
    del build_id
    return sources_at(where, ignore)


def _source(build_id: str, ignore: Ignore, address: SourceAddress) -> BaseSource:
    """Return the source with an address. Raises OSError and ValueError when it is not there, or not any more."""
    for source in _sources_once(build_id, address.where, ignore):
        if (source.name, source.location) == (address.name, address.location):
            return source
    raise FileNotFoundError("a worker does not find the history that the build found here")


def shard_of(session_id: str, shards: int) -> int:
    """Return the number of the shard, from 0, that holds the session with this id."""
    return xxhash.xxh3_64_intdigest(session_id.encode("utf-8", "surrogatepass")) % shards


# --- reading -----------------------------------------------------------------------------------------------------


class SourceAddress(NamedTuple):
    """The values by which a task finds a source: the place at which it is found, its name and its location."""

    where: str
    name: str
    location: str


class UnitAddress(NamedTuple):
    """The values by which a task finds a unit: the number of its source in the task, its key and its location."""

    source: int
    key: str
    location: str


@dataclass(frozen=True, slots=True)
class UnitsRead:
    """The groups of sessions that a task read from units, and what it could not read.

    A group is connected by ids that its sessions share; of each session it has the agent, the id and the key of the
    unit. `links` are the hashed ids of all groups as packed() writes them, by which others may be connected with them;
    link_counts[k] of them belong to group k. Failures are locations with reasons.
    """

    groups: Sequence[Sequence[tuple[str | None, str, str]]]
    link_counts: Sequence[int]
    links: str
    failures: Sequence[tuple[str, str]]
    malformed: int
    units: int
    reused: bool = False


@dataclass(frozen=True, slots=True)
class ReadTask:
    """Reads units of sources and indexes their sessions, one segment a shard.

    Copies in a group of sessions are resolved as in a refresh. With `members`, only these sessions are indexed.
    """

    folder: str
    build_id: str
    shards: int
    ignore: Ignore
    sources: tuple[SourceAddress, ...]
    units: tuple[UnitAddress, ...]
    members: tuple[Member, ...] | None

    def done_before(self) -> UnitsRead | None:
        folder = Path(self.folder)
        try:
            told = json.loads((folder / TOLD).read_bytes())
            if told["generation"] != open_generation(folder).manifest.nonce:
                return None  # a task was killed before it told what it read, or reads now
            found = UnitsRead(**told["found"])
        except (MissingIndexError, UnusableIndexError, OSError, ValueError, TypeError, KeyError):
            return None
        return None if found.failures else replace(found, reused=True)

    def run(self) -> UnitsRead:
        folder = Path(self.folder)
        mark(folder)
        reading = _Reading(self)
        reading.read()
        found, sessions = reading.resolved()
        split: list[list[Session]] = [[] for _ in range(self.shards)]
        for session in sessions:
            split[shard_of(session.id, self.shards)].append(session)
        with Folder.create(folder) as opened:
            manifest = save_in(opened, map(build, split))
            opened.put(TOLD, json.dumps({"generation": manifest.nonce, "found": asdict(found)}).encode())
        return found


class _Reading:
    """The sessions that were read from the units of a task, with the unit of each."""

    def __init__(self, task: ReadTask) -> None:
        self._task = task
        self._members = None if task.members is None else frozenset(task.members)
        self._sources: list[BaseSource] = []
        self._found: list[ReadSession] = []
        self._keys: list[str] = []  # of the unit, by serial
        self._failures: list[tuple[str, str]] = []
        self._malformed = 0

    def read(self) -> None:
        """Read the units. Those of a source that vanished after the build was planned are failures."""
        by_source: dict[int, list[Unit]] = {}
        for place in self._task.units:
            by_source.setdefault(place.source, []).append(Unit(place.key, place.location))
        for number, units in by_source.items():
            try:
                source = _source(self._task.build_id, self._task.ignore, self._task.sources[number])
            except (OSError, ValueError) as error:
                self._failures += [(unit.location, failure_reason(error)) for unit in units]
                continue
            self._sources.append(source)
            loaded = LoadedSource(source)
            with loaded.opened():
                for unit in units:
                    self._read(source, unit)
            self._failures += [(failure.location, failure.reason) for failure in loaded.failures]

    def _read(self, source: BaseSource, unit: Unit) -> None:
        at = len(self._sources) - 1
        entry = UnitEntry(unit, b"")
        for session in read(source, entry):
            if self._members is None or (session.agent, session.id) in self._members:
                self._found.append(read_session(at, source, session, len(self._keys)))
                self._keys.append(unit.key)
        self._malformed += sum(bad.count for bad in entry.malformed)
        if entry.error is not None:
            self._failures.append((unit.location, entry.error))

    def resolved(self) -> tuple[UnitsRead, list[Session]]:
        """Return the result of the reading, and the sessions that remain after copies were resolved."""
        done = resolve_copies(self._sources, self._found)
        self._failures += [
            (self._sources[each.at].location, each.problem) for each in self._found if each.problem is not None
        ]
        groups: dict[int, list[tuple[str | None, str, str]]] = {}
        links: dict[int, set[int]] = {}
        for each in self._found:
            session, group = each.session, each.held.group
            groups.setdefault(group, []).append((session.agent, session.id, self._keys[each.held.serial]))
            links.setdefault(group, set()).update(each.dependency_keys)
        found = UnitsRead(
            list(groups.values()),
            [len(links[group]) for group in groups],
            packed(link for group in groups for link in sorted(links[group])),
            self._failures,
            self._malformed,
            len(self._task.units),
        )
        return found, list(done.sessions.values())


def packed(numbers: Iterable[int]) -> str:
    """Return numbers as text: u64, in the order of bytes of this machine, base64."""
    return base64.b64encode(array("Q", numbers).tobytes()).decode()


# --- merging -----------------------------------------------------------------------------------------------------


class MergeInput(NamedTuple):
    """The folder of a reading, and its sessions that are left out, since another reading has them resolved."""

    folder: str
    replaced: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class ShardMerged:
    """The number of sessions and parts of a shard, and whether an earlier build had merged it."""

    sessions: int
    parts: int
    reused: bool = False


@dataclass(frozen=True, slots=True)
class MergeTask:
    """Merges the segments of one shard from the folders of readings, and writes them as the index of the shard."""

    folder: str
    shard: int
    inputs: tuple[MergeInput, ...]

    def done_before(self) -> ShardMerged | None:
        try:
            return replace(self._counted(), reused=True)
        except (MissingIndexError, UnusableIndexError, OSError):
            return None

    def run(self) -> ShardMerged:
        folder = Path(self.folder)
        mark(folder)
        save_all(_merged(self.inputs, self.shard), folder)
        return self._counted()

    def _counted(self) -> ShardMerged:
        segments = open_generation(self.folder).segments
        return ShardMerged(
            sum(len(segment.sessions) for segment in segments),
            sum(segment.parts_without_titles for segment in segments),
        )


def _merged(inputs: Sequence[MergeInput], shard: int) -> Iterator[Segment]:
    """Yield the segments of a shard, each merged of inputs with SEGMENT_PARTS parts together; at least one."""
    segments: list[Segment] = []
    dead: list[frozenset[int]] = []
    parts, yielded = 0, False
    for each in inputs:
        segment = open_generation(each.folder).segments[shard]
        gone = frozenset(each.replaced)
        rows = frozenset(row for row, own in enumerate(segment.sessions) if (own.agent, own.id) in gone)
        if len(rows) == len(segment.sessions):
            continue
        segments.append(segment)
        dead.append(rows)
        parts += segment.parts
        if parts >= SEGMENT_PARTS:
            yield merge(segments, dead)
            segments, dead, parts, yielded = [], [], 0, True
    if segments:
        yield merge(segments, dead)
    elif not yielded:
        yield build(())
