"""Push: make an index in a store hold the sessions of this machine beside those of others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import xxhash

from recall_rank.exchange.machines_table import (
    MachineEntry,
    MachinesTable,
    SegmentNote,
    read_machines,
    table_sections,
)
from recall_rank.exchange.next_generation import PushReport, check_push, check_withdrawal, next_generation
from recall_rank.exchange.outgoing import AllowedProjects, MachineName, Outgoing, Redact, SourceOfMachine
from recall_rank.exchange.shared_segments import MachineSegments, SharedSegment, left_out, live_rows
from recall_rank.histories.cache.refresh import refresh
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.ignore import Ignore
from recall_rank.histories.records.forgotten import forgotten_elsewhere
from recall_rank.histories.records.left_out import own_links
from recall_rank.index.errors import IndexFormatError, MissingIndexError, ReplacedIndexError, UnusableIndexError
from recall_rank.index.remote.object_store import ObjectStore
from recall_rank.index.remote.remote_folder import RemoteFolder
from recall_rank.index.remote.remote_index import RemoteIndex
from recall_rank.index.remote.staged_folder import StagedFolder
from recall_rank.index.remote.store_url import STORES
from recall_rank.index.segment.build import build
from recall_rank.index.storage.folder import Folder, is_own_name
from recall_rank.index.storage.manifest import ListedFile, Manifest, listed_names, newest_manifest
from recall_rank.index.storage.publish import add, add_table, publish_after
from recall_rank.model.option_errors import error_text
from recall_rank.model.record_classes import frozen, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_rank.histories.cache.refresh import RefreshOutcome
    from recall_rank.histories.cache.state import CacheState
    from recall_rank.index.segment.segment import Segment
    from recall_rank.index.storage.publish import Generation
    from recall_rank.index.storage.table_file import TableFile
    from recall_rank.model import Source
    from recall_rank.model.progress import Progress

T = TypeVar("T")
NOTHING: Final = Ignore()
TRIES: Final = 100  # other machines may publish meanwhile; a segment that is uploaded stays for the next try


class UnreadHistoriesError(OSError):
    """Raised when none of the sources of a push could be read."""


class NotRemovedError(OSError):
    """Raised when a push is done, and objects of which no generation has use any more could not be deleted."""


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
    an index of another version, DamagedIndexError, StoreError, UnreadHistoriesError, and other OSErrors. Raises
    NotRemovedError when the push is done and the store still has objects that it replaced, which the next push tries to
    delete again.
    """
    allowed = AllowedProjects(projects)
    own = forgotten_elsewhere(cache) if cache is not None else ignore.forgotten if forgotten is None else forgotten
    with _folders(cache, url, machine) as folders, _Publisher(url, machine, storage, folders.blocks) as publisher:
        gone, links = publisher.forgotten(own)
        named = [SourceOfMachine(source, machine) for source in sources]

        def read(links: frozenset[str]) -> RefreshOutcome:
            rules = RefreshRules(
                ignore.also(Ignore(forgotten=gone - links)),
                keep_vanished,
                cache,
                repr((sorted(projects), reading, str(machine))),
                Outgoing(allowed, redact),
            )
            outcome = refresh(folders.index, named, rules, progress)
            if outcome.problem is not None:
                raise outcome.problem
            return outcome

        outcome = read(links)
        live = [held.session for _, held in outcome.state.view.table().live() if held.place is not None]
        stay = own_links(live, gone)
        if stay != links:  # as with the first push of this machine
            outcome = read(stay)
        told = outcome.report.sources
        if told and all(each.failed for each in told):
            raise UnreadHistoriesError(f"no history could be read: {told[0].failures[0]}")
        table = outcome.state.view.table()
        return replace(
            publisher.publish(_own_segments(outcome.state), own),
            failures=tuple(failure for each in told for failure in each.failures),
            malformed=sum(bad.count for each in told for bad in each.malformed),
            unmatched=allowed.unmatched([held.session for _, held in table.live()]),
            staying=sum(held.place is None and held.messages > 0 for each in table.sources for held in each.held()),
        )


def withdraw(
    url: str, machine: MachineName, *, cache: Path | None = None, storage: Mapping[str, Any] | None = None
) -> PushReport:
    """Remove everything from the index at `url` that `machine` pushed, and its name. `cache` is that of push(). Raises
    the errors of push(), and LookupError when the machine has pushed nothing there.
    """
    with _folders(cache, url, machine) as folders, _Publisher(url, machine, storage, folders.blocks) as publisher:
        return publisher.publish(None, frozenset())


