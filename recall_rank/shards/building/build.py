"""Build shards of the sessions of sources: plan batches of units, run the tasks, publish one manifest."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

from recall_rank.histories.ignore import Ignore
from recall_rank.index.storage.folder import Folder
from recall_rank.model import ReadFailure
from recall_rank.model.progress import Progress
from recall_rank.shards.building.build_folder import READ_NAME, SHARD_NAME, claim, sweep
from recall_rank.shards.building.linked_groups import linked_groups
from recall_rank.shards.building.task_workers import TaskWorkers
from recall_rank.shards.building.unit_batches import BuildPlan, digest, plan_batches
from recall_rank.shards.building.unit_tasks import Told, done_before
from recall_rank.shards.manifest import ListedShard, write_manifest

STATE: Final = "units"  # the folder below that of the shards with what was read, for the next build
MOST_SHARDS: Final = 4096
MEMBERS: Final = 256  # sessions, as a rule, of which one task resolves copies
NOTHING: Final = Ignore()

Replaced = list[tuple[str | None, str]]  # agents and ids of sessions


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
        build.sweep()
        return build.report(listed, (time.perf_counter() - started) * 1000)


@contextmanager
def _locked(state: Path) -> Iterator[None]:
    with Folder.create(state) as folder:
        if not folder.try_lock():
            raise BlockingIOError(f"another build writes to {state.parent}")
        yield


class _Build:
    """One build: `used` are the names of the folders that it needs."""

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
        self._progress = progress
        self._plan = plan
        self._id = uuid4().hex
        told = {name: sorted(value) for name, value in asdict(ignore).items()}
        self._common: Told = {"task": "read", "build": self._id, "shards": shards, "ignore": told}
        self._ignore = ignore
        self._told: list[Told] = []  # of each batch
        self._names: list[str] = []  # of the folders with what was read, those of linked sessions last
        self._replaced: dict[int, Replaced] = {}  # by number of the batch
        self._linked = self._merged = 0
        self.used: set[str] = set()

    def read(self) -> None:
        """Read all batches."""
        tasks: list[Told] = []
        for batch in self._plan.batches:
            source = self._plan.sources[batch.source]
            units = [(0, each.unit.key, each.unit.location) for each in batch.units]
            tasks.append(self._reading(batch.digest or digest(self._id, len(tasks)), [source.address], units, None))
        self._told = self._run("reading", tasks)

    def _reading(
        self,
        name: str,
        sources: Sequence[tuple[str, str, str]],
        units: Sequence[tuple[int, str, str]],
        members: Replaced | None,
    ) -> Told:
        """Return the task that reads units into the folder `name`, which other numbers of shards do not share."""
        name = f"{name}-{self._shards}"
        self._names.append(name)
        folder = str(self._folder / STATE / name)
        return {**self._common, "folder": folder, "sources": sources, "units": units, "members": members}

    def resolve_linked(self) -> None:
        """Read the sessions again that ids connect across batches, each connected set in one task."""
        owners = [(number, group) for number, told in enumerate(self._told) for group in range(len(told["groups"]))]
        sets = linked_groups([told["links"] for told in self._told], [told["link_counts"] for told in self._told])
        tasks: list[Told] = []
        waiting: list[tuple[int, int]] = []
        size = 0
        for linked in sets:
            waiting += [owners[at] for at in linked]
            size += sum(len(self._told[number]["groups"][group]) for number, group in map(owners.__getitem__, linked))
            if size >= MEMBERS:
                tasks.append(self._linked_task(waiting))
                waiting, size = [], 0
        if waiting:
            tasks.append(self._linked_task(waiting))
        told = self._run("resolving", tasks)
        for each in told:
            each["units"] = 0  # they are counted where they were read first
        self._told += told

    def _linked_task(self, groups: Sequence[tuple[int, int]]) -> Told:
        members: dict[tuple[str | None, str], None] = {}
        needed: dict[int, set[str]] = {}
        for number, group in groups:
            source = self._plan.batches[number].source
            for agent, session, _, unit in self._told[number]["groups"][group]:
                members[agent, session] = None
                needed.setdefault(source, set()).add(unit)
                self._replaced.setdefault(number, []).append((agent, session))
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
        units = [(at, entry.unit.key, entry.unit.location) for at, entry in entries]
        return self._reading(name, sources, units, list(members))

    def merge(self) -> list[ListedShard]:
        """Merge what was read into one folder a shard, and return the shards."""
        state = self._folder / STATE
        inputs = [
            {"folder": str(state / name), "replaced": self._replaced.get(number, [])}
            for number, name in enumerate(self._names)
        ]
        failed = any(told["failures"] for told in self._told)  # such a folder may have other contents next time
        made = digest(self._names, [each["replaced"] for each in inputs], self._shards, self._id if failed else "")
        names = [f"shard-{number + 1:04}-of-{self._shards:04}-{made[:16]}" for number in range(self._shards)]
        tasks: list[Told] = [
            {"task": "merge", "folder": str(self._folder / name), "shard": number, "inputs": inputs}
            for number, name in enumerate(names)
        ]
        found = self._run("merging", tasks)
        self._merged = sum(not told["reused"] for told in found)
        self.used.update(names)
        return [
            ListedShard(f"shard {number + 1} of {self._shards}", name, told["sessions"], told["parts"])
            for number, (name, told) in enumerate(zip(names, found, strict=True))
        ]

    def _run(self, stage: str, tasks: Sequence[Told]) -> list[Told]:
        """Run the tasks that an earlier build did not end; return what all told, in their order."""
        found = {number: told for number, task in enumerate(tasks) if (told := done_before(task)) is not None}
        left = [number for number in range(len(tasks)) if number not in found]
        for number, told in self._workers.run([tasks[number] for number in left]) if left else ():
            found[left[number]] = told
            if self._progress is not None:
                self._progress(stage, len(found), len(tasks))
        return [found[number] for number in range(len(tasks))]

    def sweep(self) -> None:
        """Remove the folders of shards and of what was read that earlier builds made and this one does not need."""
        sweep(self._folder, SHARD_NAME, self.used)
        sweep(self._folder / STATE, READ_NAME, self._names)

    def report(self, shards: Sequence[ListedShard], elapsed_ms: float) -> BuildReport:
        failures = [ReadFailure(place, why) for told in self._told for place, why in told["failures"]]
        return BuildReport(
            tuple(shards),
            sum(told["units"] for told in self._told if not told["reused"]),
            sum(told["units"] for told in self._told if told["reused"]),
            self._linked,
            self._merged,
            sum(told["malformed"] for told in self._told[: len(self._plan.batches)]),
            tuple(dict.fromkeys([*self._plan.failures, *failures])),
            elapsed_ms,
        )
