"""Which sessions there are, newest first, and where each can be read again."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from threading import Lock

from recall_rank.analysis.normalize import fold, folded
from recall_rank.model import Context, Reading, Session, Source, Unit
from recall_rank.model.project_scope import in_project
from recall_rank.model.source_wrapper import SourceWrapper

MIN_PREFIX = 4  # a shorter beginning of an id is more likely a mistake than an abbreviation
KEPT_UNITS = 4  # units read last: a conversation is looked at several times in a row

Key = tuple[str | None, str]  # agent and id: the same id of two programs is two sessions


class Catalogue:
    """The sessions of one generation, without their messages."""

    __slots__ = ("_by_id", "_ids", "sessions")

    def __init__(self, sessions: Iterable[Session]) -> None:
        bare = [replace(session, messages=(), updated=session.updated or _newest(session)) for session in sessions]
        bare.sort(key=lambda session: (-session.updated, session.source or "", session.id))
        self.sessions: tuple[Session, ...] = tuple(bare)
        self._by_id: dict[str, Session] = {}
        for session in self.sessions:
            self._by_id.setdefault(session.id, session)  # of the same id the newest
        self._ids = sorted(self._by_id)

    def find(self, session_id: str) -> Session | None:
        """The session of this id, or the only one whose id begins so; None for no or several."""
        found = self._by_id.get(session_id)
        if found is not None:
            return found
        known = only_prefix(session_id, self._ids)
        return None if known is None else self._by_id[known]


class Units:
    """Where every session was read, and the units that were read again last. Thread-safe."""

    def __init__(self) -> None:
        self._places: dict[Key, tuple[Source, Unit, int]] = {}
        self._read: OrderedDict[tuple[int, str], tuple[bytes, Reading]] = OrderedDict()
        self._lock = Lock()

    def note(self, source: Source, unit: Unit, reading: Reading) -> None:
        """Remember where the sessions of a reading are; of several places the one with the most messages."""
        for session in reading.sessions:
            key, count = (session.agent, session.id), len(session.messages)
            known = self._places.get(key)
            if known is None or count > known[2]:
                self._places[key] = source, unit, count

    def put(self, key: Key, source: Source, unit: Unit) -> None:
        """Remember where the one session of this key is."""
        self._places[key] = source, unit, 0

    def read(self, session: Session) -> Session | None:
        """The session with its messages as they are now; None when it is gone. OSError when its unit cannot be read."""
        place = self._places.get((session.agent, session.id))
        if place is None:
            return None
        source, unit, _ = place
        for found in self._reading(source, unit).sessions:
            if found.id == session.id and found.agent == session.agent:
                # what only the whole store could tell of a session stands in the catalogue
                return replace(session, messages=found.messages)
        return None

    def _reading(self, source: Source, unit: Unit) -> Reading:
        """The unit's content, read again unless it is one of the last and unchanged."""
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


class Noting(SourceWrapper):
    """A source as it is, that tells `units` what each of its units gave."""

    def __init__(self, source: Source, units: Units) -> None:
        super().__init__(source)
        self._units = units

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        reading = super().read(unit, since)
        self._units.note(self._source, unit, reading)
        return reading


def noting(sources: Sequence[Source], units: Units) -> Iterator[Source]:
    """The sources, each telling `units` where its sessions are."""
    for source in sources:
        yield Noting(source, units)


def only_prefix(wanted: str, ids: Sequence[str]) -> str | None:
    """The only one of the sorted `ids` that begins with `wanted`; None for none, several, or too short a beginning."""
    if len(wanted) < MIN_PREFIX:
        return None
    at = bisect_left(ids, wanted)
    found = ids[at : at + 2]
    matching = [known for known in found if known.startswith(wanted)]
    return matching[0] if len(matching) == 1 else None


def chosen(
    sessions: Sequence[Session], scope: str, search: str | None, context: Context | None, limit: int | None
) -> list[Session]:
    """The first `limit` sessions of a scope whose titles hold `search`. ValueError for what cannot be meant."""
    if limit is not None and limit < 0:
        raise ValueError(f"limit must be 0 or more, not {limit!r}")
    if scope not in ("global", "project"):
        raise ValueError(f"scope must be 'project' or 'global', not {scope!r}")
    if scope == "project" and context is None:
        raise ValueError("scope 'project' needs a context")
    words = fold(search or "")
    found = [
        session
        for session in sessions
        if words in folded(session.title or "")
        and (scope == "global" or context is None or in_project(session, context))
    ]
    return found[:limit]


def confined(sessions: Sequence[Session]) -> list[Session]:
    """The sessions without what they say of others: ids that none of them has, and places of copies."""
    ids = {session.id for session in sessions}
    return [
        replace(
            session,
            parent=session.parent if session.parent in ids else None,
            forked_from=session.forked_from if session.forked_from in ids else None,
            continues=session.continues if session.continues in ids else None,
            places=tuple(session.places[:1]),
        )
        for session in sessions
    ]


def _newest(session: Session) -> int:
    return max((message.time for message in session.messages), default=0)
