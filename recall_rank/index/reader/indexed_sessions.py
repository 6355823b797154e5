"""Read sessions back from an index, with the text that is searched."""

from __future__ import annotations

from collections.abc import Collection

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.stored_sessions import stored_session
from recall_rank.model import Session
from recall_rank.model.agent_names import named_id


def indexed_sessions(reader: IndexReader, ids: Collection[str]) -> list[Session]:
    """Return the sessions with these ids, or names as of named_id(), as the index holds them, newest first; unknown
    ones are ignored.

    stored_session() says what such a session contains. Meant for a few ids, because each session is decoded in full.
    """
    found: list[Session] = []
    for number, row in enumerate(reader.sessions):
        if row.id in ids or (row.host and named_id(row.id, row.host) in ids):
            own = number if reader.whole is not None else reader.order.find(number)[1]
            found.append(stored_session(reader.home_of(number)[0], own))
    return found
