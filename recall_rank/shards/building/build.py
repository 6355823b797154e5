"""Build shards of the sessions of sources: plan batches of units, run the tasks, publish one manifest."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

from recall_rank.histories.ignore import Ignore
from recall_rank.index.storage.folder import Folder
from recall_rank.model import ReadFailure
from recall_rank.model.progress import Progress
from recall_rank.shards.building.build_folder import READ_NAME, SHARD_NAME, claim, sweep
from recall_rank.shards.building.linked_groups import linked_groups
from recall_rank.shards.building.task_workers import TaskWorkers
from recall_rank.shards.building.unit_batches import BuildPlan, digest, plan_batches
from recall_rank.shards.building.unit_tasks import (
    Member,
    MergeInput,
    MergeTask,
    ReadTask,
    SourceAddress,
    Task,
    UnitAddress,
    UnitsRead,
)
from recall_rank.shards.manifest import ListedShard, write_manifest

STATE: Final = "units"  # the folder below that of the shards with what was read, for the next build
MOST_SHARDS: Final = 4096
MEMBERS: Final = 256  # sessions, as a rule, of which one task resolves copies
NOTHING: Final = Ignore()

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The shards that a build made, the numbers of units that it read and took from earlier builds, and its failures.

    `linked` is the number of sessions whose copies were resolved across tasks, `merged` that of shards written anew.
    """

    shards: tuple[ListedShard, ...]
    read: int
    reused: int
    linked: int
    merged: int
    malformed: int
    failures: tuple[ReadFailure, ...]
    elapsed_ms: float

    @property
    def sessions(self) -> int:
        """The number of sessions in all shards."""
        return sum(shard.sessions for shard in self.shards)


def build_shards(
    histories: Iterable[str],
    out: str | os.PathLike[str],
    shards: int,
    workers: TaskWorkers,
    *,
    ignore: Ignore = NOTHING,
    progress: Progress | None = None,
) -> BuildReport:
    """Make the shards below the folder `out` hold the sessions of `histories`; Shards.open(out) searches them.

    A session is in the shard that the hash of its id names. Copies count once, as in a refresh. What an earlier build
    read, also one that was interrupted, is not read again while its units have the same signatures. The manifest is
    written last: until then a reader finds the earlier shards. Then these are removed, so that nothing is left of what
    was forgotten; who has them open may go on. What no build made is not removed.

    Raises ValueError for a number of shards outside 1 to 4096, for a place without histories, and for a folder that is
    not empty and that no build made; BlockingIOError while another build writes to the folder, OSError, and
    WorkersLostError.
    """
    started = time.perf_counter()
    if not 1 <= shards <= MOST_SHARDS:
        raise ValueError(f"the number of shards is 1 to {MOST_SHARDS}, not {shards}")
    folder = Path(out).expanduser().absolute()
    plan = plan_batches(histories, ignore)
    claim(folder)
    with _locked(folder / STATE):
        build = _Build(folder, shards, workers, ignore, progress, plan)
        build.read()
        build.resolve_linked()
        listed = build.merge()
        write_manifest(folder, listed)
        build.sweep(listed)
        return build.report(listed, (time.perf_counter() - started) * 1000)


@contextmanager
def _locked(state: Path) -> Iterator[None]:
    with Folder.create(state) as folder:
        if not folder.try_lock():
            raise BlockingIOError(f"another build writes to {state.parent}")
        yield


@dataclass(frozen=True, slots=True)
class _ReadFolder:
    """A folder with what one task has read, and its sessions that a task has read again to resolve their copies."""

    name: str
    read: UnitsRead
    replaced: list[Member] = field(default_factory=list)


