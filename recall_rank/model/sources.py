"""The protocol between the engine and a loader: a source reads the store of one agent, one unit after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol, Self, runtime_checkable

from recall_rank.model.record_classes import field, frozen
from recall_rank.model.sessions import Session

NO_MEMORY: Final = "there is not enough memory to read it"


@frozen
class Unit:
    """A part of a store that is read as a whole and can change by itself: one file, or one session of a database."""

    key: str  # unique within the source
    location: str  # the path a person would open


@frozen
class Malformed:
    """One record of a store that could not be read, wholly or in part, with its place and the reason.

    With a `count` above 1 it stands for that many records: of very many, only the first are listed one by one.
    """

    location: str  # file path, or database path and table
    place: str  # "line 12", "byte 4096", "row prt_1"
    reason: str
    count: int = 1  # more than 1: it stands for so many records that are not listed one by one


@frozen
class ReadFailure:
    """A unit (a file or a session of a database) or a whole store that could not be read, and the reason."""

    location: str  # a unit's or a source's location; empty when it must not be shown
    reason: str

    def __str__(self) -> str:
        return f"{self.location}: {self.reason}" if self.location else self.reason

    @property
    def of_memory(self) -> bool:
        """Whether the unit or store could not be read because memory was short."""
        return self.reason == NO_MEMORY


@frozen
class Notice:
    """A remark about sessions of a source with a count, such as how many copied messages are counted once.

    The counts of notices of one source with equal `kind` are added up, and one text is shown for all.
    """

    kind: str  # a name that the source chooses, such as "fork_copies"
    count: int
    plural: str  # the text to show; "{count}" stands for the count
    singular: str | None = None  # the text for a count of 1, where it differs

    @property
    def text(self) -> str:
        """The sentence that is shown to people, with the count filled in."""
        chosen = self.singular if self.count == 1 and self.singular is not None else self.plural
        return chosen.replace("{count}", str(self.count))


@frozen
class Reading:
    """The result of reading one unit: a file, or a session of a database.

    With `appended` false, `sessions` are all sessions of the unit, complete.

    With `appended` true, they are the sessions that grew since the resume point passed to read(). Each has its newest
    title, times and other metadata, and only its new messages. Other sessions are absent.
    """

    sessions: Sequence[Session]
    malformed: Sequence[Malformed] = ()
    warnings: Sequence[str] = ()
    resume: bytes | None = None  # any bytes; a later read of this unit may get them as `since`. None: it reads all
    appended: bool = False
    left_out: int = 0  # sessions of the unit that are ignored or forgotten and therefore not in `sessions`
    unknown: Mapping[str, int] = field(default_factory=dict)  # records of unknown types by the warning about them


@runtime_checkable
class Source(Protocol):
    """A reader of one agent's store: the members that every source must have. Reading never changes the store.

    `BaseSource` adds the optional members with their defaults.
    """

    @property
    def name(self) -> str:
        """The short name of the agent, such as "opencode"."""
        ...

    @property
    def location(self) -> str:
        """The file or folder that this source reads."""
        ...

    def units(self) -> Iterable[Unit]:
        """Return the units of the store: the files, or sessions of a database, that can change independently.

        Raises OSError when the store cannot be listed.
        """
        ...

    def signature(self, unit: Unit) -> bytes:
        """Return bytes that change whenever the content of the unit changes.

        They are made of metadata such as size and time, without reading the unit.
        """
        ...

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """Read a unit: all of its sessions, or only the records appended since a resume point.

        `since` is the resume point, the field `resume` of an earlier reading of the unit. A source that cannot
        continue there reads the whole unit and leaves `Reading.appended` false. Records that cannot be read are
        returned in `malformed`. Raises OSError when the unit cannot be read at all.
        """
        ...


@frozen
class ResolvedSessions:
    """The result of resolving copied messages and references among sessions.

    `sessions` has one entry for each given session, in the given order: the session without its copied messages, or
    None when other sessions hold all of its messages.
    """

    sessions: Sequence[Session | None]
    notices: Sequence[Notice] = ()


class BaseSource(ABC):
    """A base class for sources, in which every optional member has its default.

    A subclass implements the members of `Source`, and overrides the optional members that it needs.
    """

    name: str
    location: str

    warnings: Sequence[str] = ()
    """What the last call of units() passed over, one sentence each."""

    resolves: bool = False
    """Whether a session can depend on other sessions of this source: only then resolve_sessions() is called."""

    copy_group: str | None = None
    """Sources of one group may hold copies of each other's messages: resolve_across() gets the sessions of all."""

    @abstractmethod
    def units(self) -> Iterable[Unit]:
        """Return the units of the store (see Source.units)."""

    @abstractmethod
    def signature(self, unit: Unit) -> bytes:
        """Return bytes that change with the content of the unit (see Source.signature)."""

    @abstractmethod
    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """Read the sessions of the unit, or those that grew (see Source.read)."""

    def read_session(self, unit: Unit, session_id: str) -> Session | None:
        """Return one session of a unit with its messages, as read() does, without parsing those of the others; None
        where the source cannot, and for a session that the unit has not. Fields other than the messages may be missing.
        """
        return None

    def __enter__(self) -> Self:
        """Begin a series of reads; a subclass may open files here and keep them open."""
        return self

    def __exit__(self, *exception: object) -> None:  # noqa: B027 - a default that does nothing
        """End a series of reads; a subclass closes the files that __enter__() opened."""

    def files(self) -> Iterable[str] | None:
        """Return the paths whose sizes add up to the size of the store; None when they are the locations of units."""
        return None

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Remove messages that were copied from one session to another, and resolve other relations between sessions.

        Called with the sessions of all units, or with all sessions that are linked by ids (see related_ids).
        """
        return ResolvedSessions(sessions)

    def resolve_across(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Resolve relations, such as copied messages, between sessions of several sources with one `copy_group`.

        resolve_sessions() has been called for each source before. Notices in the result are ignored.
        """
        return ResolvedSessions(sessions)

    def related_ids(self, session: Session) -> Iterable[str | None]:
        """Return the ids of the other sessions that resolve_sessions() needs to resolve `session`; None entries are
        ignored.

        Sessions that share the id of a message or a part with `session` need not be named.
        """
        return session.parent, session.forked_from, session.continues