@frozen
class _Folders:
    """The folders of a push on this machine."""

    index: Path  # the index of what is pushed
    blocks: Path  # what was read of the store


@contextmanager
def _folders(cache: Path | None, url: str, machine: MachineName) -> Iterator[_Folders]:
    """Yield the folders of a push: in the cache, where commands that forget and purge find them, or temporary ones."""
    if cache is not None:
        key = f"push\x00{url}\x00{machine.host}\x00{machine.user}"
        Folder.create(cache).close()  # raises IndexFolderError for a folder to which others may write
        index = cache / f"index-{xxhash.xxh3_64_hexdigest(key.encode('utf-8', 'surrogatepass'))}"
        yield _Folders(index, cache / STORES)
        return
    with StagedFolder() as staged:
        yield _Folders(staged.path / "index", staged.path / STORES)


def _own_segments(state: CacheState) -> list[SharedSegment]:
    """Return the segments of the index of this machine, as ones that are not in the store."""
    if state.manifest is None:
        raise OSError("the index of what is to be pushed could not be written")
    return [
        SharedSegment(None, segment, rows, listed.header_hash)
        for listed, segment, rows in zip(state.manifest.segments, state.segments, state.dead, strict=True)
    ]


@frozen
class _StoredIndex:
    """The newest generation of the index in the store, with its segments opened."""

    manifest: Manifest
    machines: Sequence[MachineSegments] = ()
    replaced: frozenset[str] = frozenset()  # as in a MachinesTable