class _Build:
    """One build, whose steps are called in their order."""

    def __init__(
        self,
        folder: Path,
        shards: int,
        workers: TaskWorkers,
        ignore: Ignore,
        progress: Progress | None,
        plan: BuildPlan,
    ) -> None:
        self._folder = folder
        self._shards = shards
        self._workers = workers
        self._ignore = ignore
        self._progress = progress
        self._plan = plan
        self._id = uuid4().hex
        self._batches: list[_ReadFolder] = []  # one of each batch of the plan
        self._resolved: list[_ReadFolder] = []  # those of linked sessions
        self._linked = self._merged = 0

    def read(self) -> None:
        """Read all batches."""
        tasks: list[ReadTask] = []
        for batch in self._plan.batches:
            address = self._plan.sources[batch.source].address
            places = [UnitAddress(0, each.unit.key, each.unit.location) for each in batch.units]
            tasks.append(self._task(batch.digest or digest(self._id, len(tasks)), [address], places, None))
        self._batches = self._run_readings("reading", tasks)

    def _task(
        self,
        name: str,
        sources: Sequence[SourceAddress],
        places: Sequence[UnitAddress],
        members: Sequence[Member] | None,
    ) -> ReadTask:
        """Return the task that reads units into the folder `name`, which other numbers of shards do not share."""
        folder = str(self._folder / STATE / f"{name}-{self._shards}")
        only = None if members is None else tuple(members)
        return ReadTask(folder, self._id, self._shards, self._ignore, tuple(sources), tuple(places), only)

    def _run_readings(self, stage: str, tasks: Sequence[ReadTask]) -> list[_ReadFolder]:
        return [
            _ReadFolder(Path(task.folder).name, found)
            for task, found in zip(tasks, self._run(stage, tasks), strict=True)
        ]

    def resolve_linked(self) -> None:
        """Read the sessions again that ids connect across batches, each connected set in one task."""
        found = [batch.read for batch in self._batches]
        owners = [(number, group) for number, read in enumerate(found) for group in range(len(read.groups))]
        sets = linked_groups([read.links for read in found], [read.link_counts for read in found])
        tasks = []
        waiting: list[tuple[int, int]] = []
        size = 0
        for linked in sets:
            waiting += [owners[at] for at in linked]
            size += sum(len(found[number].groups[group]) for number, group in map(owners.__getitem__, linked))
            if size >= MEMBERS:
                tasks.append(self._linked_task(waiting))
                waiting, size = [], 0
        if waiting:
            tasks.append(self._linked_task(waiting))
        self._resolved = self._run_readings("resolving", tasks)

    def _linked_task(self, groups: Sequence[tuple[int, int]]) -> ReadTask:
        members: dict[Member, None] = {}
        needed: dict[int, set[str]] = {}
        for number, group in groups:
            source = self._plan.batches[number].source
            for agent, session, unit in self._batches[number].read.groups[group]:
                members[agent, session] = None
                needed.setdefault(source, set()).add(unit)
                self._batches[number].replaced.append((agent, session))
        self._linked += len(members)
        order = sorted(needed)
        entries = [
            (at, entry)
            for at, source in enumerate(order)
            for key, entry in self._plan.sources[source].units.items()
            if key in needed[source]
        ]
        sources = [self._plan.sources[source].address for source in order]
        signatures = [(at, entry.unit.key, entry.signature) for at, entry in entries]
        signed = all(entry.signature for _, entry in entries)
        name = digest(sources, signatures, list(members), self._ignore.digest(), "" if signed else self._id)
        places = [UnitAddress(at, entry.unit.key, entry.unit.location) for at, entry in entries]
        return self._task(name, sources, places, list(members))

    @property
    def _all_read(self) -> list[_ReadFolder]:
        return [*self._batches, *self._resolved]

    def merge(self) -> list[ListedShard]:
        """Merge what was read into one folder a shard, and return the shards."""
        state = self._folder / STATE
        inputs = tuple(MergeInput(str(state / each.name), tuple(each.replaced)) for each in self._all_read)
        failed = any(each.read.failures for each in self._all_read)  # such a folder may have other contents next time
        contents = [(each.name, each.replaced) for each in self._all_read]
        made = digest(contents, self._shards, self._id if failed else "")
        names = [f"shard-{number + 1:04}-of-{self._shards:04}-{made[:16]}" for number in range(self._shards)]
        tasks = [MergeTask(str(self._folder / name), number, inputs) for number, name in enumerate(names)]
        found = self._run("merging", tasks)
        self._merged = sum(not shard.reused for shard in found)
        return [
            ListedShard(f"shard {number + 1} of {self._shards}", name, shard.sessions, shard.parts)
            for number, (name, shard) in enumerate(zip(names, found, strict=True))
        ]

    def _run(self, stage: str, tasks: Sequence[Task[T]]) -> list[T]:
        """Run the tasks that an earlier build did not end; return the results of all, in their order."""
        found = {number: done for number, task in enumerate(tasks) if (done := task.done_before()) is not None}
        left = [number for number in range(len(tasks)) if number not in found]
        for number, result in self._workers.run([tasks[number] for number in left]) if left else ():
            found[left[number]] = result
            if self._progress is not None:
                self._progress(stage, len(found), len(tasks))
        return [found[number] for number in range(len(tasks))]

    def sweep(self, shards: Sequence[ListedShard]) -> None:
        """Remove the folders of shards and of what was read that earlier builds made and this one does not need."""
        sweep(self._folder, SHARD_NAME, {shard.folder for shard in shards})
        sweep(self._folder / STATE, READ_NAME, {each.name for each in self._all_read})

    def report(self, shards: Sequence[ListedShard], elapsed_ms: float) -> BuildReport:
        """Return what was built. A unit that is read again with linked sessions counts where it was read first."""
        failures = [ReadFailure(place, why) for each in self._all_read for place, why in each.read.failures]
        batches = [batch.read for batch in self._batches]
        return BuildReport(
            tuple(shards),
            sum(read.units for read in batches if not read.reused),
            sum(read.units for read in batches if read.reused),
            self._linked,
            self._merged,
            sum(read.malformed for read in batches),
            tuple(dict.fromkeys([*self._plan.failures, *failures])),
            elapsed_ms,
        )