@frozen
class SourceReport:
    """Counts of the sessions, messages and parts read from one source, and the problems of reading it."""

    agent: str
    location: str
    bytes: int = 0
    sessions: int = 0
    messages: int = 0
    parts: int = 0
    malformed: Sequence[Malformed] = ()
    failures: Sequence[ReadFailure] = ()  # what could not be read at all
    warnings: Sequence[str] = ()
    newest: int = 0  # time of the newest message, ms
    kept: int = 0  # sessions that are gone from the source and were kept; not counted in `sessions`

    @property
    def errors(self) -> tuple[str, ...]:
        """The units and stores that could not be read at all, one line of text each; malformed records are not here."""
        return tuple(map(str, self.failures))

    @property
    def malformed_count(self) -> int:
        """The number of malformed records, with those that are not listed one by one."""
        return sum(bad.count for bad in self.malformed)

    @property
    def failed(self) -> bool:
        """Whether a unit or the store could not be read and no session was read."""
        return bool(self.failures) and not self.sessions


@frozen
class RefreshReport:
    """The result of refreshing an index on disk: counts of what changed, and a report on each source."""

    sources: Sequence[SourceReport]
    changed: bool = False  # False: no source had changed, and nothing was written
    units: int = 0  # units that were read
    indexed: int = 0  # sessions that are new or changed
    removed: int = 0  # sessions that are no longer in the index
    elapsed_ms: float = 0.0
    cpu_ms: float = 0.0
