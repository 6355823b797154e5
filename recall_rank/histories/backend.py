"""The interface between a Recall and the backend that holds its index: in memory, in a cache on disk, or limited to
one project of a cache.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from recall_rank.histories.records.table import SessionKey, session_key
from recall_rank.model import Context, RefreshReport, SearchResponse, Session, SourceReport, Unread, VectorCount

if TYPE_CHECKING:
    from recall_rank.histories.catalog import Catalog
    from recall_rank.histories.unit_reader import UnitReader
    from recall_rank.index.reader.places import Place
    from recall_rank.index.segment.segment import Segment, SessionRow
    from recall_rank.model.progress import Progress


class Searchable(Protocol):
    """The methods of an Index, the searchable index over sessions, that a Recall calls."""

    @property
    def search(self) -> Callable[..., SearchResponse]:
        """The method Index.search. Its options are typed in the search engine, which `histories` must not import."""

    def holds(self, places: Iterable[Place], *, project: str | None = None) -> set[Place]: ...

    def indexed(self, ids: Iterable[str]) -> list[Session]: ...

    @property
    def vectors(self) -> VectorCount | None: ...

    @property
    def embed(self) -> Callable[..., Any]:
        """The method Index.embed, which returns an EmbedReport."""


class IndexFactory(Protocol):
    """Makes the index that a Recall searches. A Recall passes the class Index as factory, so that `histories` need not
    import the search engine.
    """

    def build(self, sessions: Iterable[Session], /) -> Searchable:
        """Return an index of these sessions, held in memory."""
        ...

    def of_some(self, index: Any, shown: Callable[[SessionRow], bool], /) -> Searchable:
        """Return an index over those sessions of an `index` from build() that `shown` accepts, in which all others are
        treated as deleted.
        """
        ...

    def of_segments(self, segments: Sequence[Segment], dead: Sequence[Collection[int]], /) -> Searchable:
        """Return an index over existing segments; dead[k] has the row numbers of the deleted sessions of
        segments[k].
        """
        ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One generation (published version) of an index, with the reports about its sources, notes, and the time when
    it last equalled its sources. Immutable.
    """

    index: Searchable
    reports: Sequence[SourceReport]
    missing: frozenset[tuple[str | None, str]] = frozenset()  # (source, id) of sessions that their source lost
    checked: float | None = None  # when it last equalled its sources, seconds since 1970; None: it was just read
    notes: Sequence[str] = ()  # problems with the folder that the index is kept in
    unread: Unread | None = None  # what is newer than `index` and not read yet; None when there is nothing
    reading: str | None = None  # during a first reading: a sentence that says how much has been read


@dataclass(slots=True)
class Inventory:
    """The sessions of one generation (published version of the index), and how each session can be read again in
    full.
    """

    reports: Sequence[SourceReport]
    catalog: Catalog
    units: UnitReader
    stored: Callable[[Session], Session | None] | None = None  # reads a vanished session from the index itself
    sessions: list[Session] | None = None  # with their messages, until an index has been built from them
    _whole: dict[tuple[SessionKey, str | None], Session] | None = None  # `sessions` by their keys and sources

    def loaded(self, bare: Session) -> Session | None:
        """Return the session, with its messages, that has the key and the source of `bare`; None when it is not among
        `sessions`, which are kept only until an index has been built from them.
        """
        if self.sessions is None:
            return None
        if self._whole is None:
            self._whole = {(session_key(each), each.source): each for each in reversed(self.sessions)}
        return self._whole.get((session_key(bare), bare.source))

    def release(self) -> None:
        """Forget the loaded sessions: an index holds their text now, and a second copy would double the memory."""
        self.sessions = self._whole = None


class Backend(Protocol):
    """Holds the index of a Recall, in memory or on disk. Thread-safe."""

    @property
    def folder(self) -> Path | None:
        """The folder of the index; None for an index in memory."""
        ...

    def ready(self) -> Snapshot:
        """Return the snapshot of the index to search now. Reads and indexes the sources when that has not been done
        yet.
        """
        ...

    def look(self, since: float, seconds: float) -> None:
        """Look at the sources, unless a look began at `since`, a monotonic time, or later, and wait until what it found
        is read, for at most `seconds`.
        """
        ...

    def unread(self) -> Unread | None:
        """Return what is not read yet, as far as that is known, as snapshots say it; no index is built for that."""
        ...

    def inventory(self) -> Inventory:
        """Return the list of sessions known now. Reads the sources when nothing has been read yet; builds no index."""
        ...

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        """Read the sources, and with `index` also build the index; returns one report for each source.

        For an index that exists already, a refresh is started and waited for, at most about a second. `soon` is called
        once, when the first part of a large history can be searched before the rest has been read.
        """
        ...

    def refresh(self, progress: Progress | None) -> RefreshReport:
        """Make the index equal to its sources and return the report when that is done."""
        ...

    def rebuild(self) -> None:
        """Read all sources again and replace an index that turned out to be damaged."""
        ...

    def wait(self, seconds: float | None) -> bool:
        """Wait up to `seconds`, None for any time, for a refresh in the background. Returns True when none is running
        any more.
        """
        ...

    def only(self, context: Context) -> Backend:
        """Return a backend over these sources that shows only the project of `context`."""
        ...

    def close(self) -> None:
        """Release the index."""
        ...
