"""Remember from which unit (file or session of a database) each session was read, and read a session again in full."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

from recall_rank.histories.cache.change_scan import signature_digest
from recall_rank.histories.records.table import SessionKey, UnitEntry, session_key
from recall_rank.loaders.read_all import resolved_by
from recall_rank.model import BaseSource, Reading, ResolvedSessions, Session, Source, Unit
from recall_rank.model.source_wrapper import SourceWrapper, complete_source

KEPT_UNITS = 4  # readings kept in memory: a conversation is usually looked at several times in a row


KEPT_CHARACTERS = 16 << 20  # of a reading; a larger one is read again rather than kept in the memory of a server


class UnitPlace(NamedTuple):
    """The unit, with its source, from which a session was read."""

    source: Source
    unit: Unit
    messages: int  # of the session in that unit
    whole: bytes | None = None  # the digest of the signature with which every record of the unit could be read


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
            key, count = session_key(session), len(session.messages)
            known = self._places.get(key)
            if known is None or count > known.messages:
                self._places[key] = UnitPlace(source, unit, count)

    def put(self, key: SessionKey, source: Source, entry: UnitEntry, messages: int) -> None:
        """Remember that the session with this key was read from the unit of a table's `entry`, and how many messages of
        it count. A unit that was remembered for it before is replaced.
        """
        is_whole = not (entry.malformed or entry.warnings or entry.error)
        self._places[key] = UnitPlace(source, entry.unit, messages, entry.signature if is_whole else None)

    def read(self, session: Session) -> Session | None:
        """Return the session with its current messages; None when its unit no longer has it. Raises OSError when the
        unit cannot be read.
        """
        place = self._places.get(session_key(session))
        if place is None:
            return None
        alone = self._alone(place, session)
        for found in (alone or self._reading(place.source, place.unit)).sessions:
            if session_key(found) == session_key(session):
                # fields that only a reading of the whole store can tell come from the catalog's session
                return replace(session, messages=found.messages)
        return None

    def read_counted(self, sessions: Sequence[Session]) -> list[Session | Exception | None]:
        """Return each session with its current messages, without those that it copied from another one of `sessions`.

        An entry is None when the unit no longer has the session, and the error when the unit cannot be read or its
        source cannot resolve copies. All messages are in memory at once; each unit is read once.
        """
        by_unit: dict[tuple[int, str], list[int]] = {}
        for at, session in enumerate(sessions):
            place = self._places.get(session_key(session))
            if place is not None:
                by_unit.setdefault((id(place.source), place.unit.key), []).append(at)
        found: list[Session | Exception | None] = [None] * len(sessions)
        by_source: dict[int, tuple[BaseSource, list[int]]] = {}
        for wanted in by_unit.values():
            place = self._places[session_key(sessions[wanted[0]])]
            try:
                reading = self._reading(place.source, place.unit)
            except Exception as error:  # noqa: BLE001 - a unit that fails, however, must not hide the others
                for at in wanted:
                    found[at] = error
                continue
            held = {session_key(session): session for session in reading.sessions}
            source, members = by_source.setdefault(id(place.source), (complete_source(place.source), []))
            for at in wanted:
                own = held.get(session_key(sessions[at]))
                if own is not None:
                    # links are those of the catalog: a reading of one unit may not know them
                    found[at] = replace(sessions[at], messages=own.messages)
                    members.append(at)
        groups: dict[str, tuple[BaseSource, list[int]]] = {}
        for source, members in by_source.values():
            if source.resolves:
                _replace_by(source.resolve_sessions, found, members)
            if source.copy_group is not None:
                groups.setdefault(source.copy_group, (source, []))[1].extend(members)
        for source, members in groups.values():
            _replace_by(source.resolve_across, found, members)
        for at, counted in enumerate(found):
            if isinstance(counted, Session):  # what the catalog knows of a session comes from all of its source
                found[at] = replace(sessions[at], messages=counted.messages)
        return found

    def unread(self, session: Session) -> dict[str, int]:
        """Return the numbers of records of the session's unit that were not read, by the reason: those of unknown
        types, and malformed ones; empty when the unit is unknown. Raises OSError when the unit cannot be read.
        """
        place = self._places.get(session_key(session))
        if place is None or (place.whole and place.whole == signature_digest(place.source, place.unit)):
            return {}
        reading = self._reading(place.source, place.unit)
        found = dict(reading.unknown)
        for bad in reading.malformed:
            found[bad.reason] = found.get(bad.reason, 0) + bad.count
        return found

    def _alone(self, place: UnitPlace, session: Session) -> Reading | None:
        """Return a reading of one session, where its source can read it without the others of the unit and all of its
        messages are found so; None where the whole unit must be read.
        """
        source, unit = complete_source(place.source), place.unit

        def read() -> Reading:
            found = source.read_session(unit, session.id)
            whole = found is not None and len(found.messages) == place.messages
            return Reading([replace(session, messages=found.messages)] if found is not None and whole else [])

        reading = self._kept((id(place.source), f"{unit.key}\0{session.id}"), source.signature(unit), read)
        return reading if reading.sessions else None

    def _reading(self, source: Source, unit: Unit) -> Reading:
        """Return the reading of a unit: a cached one while the unit's signature is unchanged, else a new one. A unit
        without a signature may have changed at any time, and its reading is not cached.
        """
        return self._kept((id(source), unit.key), source.signature(unit), lambda: source.read(unit))

    def _kept(self, key: tuple[int, str], signature: bytes, read: Callable[[], Reading]) -> Reading:
        """Return the reading that is kept under a key, if it has this signature, else what `read` returns."""
        with self._lock:
            kept = self._read.get(key)
            if kept is not None and kept[0] == signature:
                self._read.move_to_end(key)
                return kept[1]
        reading = read()
        if not signature or _characters(reading) > KEPT_CHARACTERS:
            return reading
        with self._lock:
            self._read[key] = signature, reading
            while len(self._read) > KEPT_UNITS:
                self._read.popitem(last=False)
        return reading


def _characters(reading: Reading) -> int:
    """Return about how many characters the messages of a reading have."""
    return sum(
        len(text)
        for session in reading.sessions
        for message in session.messages
        for part in message.parts
        for text in (part.text, part.output, part.error, part.prompt)
        if text
    )


def _replace_by(
    resolve: Callable[[Sequence[Session]], ResolvedSessions],
    found: list[Session | Exception | None],
    members: Sequence[int],
) -> None:
    """Replace the sessions at the indices `members` of `found` by what `resolve` makes of them. Of a session whose
    messages all count in another one, no message is left. When `resolve` fails, each of them becomes the error.
    """
    given = [(at, session) for at in members if isinstance(session := found[at], Session)]
    try:
        resolved = resolved_by(resolve, [session for _, session in given]).sessions
    except Exception as error:  # noqa: BLE001 - a source that fails, however, must not hide the others
        for at, _ in given:
            found[at] = error
        return
    for (at, session), counted in zip(given, resolved, strict=True):
        found[at] = counted or replace(session, messages=())


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
