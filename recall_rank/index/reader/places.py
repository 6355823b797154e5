"""Which of the places that a caller names an index holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment, SessionRow


class Place(NamedTuple):
    """A part of a history by its ids: without a part the whole message, without a message the whole session."""

    session: str
    message: str | None = None
    part: str | None = None


def held(reader: IndexReader, places: Iterable[Place], project: str | None = None) -> set[Place]:
    """Those of `places` that are there, and in sessions of `project` where one is named."""
    wanted: dict[str, set[Place]] = defaultdict(set)
    for place in places:
        wanted[place.session].add(place)
    found: set[Place] = set()
    for number, row in enumerate(reader.sessions):
        if row.id in wanted and (project is None or row.project == project):
            found |= wanted[row.id] & _places_of(reader.home_of(number)[0], row)
    return found


def _places_of(segment: Segment, row: SessionRow) -> set[Place]:
    """A session, its messages, and their parts with anything to search; its title is no place of its own."""
    places = {Place(row.id)}
    for message in range(row.first_message + 1, row.last_message):
        name = segment.message_ids[message]
        places.add(Place(row.id, name))
        for part in range(segment.message_first_part[message], segment.message_first_part[message + 1]):
            if segment.part_first_doc[part] < segment.part_first_doc[part + 1]:
                places.add(Place(row.id, name, segment.part_ids[part]))
    return places
