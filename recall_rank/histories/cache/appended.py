"""Read only the appended records of a unit (file) that grew; the older messages of its sessions come from the
index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recall_rank.histories.records.table import SessionEntry, SessionKey, UnitEntry, session_key
from recall_rank.index.segment.segment import Segment
from recall_rank.index.segment.stored_sessions import stored_session
from recall_rank.loaders.read_all import located_sessions
from recall_rank.model import BaseSource, Session


@dataclass(frozen=True, slots=True)
class Appended:
    """The outcome of reading the records appended to a unit (a file): the sessions that they leave unchanged, the new
    and grown sessions, and the resume point behind the records.
    """

    same: Sequence[SessionEntry]  # sessions of which nothing new was said
    sessions: Sequence[Session]  # new ones and those that grew, whole
    resume: bytes | None


def appended(
    source: BaseSource, before: UnitEntry, segments: Sequence[Segment], is_alone: Callable[[SessionEntry], bool]
) -> Appended | None:
    """Return the sessions of a unit (file), read from its appended records alone; None when the whole unit must be
    read.

    The whole unit must be read when its last reading had errors or warnings, when the source cannot resume, or when a
    session of the unit shares messages with another session.
    """
    if before.resume is None or before.error or before.malformed or before.warnings:
        return None
    if not before.sessions or not all(held.place is not None and is_alone(held) for held in before.sessions):
        return None
    try:
        reading = source.read(before.unit, before.resume)
    except Exception:  # noqa: BLE001 - reading the whole unit reports the error
        return None
    if not reading.appended or reading.malformed or reading.warnings:
        return None
    known = {held.key: held for held in before.sessions}
    grown: dict[SessionKey, Session] = {}
    for session in located_sessions(reading, before.unit):
        key = session_key(session)
        whole = _joined(known.get(key), session, segments)
        if whole is None or key in grown:
            return None
        grown[key] = whole
    return Appended([held for held in before.sessions if held.key not in grown], list(grown.values()), reading.resume)


def _joined(held: SessionEntry | None, session: Session, segments: Sequence[Segment]) -> Session | None:
    """Return the session with its older messages, taken from the index, before its new ones; `held` is its table entry,
    None for a new session.

    Returns None when the whole unit must be read: a new message repeats an older one, or the appended records state
    token counts or costs of the whole session.
    """
    if session.tokens is not None or session.cost is not None:
        return None  # sums over the appended part cannot be added to the older ones
    if held is None or held.place is None:
        return session
    told = stored_session(segments[held.place.segment], held.place.row)
    ids = {message.id for message in told.messages}
    if len(ids) != len(told.messages) or any(message.id in ids for message in session.messages):
        return None  # a repeated message may replace the older one
    return replace(session, messages=(*told.messages, *session.messages))
