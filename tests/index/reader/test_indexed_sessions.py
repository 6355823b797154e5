"""Sessions read back from an index: in memory, from several segments, and of a history in the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

import recall_rank as rr
from recall_rank.model import Message, Part, Session
from tests.support.frontends.harbor import BEES, FERRIES, HERE, NOW, TIDES, Invented


def told(session: Session) -> list[tuple[str, str, str | None]]:
    """Return the texts of a session, each with the ids of its message and part."""
    return [(message.id, part.id, part.text) for message in session.messages for part in message.parts if part.text]


def test_sessions_of_an_index_in_memory() -> None:
    index = rr.Index.build([TIDES, FERRIES, BEES])
    found = index.indexed(["ferry-times", "tide-tables", "no-such-session"])
    assert {session.id for session in found} == {"ferry-times", "tide-tables"}
    assert {session.id: told(session) for session in found} == {
        "ferry-times": told(FERRIES),
        "tide-tables": told(TIDES),
    }


def test_sessions_of_several_segments(tmp_path: Path) -> None:
    index = rr.Index.open(tmp_path / "index", create=True)
    later = Session("later", (Message("l1", "user", NOW, (Part("l1p", "text", "pelicans"),)),), source="invented")
    for kept in ((TIDES, FERRIES), (TIDES, FERRIES, BEES), (FERRIES, BEES, later)):
        index.refresh([Invented(*kept)])
    assert {session.id: told(session) for session in index.indexed(["later", "bee-hives", "tide-tables"])} == {
        "later": told(later),
        "bee-hives": told(BEES),
    }


@pytest.mark.parametrize("cached", [False, True])
def test_sessions_of_a_recall(tmp_path: Path, cached: bool) -> None:
    with rr.Recall([Invented()], cache=tmp_path if cached else None) as recall:
        assert [told(session) for session in recall.indexed(["bee-hives"])] == [told(BEES)]
        assert recall.only(HERE).indexed(["bee-hives"]) == []
