"""Digests in place of names that a cache must not hold, because they belong to sessions that are ignored or forgotten:
ids of sessions, and paths of the units and stores that have no other sessions.

Paths of units and stores can hold a session's id, its project and its first words. Equal names give equal digests; a
name cannot be read back from its digest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from recall_rank.histories.records.table import SourceEntry, UnitEntry
from recall_rank.index.segment.segment import Segment, SessionRow
from recall_rank.model import Session, Source, Unit
from recall_rank.model.record_classes import replace as replace_record

SIZE: Final = 16  # bytes of a digest
MARK: Final = "digest:"  # begins the key of a unit and the location of a store that are known by a digest alone
WITHHELD: Final = "files were passed over; they are not named, since sessions of this store are left out"


def session_digest(session_id: str) -> str:
    """Return the digest of a session's id, as hexadecimal digits."""
    return _digest("session", session_id)


def named_digest(session: Session | SessionRow) -> str:
    """Return the digest of a session itself, which no other session with an equal id has: of its agent, id and time of
    creation; the digest of its id where that time is not known.
    """
    if not session.created:
        return session_digest(session.id)
    return _digest("created", session.agent or "", session.id, str(session.created))


def listing_digests(session: Session | SessionRow) -> frozenset[str]:
    """Return the digests of which each leaves out a session: of its id and of itself; where the time of its creation is
    not known, also that of links to it, since it may be the forgotten session with its id.
    """
    digest = session_digest(session.id)
    return frozenset((digest, named_digest(session) if session.created else link_digest(digest)))


def is_listed(session: Session | SessionRow, digests: frozenset[str]) -> bool:
    """Return whether a session is among forgotten ones, of which `digests` has listing_digests()."""
    return bool(digests) and not digests.isdisjoint(listing_digests(session))


def link_digest(digest: str) -> str:
    """Return the digest by which links to a session are known, from the digest of its id: other sessions with an equal
    id are not left out for it if the time of their creation is known.
    """
    return _digest("link", digest)


def own_links(sessions: Iterable[Session | SessionRow], digests: frozenset[str]) -> frozenset[str]:
    """Return those of the digests by which links to the sessions of a machine are known that stay there: a link to one
    of their ids is meant for it, and not for a session of another machine that was forgotten.
    """
    links = ((link_digest(session_digest(each.id)), each) for each in sessions) if digests else ()
    return frozenset(link for link, each in links if link in digests and not is_listed(each, digests))


def _is_gone(session_id: str, digests: frozenset[str]) -> bool:
    """Return whether a link to a session is to be removed."""
    digest = session_digest(session_id)
    return digest in digests or link_digest(digest) in digests


def unlinked(session: Session, digests: frozenset[str]) -> Session:
    """Return a session without the ids of other sessions (parent, fork origin, continued session) that have one of the
    digests.
    """
    links = session.parent, session.forked_from, session.continues
    stay = [None if other and _is_gone(other, digests) else other for other in links]
    if tuple(stay) == links:
        return session
    return replace(session, parent=stay[0], forked_from=stay[1], continues=stay[2])


def unlinked_row(row: SessionRow, digests: frozenset[str]) -> SessionRow:
    """Return the row of a session without the id of its parent if that has one of the digests."""
    return replace_record(row, parent=None) if row.parent and _is_gone(row.parent, digests) else row


def has_link(segment: Segment, digests: frozenset[str]) -> bool:
    """Return whether the parent of a session in a segment, be it deleted or not, has one of the digests."""
    return bool(digests) and any(unlinked_row(row, digests) is not row for row in segment.sessions)


def unnamed_unit(store: Source | SourceEntry, unit: Unit) -> Unit:
    """Return a unit without a location whose key is a digest of the key and location of `unit`."""
    return Unit(MARK + _digest("unit", store.name, store.location, unit.key, unit.location), "")


def unnamed_location(store: Source | SourceEntry) -> str:
    """Return the digest that stands for the location of a store."""
    return MARK + _digest("store", store.name, store.location)


def is_unnamed(named: Unit | SourceEntry) -> bool:
    """Return whether a unit or a store is known by its digest alone."""
    if isinstance(named, Unit):
        return not named.location and named.key.startswith(MARK)
    return named.location.startswith(MARK)


def unname(source: SourceEntry) -> None:
    """Replace each unit whose sessions are all left out by a unit that is known by a digest and keeps nothing else but
    its signature. A unit that could not be read gets no signature, so that it is read again.
    """
    hidden = {
        key: UnitEntry(unnamed_unit(source, unit.unit), b"" if unit.error else unit.signature, is_left_out=True)
        for key, unit in source.units.items()
        if unit.is_left_out and not is_unnamed(unit.unit)
    }
    if hidden:
        entries = [hidden.get(key, unit) for key, unit in source.units.items()]
        source.units = {unit.unit.key: unit for unit in entries}
    conceal(source)


def conceal(source: SourceEntry) -> None:
    """Withhold what names files of a source with units that are left out: its warnings, and its location when it has no
    other units.
    """
    if source.warnings and any(unit.is_left_out for unit in source.units.values()):
        source.warnings = [WITHHELD]
    if source.units and not source.kept and all(is_unnamed(unit.unit) for unit in source.units.values()):
        source.location = source.location if is_unnamed(source) else unnamed_location(source)


def _digest(*names: str) -> str:
    from hashlib import blake2b  # which loads a library that most processes have no use for

    return blake2b("\0".join(names).encode("utf-8", "surrogatepass"), digest_size=SIZE).hexdigest()
