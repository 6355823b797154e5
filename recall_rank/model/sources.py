"""How a history is read: what a source is, and what it gave; plain frozen records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from recall_rank.model.sessions import Session


@dataclass(frozen=True, slots=True)
class Unit:
    """What can change by itself in a source: one file, or one session of a database."""

    key: str  # unique within the source
    location: str  # the path a person would open


@dataclass(frozen=True, slots=True)
class Malformed:
    """One record that could not be read, and where it stands."""

    location: str  # file path, or database path and table
    place: str  # "line 12", "byte 4096", "row prt_1"
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What one read of a unit gave."""

    sessions: Sequence[Session]
    malformed: Sequence[Malformed] = ()
    warnings: Sequence[str] = ()
    resume: bytes | None = None  # opaque; given back as `since` to read only what was appended


@runtime_checkable
class Source(Protocol):
    """One agent's store. Reading never changes it."""

    @property
    def name(self) -> str:
        """Short name of the agent, such as "opencode"."""
        ...

    @property
    def location(self) -> str:
        """The file or folder this source reads."""
        ...

    def units(self) -> Iterable[Unit]:
        """Everything that can change by itself. Raises OSError when the store cannot be listed."""
        ...

    def signature(self, unit: Unit) -> bytes:
        """Bytes that differ whenever the unit's content differs; metadata reads only."""
        ...

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """The unit's sessions. Bad records are returned as malformed; only an unreadable unit raises OSError."""
        ...


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What one source gave and what it could not give."""

    agent: str
    location: str
    bytes: int = 0
    sessions: int = 0
    messages: int = 0
    parts: int = 0
    malformed: Sequence[Malformed] = ()
    errors: Sequence[str] = ()  # units that could not be read at all
    warnings: Sequence[str] = ()
    newest: int = 0  # time of the newest message, ms
    kept: int = 0  # sessions that are gone from the source and were kept; not among those counted above

    @property
    def failed(self) -> bool:
        """Nothing at all could be read although something is there."""
        return bool(self.errors) and not self.sessions


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What a refresh of an index on disk found and did."""

    sources: Sequence[SourceReport]
    changed: bool = False  # False: nothing had changed, and nothing was written
    units: int = 0  # that were read
    indexed: int = 0  # sessions, new ones and those that changed
    removed: int = 0  # sessions that are in the index no longer
    elapsed_ms: float = 0.0
    cpu_ms: float = 0.0
