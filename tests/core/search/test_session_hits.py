"""SessionHits: sessions with hits in their order, by number, by group, and page by page in the order of time."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from recall_rank._core.search.session_hits import SessionHit, SessionHits
from tests.support.kernels.inputs import seeds


def some_rows(chance: Random) -> list[SessionHit]:
    """Rows of different sessions, in any order; scores are exact in 32 bits, and some are equal."""
    sessions = chance.sample(range(40), chance.randint(0, 20))
    return [
        SessionHit(
            session,
            chance.randrange(2**32),
            chance.randrange(2**32),
            chance.choice((0.0, 0.5, 1.25, 3.0)),
            chance.randint(1, 6),
            chance.random() < 0.3,
            chance.choice((0, 0, 1, 2)),
        )
        for session in sessions
    ]


def ranked(rows: list[SessionHit]) -> list[SessionHit]:
    return sorted(rows, key=lambda row: (row.tier, -row.score, row.session))


@given(seeds)
def test_they_are_a_sequence_best_first(chance: Random) -> None:
    rows = some_rows(chance)
    native, expected = SessionHits(rows), ranked(rows)
    assert (len(native), list(native)) == (len(expected), expected)
    first, last = sorted(chance.randint(-25, 25) for _ in range(2))
    assert native[first:last] == expected[first:last]
    if expected:
        at = chance.randrange(len(expected))
        assert native[at] == expected[at]
    for outside in (-1, len(expected)):
        with pytest.raises(IndexError):
            native[outside]


@given(seeds)
def test_a_session_is_looked_up_by_its_number(chance: Random) -> None:
    rows = some_rows(chance)
    native = SessionHits(rows)
    by_number = {row.session: row for row in rows}
    for session in (*range(45), -1, 2**31, 2**32):
        row = by_number.get(session)
        assert native.hits_of(session) == (row.hits if row else 0)
        assert native.has_title(session) is bool(row and row.title)
    first, last = (chance.randint(0, 25) for _ in range(2))
    assert native.by_number(first, last) == sorted(rows)[first:last]


@given(seeds)
def test_hits_in_the_order_of_time_are_those_of_a_list(chance: Random) -> None:
    rows = some_rows(chance)
    most = chance.randint(1, 4)
    each = [(row.session, hit) for row in sorted(rows) for hit in range(row.hits)]
    order = [at for at in each if at[1] < most] + [at for at in each if at[1] >= most]
    first, last = (chance.randint(0, len(order) + 3) for _ in range(2))
    found = SessionHits(rows).hits_by_number(first, last, most)
    assert [(session, hit) for session, low, high in found for hit in range(low, high)] == order[first:last]
    assert all(low < high for _, low, high in found)


@given(seeds)
def test_the_best_of_each_group_are_the_first_of_a_list(chance: Random) -> None:
    rows, count = some_rows(chance), chance.randint(0, 4)
    groups = bytes(chance.choice((0, 1, 255)) for _ in range(40))
    expected = ranked(rows)
    known: dict[int, int] = {}
    kept = []
    for row in expected:
        known[groups[row.session]] = known.get(groups[row.session], 0) + 1
        if known[groups[row.session]] <= count:
            kept.append(row)
    assert SessionHits(rows).best_of_each(count, groups) == kept


def test_every_session_needs_a_group() -> None:
    with pytest.raises(ValueError, match="a group"):
        SessionHits([SessionHit(3, 0, 0, 1.0, 1, False, 0)]).best_of_each(1, bytes(3))


def test_they_are_made_once() -> None:
    found = SessionHits()
    with pytest.raises(ValueError, match="made once"):
        found.__init__([])  # type: ignore[misc]
    assert list(found) == []
