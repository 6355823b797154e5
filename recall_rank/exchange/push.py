"""Push: make an index in a store hold the sessions of this machine beside those of others."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import xxhash

from recall_rank.exchange.machines_table import MachineEntry, SegmentNote, read_machines, table_sections
from recall_rank.exchange.outgoing import AllowedProjects, MachineName, Outgoing, Redact, SourceOfMachine
from recall_rank.exchange.shared_segments import MachineSegments, SharedSegment, hidden_copies, without_forgotten
from recall_rank.histories.cache.refresh import refresh
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.ignore import Ignore
from recall_rank.histories.records.forgotten import forgotten_elsewhere
from recall_rank.histories.records.left_out import is_listed
from recall_rank.index.errors import IndexFormatError, MissingIndexError, ReplacedIndexError, UnusableIndexError
from recall_rank.index.remote.object_store import ObjectStore
from recall_rank.index.remote.remote_folder import RemoteFolder
from recall_rank.index.remote.remote_index import RemoteIndex
from recall_rank.index.remote.staged_folder import StagedFolder
from recall_rank.index.segment.build import build
from recall_rank.index.storage.folder import LISTED_FILE_NAME, Folder
from recall_rank.index.storage.manifest import ListedFile, Manifest, listed_names, newest_manifest
from recall_rank.index.storage.publish import add, add_table, publish, sweep
from recall_rank.model.option_errors import error_text
from recall_rank.model.record_classes import frozen, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_rank.histories.cache.state import CacheState
    from recall_rank.index.segment.segment import Segment, SessionRow
    from recall_rank.model import ReadFailure, Source
    from recall_rank.model.progress import Progress

NOTHING: Final = Ignore()
TRIES: Final = 20  # other machines may publish meanwhile; a segment that is uploaded stays for the next try


@frozen
class PushReport:
    """The result of a push: how many sessions of this machine and of all are in the store now, how many of its own were
    removed, how many copies no search finds because another machine has a newer one, what was not read, which patterns
    of projects no session there has, and how many sessions stay on this machine because of their projects.
    """

    sessions: int
    machines: int  # that have sessions there
    all_sessions: int
    removed: int
    copies: int
    written: int  # segments
    changed: bool  # whether a new generation was published
    failures: tuple[ReadFailure, ...] = ()
    malformed: int = 0
    unmatched: tuple[str, ...] = ()
    staying: int = 0


class UnreadHistoriesError(OSError):
    """Raised when none of the sources of a push could be read."""


class _UnchangedError(Exception):
    """Raised while a generation is chosen that would equal the newest one."""


def push(
    url: str,
    sources: Iterable[Source],
    machine: MachineName,
    projects: Sequence[str],
    redact: Redact,
    *,
    reading: str = "",
    cache: Path | None = None,
    ignore: Ignore = NOTHING,
    storage: Mapping[str, Any] | None = None,
    forgotten: frozenset[str] | None = None,
    keep_vanished: bool = False,
    progress: Progress | None = None,
) -> PushReport:
    """Make the index at `url` hold the sessions of `sources` that belong to allowed projects, as those of `machine`.

    `projects` are patterns of AllowedProjects. Each session goes through `redact` before it is
    indexed. Sessions that an earlier push of this machine wrote and that are gone, ignored, forgotten or of a project
    that is no longer allowed are removed, with every byte of their text. A session that was forgotten on any machine
    is removed from the segments of all. Of the copies of one session that several machines have, searches find the
    newest.

    With a `cache`, its list of forgotten sessions counts, what was read is kept there, and later pushes read and write
    only what changed. Without one, what `ignore` says was forgotten counts, of which other machines are told
    `forgotten`, by default the same digests. `reading` identifies the rules of `redact`: when it changes, everything is
    read and written again. With `keep_vanished`, sessions stay that their agent has deleted.

    Several machines may push at once: each publishes one generation after the other, and nothing of theirs is lost.
    Raises ValueError when no project is allowed, when no session is of an allowed project, when nothing would be left
    of what this machine has pushed, and for a place that holds something else than a pushed index; IndexFormatError for
    an index of another version, DamagedIndexError, StoreError, UnreadHistoriesError, and other OSErrors.
    """
    allowed = AllowedProjects(projects)
    own = forgotten_elsewhere(cache) if cache is not None else ignore.forgotten if forgotten is None else forgotten
    with _Publisher(url, machine, storage) as publisher, _folder(cache, url, machine) as folder:
        elsewhere = publisher.forgotten_elsewhere()
        rules = RefreshRules(
            ignore.also(Ignore(forgotten=elsewhere)),
            keep_vanished,
            cache,
            repr((sorted(projects), reading, str(machine))),
            Outgoing(allowed, redact),
        )
        named = [SourceOfMachine(source, machine) for source in sources]
        outcome = refresh(folder, named, rules, progress)
        if outcome.problem is not None:
            raise outcome.problem
        told = outcome.report.sources
        if told and all(each.failed for each in told):
            raise UnreadHistoriesError(f"no history could be read: {told[0].failures[0]}")
        report = publisher.publish(
            _own_segments(outcome.state),
            own,
            tuple(failure for each in told for failure in each.failures),
            sum(bad.count for each in told for bad in each.malformed),
        )
        table = outcome.state.view.table()
        unmatched = allowed.unmatched([held.session for _, held in table.live()])
        staying = sum(held.place is None and held.messages > 0 for each in table.sources for held in each.held())
        return replace(report, unmatched=unmatched, staying=staying)


def withdraw(url: str, machine: MachineName, *, storage: Mapping[str, Any] | None = None) -> PushReport:
    """Remove everything from the index at `url` that `machine` pushed, and its name. Raises the errors of push(), and
    LookupError when it has pushed nothing there.
    """
    with _Publisher(url, machine, storage) as publisher:
        return publisher.publish(None, frozenset())


@contextmanager
def _folder(cache: Path | None, url: str, machine: MachineName) -> Iterator[Path]:
    """Yield the folder of the index of what is pushed to `url`: in the cache, where commands that forget and purge find
    it, or a temporary one.
    """
    if cache is not None:
        key = f"push\x00{url}\x00{machine.host}\x00{machine.user}"
        Folder.create(cache).close()  # raises IndexFolderError for a folder to which others may write
        yield cache / f"index-{xxhash.xxh3_64_hexdigest(key.encode('utf-8', 'surrogatepass'))}"
        return
    with StagedFolder() as staged:
        yield staged.path / "index"


def _own_segments(state: CacheState) -> list[tuple[str, Segment, frozenset[int]]]:
    """Return (content, segment, deleted sessions) of each segment of the index of this machine."""
    if state.manifest is None:
        raise OSError("the index of what is to be pushed could not be written")
    return [
        (listed.header_hash, segment, rows)
        for listed, segment, rows in zip(state.manifest.segments, state.segments, state.dead, strict=True)
    ]


class _Publisher:
    """Publishes generations of one index in a store for one machine."""

    def __init__(self, url: str, machine: MachineName, storage: Mapping[str, Any] | None) -> None:
        self._url = url
        self._machine = machine
        self._folder = RemoteFolder(ObjectStore(url, storage))
        self._remote = RemoteIndex(url, storage)
        self._written: dict[str, ListedFile] = {}  # own segments by content, which no manifest may list yet
        self._added: list[ListedFile] = []  # every other file that was written

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.close()

    def forgotten_elsewhere(self) -> frozenset[str]:
        """Return the digests of the sessions that were forgotten on other machines."""
        missing: Exception = FileNotFoundError(self._url)
        for _ in range(TRIES):
            try:
                machines = self._machines(self._newest())
            except (FileNotFoundError, ReplacedIndexError) as error:
                missing = error
                continue
            return frozenset().union(*(each.forgotten for each in machines if not self._is_own(each)))
        raise OSError(f"{self._url} cannot be read: {error_text(missing)}")

    def publish(
        self,
        own: Sequence[tuple[str, Segment, frozenset[int]]] | None,
        forgotten: frozenset[str],
        failures: tuple[ReadFailure, ...] = (),
        malformed: int = 0,
    ) -> PushReport:
        """Publish the newest generation with `own` as the segments of this machine; None removes the machine."""
        report = PushReport(0, 0, 0, 0, 0, 0, changed=False)

        def choose(newest: Manifest) -> tuple[ListedFile, ...]:
            nonlocal report
            before = self._machines(newest)
            after = self._next(before, own, forgotten)
            dead, report = self._counted(after, before, failures, malformed)
            if own is not None:
                self._check_any(before, after)
            if not report.changed:
                raise _UnchangedError
            if own is not None:
                self._check_left(before, after)
            entries = [
                MachineEntry(
                    each.host,
                    each.user,
                    int(time.time() * 1000) if self._is_own(each) else each.pushed,
                    each.forgotten,
                    tuple(SegmentNote(one.content, one.dead) for one in each.segments),
                )
                for each in after
            ]
            listed = tuple(one.listed for each in after for one in each.segments) or (self._add(build(())),)
            table = add_table(self._folder, table_sections(entries, dead or [frozenset()]))
            self._added.append(table)
            return (*listed, table)

        sweep(self._folder)
        missing: Exception = FileNotFoundError(self._url)
        try:
            for _ in range(TRIES):
                try:
                    publish(self._folder, choose)
                except _UnchangedError:
                    return report
                except (FileNotFoundError, ReplacedIndexError) as error:
                    missing = error  # another machine has replaced what was being read
                    continue
                return report
            raise OSError(f"{self._url} cannot be published: {error_text(missing)}")
        finally:
            with suppress(UnusableIndexError):
                names = [listed.name for listed in (*self._written.values(), *self._added)]
                self._folder.sweep(names, listed_names(self._folder))

    def _newest(self) -> Manifest:
        """Return the newest manifest, or an empty one where no index is. Raises the errors of push()."""
        try:
            return newest_manifest(self._folder)
        except MissingIndexError as error:
            others = [name for name in self._folder.names() if LISTED_FILE_NAME.fullmatch(name) is None]
            if others:
                raise ValueError(
                    f"{self._url} has other files, such as {others[0]}: push to a place of its own"
                ) from error
            return Manifest(0, ())
        except IndexFormatError as error:
            raise IndexFormatError(f"{error}: push to another URL") from error

    def _machines(self, manifest: Manifest) -> list[MachineSegments]:
        """Return the machines of a generation, with their segments opened. Raises FileNotFoundError, ReplacedIndexError
        and the errors of push().
        """
        if not manifest.generation or (manifest.table is None and not manifest.segments):
            self._newest()  # whose errors tell of a manifest that cannot be read
            return []
        found = self._remote.opened(manifest)
        if found.table is None:
            raise ValueError(f"{self._url} holds an index that was not pushed, which a push would replace")
        pieces = list(zip(manifest.segments, found.segments, strict=True))
        machines, at = [], 0
        for entry in read_machines(found.table):
            own = pieces[at : at + len(entry.segments)]
            at += len(entry.segments)
            if at > len(pieces):
                raise found.table.damaged("it has more segments than the index")
            segments = [
                SharedSegment(*piece, note.dead, note.content) for piece, note in zip(own, entry.segments, strict=True)
            ]
            machines.append(MachineSegments(entry.host, entry.user, entry.pushed, entry.forgotten, segments))
        return machines

    def _next(
        self,
        before: Sequence[MachineSegments],
        own: Sequence[tuple[str, Segment, frozenset[int]]] | None,
        forgotten: frozenset[str],
    ) -> list[MachineSegments]:
        """Return the machines of the next generation, without sessions that were forgotten anywhere."""
        machines = [replace(each) for each in before if not self._is_own(each)]
        if own is None:
            mine = [each for each in before if self._is_own(each)]
            if not any(each.segments for each in mine):
                there = ", ".join(f"{each.user}@{each.host}" for each in before if each.segments) or "nobody"
                raise LookupError(f"{self._machine} has pushed nothing to {self._url}: {there} has")
            # what was forgotten stays so: the others must not push it again
            machines += [replace(each, segments=[]) for each in mine if each.forgotten]
        if own is not None:
            known = {one.content: one for each in before if self._is_own(each) for one in each.segments}
            segments = [self._shared(content, segment, dead, known) for content, segment, dead in own]
            name = self._machine
            machines.append(MachineSegments(name.host, name.user, 0, forgotten, segments))
            machines.sort(key=lambda each: (each.host, each.user))
        gone = frozenset().union(*(each.forgotten for each in machines))
        for each in machines:
            each.segments = [without_forgotten(one, gone, self._add) for one in each.segments]
        return machines

    def _shared(
        self, content: str, segment: Segment, dead: frozenset[int], known: Mapping[str, SharedSegment]
    ) -> SharedSegment:
        """Return a segment of this machine as one of the store, which is written there unless it is there already."""
        if content in known:
            return SharedSegment(known[content].listed, segment, dead, content)
        if content not in self._written:
            self._written[content] = add(self._folder, segment)
        return SharedSegment(self._written[content], segment, dead, content)

    def _add(self, segment: Segment) -> ListedFile:
        self._added.append(add(self._folder, segment))
        return self._added[-1]

    def _counted(
        self,
        after: Sequence[MachineSegments],
        before: Sequence[MachineSegments],
        failures: tuple[ReadFailure, ...],
        malformed: int,
    ) -> tuple[list[frozenset[int]], PushReport]:
        """Return the rows of all segments that no search finds, and the report of a push with this outcome."""
        hidden = hidden_copies(after)
        shared = [one for each in after for one in each.segments]
        dead = [one.dead | rows for one, rows in zip(shared, hidden, strict=True)]
        live = sum(len(one.segment.sessions) - len(rows) for one, rows in zip(shared, dead, strict=True))
        mine, mine_before = (self._own_sessions(each) for each in (after, before))
        there = {one.listed.name for each in before for one in each.segments}
        report = PushReport(
            len(mine),
            sum(any(len(one.segment.sessions) > len(one.dead) for one in each.segments) for each in after),
            live,
            len(mine_before.keys() - mine.keys()),
            sum(len(rows - one.dead) for one, rows in zip(shared, hidden, strict=True)),
            sum(one.listed.name not in there for one in shared),
            _told(before) != _told(after),
            failures,
            malformed,
        )
        return dead, report

    def _check_any(self, before: Sequence[MachineSegments], after: Sequence[MachineSegments]) -> None:
        """Raise ValueError when this machine has no session to push and has pushed none: a pattern may have a slip. A
        machine whose sessions may all have been forgotten is let pass.
        """
        if not any(each.forgotten for each in after) and not any(map(self._own_sessions, (before, after))):
            raise ValueError("no session is of a project that may leave this machine: nothing was pushed")

    def _check_left(self, before: Sequence[MachineSegments], after: Sequence[MachineSegments]) -> None:
        """Raise ValueError when no session of this machine would be left, although not all were forgotten: a history
        that is out of reach, or a pattern with a slip, must not remove everything.
        """
        gone = frozenset().union(*(each.forgotten for each in after))
        lost = [row for row in self._own_sessions(before).values() if not is_listed(row, gone)]
        if lost and not self._own_sessions(after):
            what = "the session" if len(lost) == 1 else f"the {len(lost):,} sessions"
            left = f"nothing would be left of {what} that {self._machine} has pushed to {self._url}"
            raise ValueError(f"{left}: withdraw them if they are to go")

    def _own_sessions(self, machines: Sequence[MachineSegments]) -> dict[tuple[str | None, str], SessionRow]:
        """Return the sessions of this machine that are not deleted, by agent and id."""
        return {
            (row.agent, row.id): row
            for each in machines
            if self._is_own(each)
            for one in each.segments
            for at, row in enumerate(one.segment.sessions)
            if at not in one.dead
        }

    def _is_own(self, machine: MachineSegments) -> bool:
        return (machine.host, machine.user) == (self._machine.host, self._machine.user)


def _told(machines: Sequence[MachineSegments]) -> list[tuple[object, ...]]:
    """Return what tells two generations apart, beside the times of pushes."""
    return [
        (each.host, each.user, each.forgotten, *((one.listed.name, one.dead) for one in each.segments))
        for each in machines
    ]
