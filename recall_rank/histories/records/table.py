"""The table of a refresh: every source, unit and session, and the location (segment and row) of each session in the
index.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from recall_rank.index.segment.segment import SessionRow
from recall_rank.model import Malformed, Notice, Session, Unit

# agent, id, machine and account: two programs, and agents of two machines, may use one id for two sessions
SessionKey = tuple[str | None, str, str | None, str | None]


def session_key(session: Session | SessionRow) -> SessionKey:
    """Return what tells a session from all others of an index in which copies count once."""
    return session.agent, session.id, session.host, session.user


class SessionLocation(NamedTuple):
    """The location of a session in a generation of the index: segment number and row number in that segment."""

    segment: int  # number of the segment in its generation
    row: int  # number of the session in that segment


@dataclass(slots=True)
class SessionEntry:
    """A session in the table of a refresh (its record of sources, units and sessions), with its counts and its
    location in the index.
    """

    session: Session  # without messages; after copies were resolved if the session is indexed
    serial: int  # identifies the session while it is in the table
    group: int  # the smallest serial among the sessions connected to it by shared ids; its own for none
    messages: int = 0  # 0 of a copy, whose messages count in another session
    parts: int = 0
    newest: int = 0  # time of the newest message, ms since 1970
    place: SessionLocation | None = None  # None: not indexed, because it is a copy or the rules leave it out

    @property
    def key(self) -> SessionKey:
        return session_key(self.session)


@dataclass(slots=True)
class UnitEntry:
    """A unit (file or session of a database) as of its last reading: signature, errors, warnings, resume point and
    sessions.
    """

    unit: Unit
    signature: bytes  # empty: the unit is read at every refresh
    error: str | None = None  # why it could not be read
    malformed: list[Malformed] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    sessions: list[SessionEntry] = field(default_factory=list)
    resume: bytes | None = None
    is_left_out: bool = False  # whether every session in it is ignored or forgotten; see left_out.py


@dataclass(slots=True)
class SourceEntry:
    """A source as of its last scan: its units, its notices, and the sessions kept after they vanished from it."""

    name: str
    location: str
    gone: bool = False  # no longer listed; the entry remains for its kept sessions
    copy_group: str | None = None  # see BaseSource.copy_group
    size: int = 0
    errors: list[str] = field(default_factory=list)  # why it could not be opened, or its units or files be listed
    warnings: list[str] = field(default_factory=list)  # from listing the units
    units: dict[str, UnitEntry] = field(default_factory=dict)
    notices: dict[int, list[Notice]] = field(default_factory=dict)  # by group of sessions, from resolving copies
    kept: list[SessionEntry] = field(default_factory=list)  # indexed sessions that the source no longer has

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.location

    def all_notices(self) -> Iterator[Notice]:
        """Yield the notices of all groups, where a group is the sessions that shared ids connect."""
        for notices in self.notices.values():
            yield from notices

    def held(self) -> Iterator[SessionEntry]:
        """Yield the table entries of the sessions in all units, in order. Sessions that are kept after they vanished
        are not among them.
        """
        for entry in self.units.values():
            yield from entry.sessions


@dataclass(slots=True)
class Table:
    """The record that a refresh hands to the next one: entries of sources, units and sessions, and dependency keys
    (hashes of ids that sessions share).
    """

    sources: list[SourceEntry] = field(default_factory=list)
    serial: int = 1  # the next serial to assign
    keys: array[int] = field(default_factory=lambda: array("Q"))  # sorted; see dependency_keys.py
    rules: str = ""  # digest of the ignore rules
    keeping: bool = False  # whether sessions that vanish from their source stay indexed

    def live(self) -> Iterator[tuple[SourceEntry, SessionEntry]]:
        """Yield the entries (source, session) of each session that has a location in the index."""
        for source in self.sources:
            for held in (*source.held(), *source.kept):
                if held.place is not None:
                    yield source, held
