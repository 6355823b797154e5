"""The protocol between the engine and a loader: sources, units, readings and reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

from recall_rank.model.sessions import Session


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest part of a source that can change by itself: one file, or one session of a database."""

    key: str  # unique within the source
    location: str  # the path a person would open


@dataclass(frozen=True, slots=True)
class Malformed:
    """One record that could not be read, with its place and the reason."""

    location: str  # file path, or database path and table
    place: str  # "line 12", "byte 4096", "row prt_1"
    reason: str


@dataclass(frozen=True, slots=True)
class ReadFailure:
    """A unit or a whole store that could not be read, and the reason."""

    location: str  # a unit's or a source's location; empty when it must not be shown
    reason: str

    def __str__(self) -> str:
        return f"{self.location}: {self.reason}" if self.location else self.reason


@dataclass(frozen=True, slots=True)
class Notice:
    """A counted remark about several sessions of a source, such as how many copied messages count once.

    Notices of one `kind` about one source are added up: their counts are summed and one text is shown.
    """

    kind: str  # a name that the source chooses, such as "fork_copies"
    count: int
    plural: str  # the text to show; "{count}" stands for the count
    singular: str | None = None  # the text for a count of 1, where it differs

    @property
    def text(self) -> str:
        """The sentence that is shown to people."""
        chosen = self.singular if self.count == 1 and self.singular is not None else self.plural
        return chosen.replace("{count}", str(self.count))


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of one read of a unit.

    With `appended` false, `sessions` are all sessions of the unit, complete. With `appended` true, `sessions` are
    those that grew since the resume point that was passed to read(): each with its newest title, times and other
    metadata, and with its new messages only. Sessions that did not grow are absent, and no message that was read
    before is repeated.
    """

    sessions: Sequence[Session]
    malformed: Sequence[Malformed] = ()
    warnings: Sequence[str] = ()
    resume: bytes | None = None  # any bytes; a later read of this unit may get them as `since`. None: it reads all
    appended: bool = False


@runtime_checkable
class Source(Protocol):
    """One agent's store: the members that every source must have. Reading never changes the store.

    `BaseSource` has the optional members with their defaults.
    """

    @property
    def name(self) -> str:
        """Short name of the agent, such as "opencode"."""
        ...

    @property
    def location(self) -> str:
        """The file or folder this source reads."""
        ...

    def units(self) -> Iterable[Unit]:
        """The units of the store, each of which can change by itself. Raises OSError when the store cannot be
        listed.
        """
        ...

    def signature(self, unit: Unit) -> bytes:
        """Bytes that differ whenever the unit's content differs, from metadata alone."""
        ...

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """The unit's sessions, or the records appended to it since a resume point.

        `since` is the `resume` of an earlier reading of the unit. A source that cannot continue from there reads the
        whole unit and leaves `Reading.appended` false. Bad records are returned as malformed; raises OSError when the
        unit cannot be read at all.
        """
        ...


@dataclass(frozen=True, slots=True)
class ResolvedSessions:
    """The result of resolving copies and references among sessions.

    `sessions` has one entry for each given session, in the given order: the session without its copied messages, or
    None when other sessions hold all of its messages.
    """

    sessions: Sequence[Session | None]
    notices: Sequence[Notice] = ()


class BaseSource:
    """A source with every optional member at its default.

    A subclass has the members of `Source`, and overrides those of the optional members that it needs.
    """

    name: str
    location: str

    warnings: Sequence[str] = ()
    """What the last call of units() passed over, one sentence each."""

    resolves: bool = False
    """Whether a session can depend on other sessions of this source: only then resolve_sessions() is called."""

    copy_group: str | None = None
    """Sources of one group may hold copies of each other's messages: resolve_across() gets the sessions of all."""

    def units(self) -> Iterable[Unit]:
        """The units of the store (see Source.units); a subclass must override it."""
        raise NotImplementedError

    def signature(self, unit: Unit) -> bytes:
        """Bytes that change with the content of the unit (see Source.signature); a subclass must override it."""
        raise NotImplementedError

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """The sessions of the unit (see Source.read); a subclass must override it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Begin a series of reads, for which a subclass may keep files open."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the files that __enter__() opened."""

    def files(self) -> Iterable[str] | None:
        """The paths whose sizes add up to the size of the store; None stands for the locations of its units."""
        return None

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Resolve relations between sessions, such as messages that were copied from one to another.

        Called with the sessions of all units, or with all those that are linked by ids (see related_ids).
        """
        return ResolvedSessions(sessions)

    def resolve_across(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Resolve relations between already resolved sessions of several sources of one `copy_group`; its notices
        are ignored.
        """
        return ResolvedSessions(sessions)

    def related_ids(self, session: Session) -> Iterable[str | None]:
        """The ids of other sessions that resolve_sessions() needs to resolve this one; None entries are ignored.

        Sessions that share the id of a message or a part with this one are found without being named here.
        """
        return session.parent, session.forked_from, session.continues


@dataclass(frozen=True, slots=True)
class SourceReport:
    """Counts of the records read from one source, and the problems of reading it."""

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
        """The failures as lines of text."""
        return tuple(map(str, self.failures))

    @property
    def failed(self) -> bool:
        """Whether no session could be read and something failed."""
        return bool(self.failures) and not self.sessions


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """The result of a refresh of an index on disk."""

    sources: Sequence[SourceReport]
    changed: bool = False  # False: no source had changed, and nothing was written
    units: int = 0  # units that were read
    indexed: int = 0  # sessions that are new or changed
    removed: int = 0  # sessions that are no longer in the index
    elapsed_ms: float = 0.0
    cpu_ms: float = 0.0
