"""The two tasks of a build, which run in any process that reaches the sources and the folder.

A task gets and returns values of JSON. It writes one index folder under a name that depends on its inputs alone, whose
manifest appears last: what is there is complete, and is not built again.
"""

from __future__ import annotations

import base64
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

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
from recall_rank.index.storage.publish import open_generation, save_all
from recall_rank.loaders import open_source, open_sources
from recall_rank.loaders.read_all import LoadedSource
from recall_rank.model import BaseSource, Session, Unit
from recall_rank.model.source_wrapper import complete_source
from recall_rank.shards.building.build_folder import TOLD, mark

SEGMENT_PARTS: Final = 393_216  # parts in a segment of a shard, plus the rest of its last input

Told = dict[str, Any]


def run_task(given: Told) -> Told:
    """Run the task that `given` describes, or return what it told when it ran before."""
    done = done_before(given)
    if done is not None:
        return done
    return read_units(given) if given["task"] == "read" else merge_shard(given)


def done_before(given: Told) -> Told | None:
    """Return what a task told when it ran before; None when it did not end, or could not read all."""
    folder = Path(given["folder"])
    try:
        found = open_generation(folder).segments
        told: Told = _counts(found) if given["task"] == "merge" else json.loads((folder / TOLD).read_bytes())
    except (MissingIndexError, UnusableIndexError, OSError, ValueError):
        return None
    return None if told.get("failures") else {**told, "reused": True}


def sources_at(where: str, ignore: Ignore) -> list[BaseSource]:
    """Return the sources at a path and below it, or those of an agent, without what is ignored.

    Raises OSError and ValueError where there is none.
    """
    found = open_sources(where) if Path(where).exists() else []
    return [complete_source(source) for source in without_ignored(found or [open_source(where)], ignore)]


def _ignore(patterns: Mapping[str, Sequence[str]]) -> Ignore:
    fields: dict[str, Any] = {name: tuple(values) for name, values in patterns.items()}
    return Ignore(**{**fields, "forgotten": frozenset(fields["forgotten"])})


@lru_cache(maxsize=256)
def _sources_once(build_id: str, where: str, ignore: Ignore) -> list[BaseSource]:
    """Return the sources at a place, looked for once in each build and process."""
    del build_id
    return sources_at(where, ignore)


def _source(build_id: str, ignore: Ignore, address: Sequence[str]) -> BaseSource:
    where, name, location = address
    for source in _sources_once(build_id, where, ignore):
        if (source.name, source.location) == (name, location):
            return source
    raise FileNotFoundError(f"{location}: a worker does not find the {name} history that the build found there")


def shard_of(session_id: str, shards: int) -> int:
    """Return the number of the shard, from 0, that holds the session with this id."""
    return xxhash.xxh3_64_intdigest(session_id.encode("utf-8", "surrogatepass")) % shards


# --- reading -----------------------------------------------------------------------------------------------------


def read_units(given: Told) -> Told:
    """Read units of sources and index their sessions, one segment a shard; return the groups of sessions.

    A group is connected by ids that its sessions share; copies in it are resolved as in a refresh. With `members`, only
    these sessions are indexed. The groups are told with their hashed ids, by which others may be connected with them.
    """
    folder = Path(given["folder"])
    mark(folder)
    ignore = _ignore(given["ignore"])
    sources = [_source(given["build"], ignore, address) for address in given["sources"]]
    members = None if given["members"] is None else {(agent, key) for agent, key in given["members"]}
    reading = _Reading(sources, members)
    reading.read(given["units"])
    told, sessions = reading.resolved()
    split: list[list[Session]] = [[] for _ in range(given["shards"])]
    for session in sessions:
        split[shard_of(session.id, given["shards"])].append(session)
    with Folder.create(folder) as opened:
        opened.put(TOLD, json.dumps(told).encode())
    save_all(map(build, split), folder)
    return {**told, "reused": False}


class _Reading:
    """The sessions that were read from units, with the unit of each."""

    def __init__(self, sources: Sequence[BaseSource], members: set[tuple[str | None, str]] | None) -> None:
        self._sources = sources
        self._members = members
        self._found: list[ReadSession] = []
        self._homes: list[tuple[int, str]] = []  # by serial: source and key of the unit
        self._failures: list[tuple[str, str]] = []
        self._malformed = self._units = 0

    def read(self, units: Iterable[tuple[int, str, str]]) -> None:
        """Read units, each given by the number of its source, its key and its location; those of a source together."""
        by_source: dict[int, list[Unit]] = {}
        for at, key, location in units:
            by_source.setdefault(at, []).append(Unit(key, location))
        for at, own in by_source.items():
            loaded = LoadedSource(self._sources[at])
            with loaded.opened():
                for unit in own:
                    self._read(at, loaded.source, unit)
            self._failures += [(failure.location, failure.reason) for failure in loaded.failures]

    def _read(self, at: int, source: BaseSource, unit: Unit) -> None:
        entry = UnitEntry(unit, b"")
        for session in read(source, entry):
            if self._members is None or (session.agent, session.id) in self._members:
                self._found.append(read_session(at, source, session, len(self._homes)))
                self._homes.append((at, unit.key))
        self._units += 1
        self._malformed += sum(bad.count for bad in entry.malformed)
        if entry.error is not None:
            self._failures.append((unit.location, entry.error))

    def resolved(self) -> tuple[Told, list[Session]]:
        """Return what is told of the reading, and the sessions that remain after copies were resolved."""
        done = resolve_copies(self._sources, self._found)
        self._failures += [
            (self._sources[each.at].location, each.problem) for each in self._found if each.problem is not None
        ]
        groups: dict[int, list[tuple[str | None, str, int, str]]] = {}
        links: dict[int, set[int]] = {}
        for each in self._found:
            session, group = each.session, each.held.group
            groups.setdefault(group, []).append((session.agent, session.id, *self._homes[each.held.serial]))
            links.setdefault(group, set()).update(each.dependency_keys)
        told = {
            "groups": list(groups.values()),
            "link_counts": [len(links[group]) for group in groups],
            "links": packed(link for group in groups for link in sorted(links[group])),
            "failures": self._failures,
            "malformed": self._malformed,
            "units": self._units,
        }
        return told, list(done.sessions.values())


def packed(numbers: Iterable[int]) -> str:
    """Return numbers as text: u64, in the order of bytes of this machine, base64."""
    return base64.b64encode(array("Q", numbers).tobytes()).decode()


# --- merging -----------------------------------------------------------------------------------------------------


def merge_shard(given: Told) -> Told:
    """Merge the segments of one shard from the folders of readings, and write them as the index of the shard."""
    folder = Path(given["folder"])
    mark(folder)
    save_all(_merged(given["inputs"], given["shard"]), folder)
    return {**_counts(open_generation(folder).segments), "reused": False}


def _counts(segments: Sequence[Segment]) -> Told:
    return {
        "sessions": sum(len(segment.sessions) for segment in segments),
        "parts": sum(segment.parts_without_titles for segment in segments),
    }


def _merged(inputs: Sequence[Mapping[str, Any]], shard: int) -> Iterator[Segment]:
    """Yield the segments of a shard, each merged of inputs with SEGMENT_PARTS parts together; at least one."""
    segments: list[Segment] = []
    dead: list[frozenset[int]] = []
    parts, yielded = 0, False
    for each in inputs:
        segment = open_generation(each["folder"]).segments[shard]
        gone = {(agent, key) for agent, key in each["replaced"]}
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
