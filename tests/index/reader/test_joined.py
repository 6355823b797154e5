"""Several segments answer as one that was built from the sessions that are left."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.corpus import Index, index_of_segments
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.places import Place
from recall_rank.index.segment.build import build
from recall_rank.model import Session
from tests.support.examples import examples
from tests.support.index.cutting import Cut, cut_up, cuts, joined_index
from tests.support.search.responses import alike, options, told
from tests.support.search.samples import DAY_MS, HOUR_MS, NOW, ask, message, parts, session
from tests.support.search.strategies import histories, query

some = examples(150)


@some
@given(histories(), cuts, st.lists(st.tuples(query, options), min_size=1, max_size=4))
def test_several_segments_answer_as_one(
    history: list[Session], cut: Cut, asked: list[tuple[str, dict[str, Any]]]
) -> None:
    whole, several = Index.build(history), joined_index(history, cut)
    assert len(several) == len(whole)
    for text, chosen in asked:
        if chosen["match"] == "regex":
            text = r"l.mit|\blan"
        assert alike(told(ask(several, text, **chosen)), told(ask(whole, text, **chosen)))


@some
@given(histories(), cuts, query)
def test_scores_columns_and_places_are_those_of_one(history: list[Session], cut: Cut, text: str) -> None:
    whole, several = Index.build(history), joined_index(history, cut)
    assert alike(several.scores(text, now=NOW).tolist(), whole.scores(text, now=NOW).tolist())
    wanted = {name: column.tolist() for name, column in whole.columns.items()}
    assert {name: column.tolist() for name, column in several.columns.items()} == wanted
    places = [Place(s.id, m.id, p.id) for s in history for m in s.messages for p in m.parts]
    places += [Place("s0-gone"), Place("s0"), Place("s1", "s1.0"), Place("nobody")]
    for project in (None, "harbor"):
        assert several.holds(places, project=project) == whole.holds(places, project=project)


@some
@given(histories(), cuts)
def test_sessions_stand_in_the_order_of_one(history: list[Session], cut: Cut) -> None:
    whole, several = build(history), IndexReader(*cut_up(history, cut))
    assert [row.id for row in several.sessions] == [row.id for row in whole.sessions]
    assert [several.sessions[number].id for number in range(len(history))] == [row.id for row in whole.sessions]
    assert (several.messages_without_titles, several.parts_without_titles) == (
        whole.messages_without_titles,
        whole.parts_without_titles,
    )
    for number in range(len(history)):
        first, last = several.span_of(number)
        assert last - first == whole.span_of(number)[1] - whole.span_of(number)[0]
        assert {several.message_session[message] for message in range(first, last)} == {number}
    with pytest.raises(IndexError):
        several.sessions[len(history)]


def test_sessions_of_one_time_stand_by_source_then_by_id() -> None:
    history = [session(key, "said", updated=NOW, source=source) for key, source in (("a", "z"), ("c", "b"), ("b", "b"))]
    for places in ((0, 1, 2), (2, 1, 0), (0, 1, 0), (1, 0, 0)):
        several = IndexReader(*cut_up(history, Cut(3, places, ())))
        assert [row.id for row in several.sessions] == ["b", "c", "a"]


def test_a_small_segment_meets_a_large_one_without_reading_all_of_it() -> None:
    large = build([session(f"s{n:03}", "said", updated=NOW - 2 * n) for n in range(400)])
    small = build([session("new", "said", updated=NOW - 301)])
    read: list[int] = []

    class Counted(tuple[Any, ...]):
        __slots__ = ()

        def __getitem__(self, at: Any) -> Any:
            read.append(at)
            return super().__getitem__(at)

    object.__setattr__(large, "sessions", Counted(large.sessions))
    several = IndexReader([large, small], [(), {*()}])
    assert several.sessions[151].id == "new"
    assert len(several.order.runs) == 3
    assert len(read) < 40


def test_equal_hits_stand_in_the_order_of_one_segment() -> None:
    # found by the text alone, so that all of them are worth the same
    moments = (4, 1, 4, 2, 5, 1)
    history = [
        session(f"s{n}", message(f"m{n}", "the lantern", time=NOW - HOUR_MS * moment), updated=NOW - n)
        for n, moment in enumerate(moments)
    ]
    several = joined_index(history, Cut(2, (1, 0, 0, 1, 0, 1), ((0, 2, False),)))
    for order in ("relevance", "time"):
        wanted = parts(ask(Index.build(history), "anter", order=order))
        assert parts(ask(several, "anter", order=order)) == wanted
        assert len(wanted) == len(history)


def test_nothing_is_left() -> None:
    segment = build([session("s", "the lantern", title="Lantern")])
    index = index_of_segments([segment, segment], [{0}, {0}])
    assert len(index) == 0
    response = ask(index, "lantern", match="literal")
    assert (response.total, response.coverage.sessions.known, response.coverage.parts.known) == (0, 0, 0)
    assert ask(index_of_segments([], []), "lantern").total == 0
    assert len(index._merged().sessions) == 0


def test_a_span_of_time_is_that_of_what_is_left() -> None:
    # "in May" is one of the history's Mays: had the old session not been deleted, there would be several
    new = session(
        "new", message("m", "the lantern is lit", time=NOW), message("n", "a lantern", time=NOW - 90 * DAY_MS)
    )
    old = session("old", message("o", "the lantern of old", time=NOW - 4000 * DAY_MS))
    several = index_of_segments([build([new, old])], [{1}])
    wanted = Index.build([new])
    assert alike(told(ask(several, "lantern in May", explain=True)), told(ask(wanted, "lantern in May", explain=True)))


def test_who_is_not_there_cannot_be_gone() -> None:
    segment = build([session("s", "said")])
    with pytest.raises(IndexError, match="no session 1 among 1"):
        IndexReader([segment], [{1}])
    with pytest.raises(ValueError, match="dead sessions of 0"):
        IndexReader([segment], [])


def test_several_threads_give_the_answer_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    history = [session(f"s{n}", f"lantern {n}", "the lantern of the harbor", updated=NOW - n) for n in range(9)]
    whole = Index.build(history)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("recall_rank._core.search.evidence.LARGE", 1)
    several = index_of_segments([build(history[n::3]) for n in range(3)], [()] * 3)
    for text in ("lantern", "harbor lantern", "lantren"):
        assert alike(told(ask(several, text)), told(ask(whole, text)))
