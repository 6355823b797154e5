"""List the sessions of a cached index from the table of its last refresh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from recall_rank.histories.backend import Inventory
from recall_rank.histories.cache.state import CacheState
from recall_rank.histories.catalog import Catalog, confined
from recall_rank.histories.project_reports import own_reports
from recall_rank.histories.records.table import SessionKey, SessionLocation, session_key
from recall_rank.histories.unit_reader import UnitReader
from recall_rank.index.segment.stored_sessions import stored_session
from recall_rank.model import Context, Flag, Message, Session, Source
from recall_rank.model.project_scope import in_project


def inventory_of(state: CacheState, sources: Sequence[Source], only: Context | None = None) -> Inventory:
    """Return the inventory of a cached state: its sessions, and how each can be read again. With `only`, a Context, it
    has just the session of that context and the sessions of its project.
    """
    by_place = {(source.name, source.location): source for source in sources}
    units = UnitReader()
    found: list[Session] = []
    every: list[Session] = []
    own: list[Session] = []  # their messages are place holders: only the number of them is read
    places: dict[SessionKey, SessionLocation] = {}
    for entry in state.view.table().sources:
        source = by_place.get(entry.key)
        every += (held.session for unit in entry.units.values() for held in unit.sessions if held.place is not None)
        for held in entry.kept:
            if held.place is not None and _shown(held.session, only):
                places[held.key] = held.place
                gone = held.session.flags | Flag.SOURCE_MISSING
                found.append(replace(held.session, updated=held.session.updated or held.newest, flags=gone))
        for unit in entry.units.values():
            for held in unit.sessions:
                if held.place is not None and _shown(held.session, only):
                    found.append(replace(held.session, updated=held.session.updated or held.newest))
                    own.append(replace(held.session, messages=cast("Sequence[Message]", range(held.messages))))
                    if source is not None:
                        units.put(held.key, source, unit, held.messages)

    def stored(session: Session) -> Session | None:
        """Return a vanished session with its messages from the index; None for a session that its source still has."""
        place = places.get(session_key(session))
        if place is None:
            return None
        found = stored_session(state.segments[place.segment], place.row)
        return replace(session, messages=found.messages)

    if only is not None:
        reports = own_reports(state.view.reports(), every, own, only)
        return Inventory(reports, Catalog(confined(found)), units, stored)
    return Inventory(state.view.reports(), Catalog(found), units, stored)


def _shown(session: Session, only: Context | None) -> bool:
    return only is None or in_project(session, only) or session.id == only.session_id
