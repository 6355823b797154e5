"""Remember from which unit (file or session of a database) each session was read, and read a session again in full."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

from recall_rank.histories.records.table import SessionKey
from recall_rank.model import Reading, Session, Source, Unit
from recall_rank.model.source_wrapper import SourceWrapper

KEPT_UNITS = 4  # readings kept in memory: a conversation is usually looked at several times in a row


class UnitPlace(NamedTuple):
    """The unit, with its source, from which a session was read."""

    source: Source
    unit: Unit
    messages: int  # of the session in that unit


class UnitReader:
    """Reads sessions again from the units they came from, and caches the last few readings. Thread-safe."""

    def __init__(self) -> None:
        self._places: dict[SessionKey, UnitPlace] = {}
        self._read: OrderedDict[tuple[int, str], tuple[bytes, Reading]] = OrderedDict()
        self._lock = Lock()

    def note(self, source: Source, unit: Unit, reading: Reading) -> None:
        """Remember the unit of each session of a reading; for a session in several units, the one with most
        messages of the session.
        """
        for session in reading.sessions:
            key, count = (session.agent, session.id), len(session.messages)
            known = self._places.get(key)
            if known is None or count > known.messages:
                self._places[key] = UnitPlace(source, unit, count)

    def put(self, key: SessionKey, source: Source, unit: Unit) -> None:
        """Remember that the session with this key (agent, id) was read from `unit`. A unit that was remembered for it
        before is replaced.
        """
        self._places[key] = UnitPlace(source, unit, 0)

    def read(self, session: Session) -> Session | None:
        """The session with its current messages; None when its unit no longer has it. Raises OSError when the unit
        cannot be read.
        """
        place = self._places.get((session.agent, session.id))
        if place is None:
            return None
        for found in self._reading(place.source, place.unit).sessions:
            if found.id == session.id and found.agent == session.agent:
                # fields that only a reading of the whole store can tell come from the catalog's session
                return replace(session, messages=found.messages)
        return None

    def _reading(self, source: Source, unit: Unit) -> Reading:
        """The reading of a unit: a cached one while the unit's signature is unchanged, else a new one."""
        key = id(source), unit.key
        signature = source.signature(unit)
        with self._lock:
            kept = self._read.get(key)
            if kept is not None and kept[0] == signature:
                self._read.move_to_end(key)
                return kept[1]
        reading = source.read(unit)
        with self._lock:
            self._read[key] = signature, reading
            while len(self._read) > KEPT_UNITS:
                self._read.popitem(last=False)
        return reading


class RecordingSource(SourceWrapper):
    """A source that tells `units`, a UnitReader, from which unit each session was read."""

    def __init__(self, source: Source, units: UnitReader) -> None:
        super().__init__(source)
        self._units = units

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        reading = super().read(unit, since)
        self._units.note(self._source, unit, reading)
        return reading


def recording(sources: Sequence[Source], units: UnitReader) -> Iterator[Source]:
    """Yield the sources, each wrapped so that its readings are recorded in `units`."""
    for source in sources:
        yield RecordingSource(source, units)