class _Publisher:
    """Publishes generations of one index in a store for one machine."""

    def __init__(self, url: str, machine: MachineName, storage: Mapping[str, Any] | None, blocks: Path) -> None:
        self._url = url
        self._machine = machine
        self._folder = RemoteFolder(ObjectStore(url, storage))
        self._remote = RemoteIndex(url, storage, blocks)
        self._own: dict[str, ListedFile] = {}  # own segments that were written, by content
        self._written: list[str] = []  # the names of all objects that were written

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.close()

    def forgotten(self, own: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Return the digests of the sessions that were forgotten on any machine, `own` on this one, and of their
        copies; and the own_links() of what this machine has pushed.
        """
        machines = self._repeated(self._stored).machines
        mine = [each for each in machines if each.name == self._machine]
        copies = {copy for each in mine for one, copy in each.copies if one in own}
        gone = left_out([each for each in machines if each.name != self._machine]).union(own, copies)
        return gone, own_links([row for each in mine for row in live_rows(each.segments)], gone)

    def publish(self, own: Sequence[SharedSegment] | None, forgotten: frozenset[str]) -> PushReport:
        """Publish a generation with `own` as the segments of this machine; None removes the machine. Nothing is
        published when that would change nothing. Raises the errors of push().
        """
        try:
            report, replaced = self._repeated(lambda: self._publish_next(own, forgotten))
        except BaseException:
            with suppress(OSError, UnusableIndexError):  # the error that is raised tells more
                self._folder.sweep(self._written, listed_names(self._folder))
            raise
        self._remove_unlisted(replaced)
        return report

    def _repeated(self, attempt: Callable[[], T | None]) -> T:
        """Return what attempt() returns, which is repeated while another machine has replaced what it reads, or has
        published first, as None tells.
        """
        why = "other machines publish all the time"
        for _ in range(TRIES):
            try:
                done = attempt()
            except (FileNotFoundError, ReplacedIndexError) as error:
                why = error_text(error)
                continue
            if done is not None:
                return done
        raise OSError(f"{self._url} changes faster than it can be read and published: {why}")

    def _publish_next(
        self, own: Sequence[SharedSegment] | None, forgotten: frozenset[str]
    ) -> tuple[PushReport, frozenset[str]] | None:
        """Publish what is to follow the newest generation, and return the report, and the names of objects that former
        generations had; None when another machine has published first.
        """
        stored = self._stored()
        after = next_generation(stored.machines, self._machine, own, forgotten)
        if own is not None:
            check_push(self._url, self._machine, stored.machines, after.machines)
        elif not stored.replaced.intersection(self._folder.names()):  # else what the store refused is deleted now
            check_withdrawal(self._url, self._machine, stored.machines)
        if not after.report.changed:
            return after.report, stored.replaced
        machines = [replace(each, segments=[self._in_store(one) for one in each.segments]) for each in after.machines]
        listed = [one.listed for each in machines for one in each.segments if one.listed] or [self._add(build(()))]
        replaced = self._replaced(stored, listed)
        table = add_table(self._folder, table_sections(self._table(machines, replaced), after.dead or [frozenset()]))
        self._written.append(table.name)
        manifest = publish_after(self._folder, stored.manifest, (*listed, table))
        if manifest is None:
            return None
        self._remote.keep_only(manifest)
        return after.report, replaced

    def _stored(self) -> _StoredIndex:
        """Return the newest generation, opened. Raises FileNotFoundError, ReplacedIndexError and the errors of
        push().
        """
        manifest = self._newest()
        if not manifest.generation:
            return _StoredIndex(manifest)
        found = self._remote.opened(manifest)
        if found.table is None:
            raise ValueError(f"{self._url} holds an index that was not pushed, which a push would replace")
        table = read_machines(found.table)
        return _StoredIndex(manifest, _machine_segments(table.machines, found, found.table), table.replaced)

    def _newest(self) -> Manifest:
        """Return the newest manifest, or an empty one where no index is. Raises the errors of push()."""
        try:
            return newest_manifest(self._folder)
        except MissingIndexError as error:
            others = [name for name in self._folder.names() if not is_own_name(name)]
            if others:
                raise ValueError(
                    f"{self._url} has other files, such as {others[0]}: push to a place of its own"
                ) from error
            return Manifest(0, ())
        except IndexFormatError as error:
            raise IndexFormatError(f"{error}: push to another URL") from error

    def _in_store(self, one: SharedSegment) -> SharedSegment:
        """Return a segment as one of the store, which is written there unless it is there already."""
        listed = one.listed or self._own.get(one.content)
        if listed is None:
            listed = self._add(one.segment)
            if one.content:
                self._own[one.content] = listed
        return replace(one, listed=listed)

    def _add(self, segment: Segment) -> ListedFile:
        listed = add(self._folder, segment)
        self._written.append(listed.name)
        return listed

    def _table(self, machines: Sequence[MachineSegments], replaced: frozenset[str]) -> MachinesTable:
        now = int(time.time() * 1000)
        entries = (
            MachineEntry(
                each.host,
                each.user,
                now if each.name == self._machine else each.pushed,
                each.forgotten,
                tuple(SegmentNote(one.content, one.dead) for one in each.segments),
                each.copies,
            )
            for each in machines
        )
        return MachinesTable(tuple(entries), replaced)

    def _replaced(self, stored: _StoredIndex, listed: Sequence[ListedFile]) -> frozenset[str]:
        """Return the names of the objects that a generation of the files `listed` replaces, and of those that were
        replaced before and are still there.
        """
        former = stored.replaced.intersection(self._folder.names()) if stored.replaced else frozenset()
        return former.union(file.name for file in stored.manifest.files).difference(file.name for file in listed)

    def _remove_unlisted(self, replaced: frozenset[str]) -> None:
        """Delete the objects that are not of the newest generation, if they were replaced, or written by this push for
        nothing, or by a writer that was killed. Raises NotRemovedError when one stays.
        """
        # listed before the manifest is read: a writer that has ended by now cannot publish its objects later
        unlisted = {*replaced, *self._written, *self._folder.leftovers()}.intersection(self._folder.names())
        unlisted -= listed_names(self._folder)
        if not unlisted:
            return
        self._folder.sync()  # a power cut must not undo the generation without them
        why = ""
        for name in unlisted:
            try:
                self._folder.unlink(name)
            except OSError as error:
                why = error_text(error)
        left = sorted(unlisted.intersection(self._folder.names()))
        if left:
            raise NotRemovedError(
                f"the index in {self._url} is up to date, but what it replaced could not be deleted, and may hold the "
                f"text of removed sessions: {len(left):,} of its objects; {why or f'the store still lists {left[0]}'}; "
                "the next push tries again"
            )


def _machine_segments(machines: Sequence[MachineEntry], found: Generation, table: TableFile) -> list[MachineSegments]:
    """Return the machines of a generation, with their segments. Raises DamagedIndexError when these do not fit."""
    rest = list(zip(found.manifest.segments, found.segments, strict=True))
    told = []
    for entry in machines:
        own, rest = rest[: len(entry.segments)], rest[len(entry.segments) :]
        if len(own) < len(entry.segments):
            raise table.damaged("it has more segments than the index")
        segments = []
        for (listed, segment), note in zip(own, entry.segments, strict=True):
            if note.dead and max(note.dead) >= len(segment.sessions):
                raise table.damaged("it has deleted sessions that are not there")
            segments.append(SharedSegment(listed, segment, note.dead, note.content))
        told.append(MachineSegments(entry.host, entry.user, entry.pushed, entry.forgotten, segments, entry.copies))
    if any(len(segment.sessions) for _, segment in rest):
        raise table.damaged("it has no machine for a segment of the index")
    return told
