"""Look up which messages, parts and sessions, given by ids, an index contains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment, SessionRow
from recall_rank.model.project_scope import is_named


class Place(NamedTuple):
    """The ids that name a session (`message` and `part` are None), a message (`part` is None) or a part."""

    session: str
    message: str | None = None
    part: str | None = None


def held(reader: IndexReader, places: Iterable[Place], project: str | None = None) -> set[Place]:
    """Return those of `places` that the index contains; with `project`, only places in sessions of that project.

    A part counts only if it has searchable text.
    """
    wanted: dict[str, set[Place]] = defaultdict(set)
    for place in places:
        wanted[place.session].add(place)
    found: set[Place] = set()
    for number, row in enumerate(reader.sessions):
        if row.id in wanted and (project is None or is_named(row, project)):
            found |= wanted[row.id] & _places_of(reader.home_of(number)[0], row)
    return found


def _places_of(segment: Segment, row: SessionRow) -> set[Place]:
    """Return the places in one session: the session, its messages, and the parts that have searchable text.

    The message and part that contain the title are left out.
    """
    places = {Place(row.id)}
    for message in range(row.first_message + 1, row.last_message):
        name = segment.message_ids[message]
        places.add(Place(row.id, name))
        for part in range(segment.message_first_part[message], segment.message_first_part[message + 1]):
            if segment.part_first_doc[part] < segment.part_first_doc[part + 1]:
                places.add(Place(row.id, name, segment.part_ids[part]))
    return places
