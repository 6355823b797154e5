"""Pages by part, where no session crowds out others, by session, and in the order of time."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from recall_rank._core.rank.candidate import Candidate
from recall_rank.corpus import Index
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.model import Session
from recall_rank.search.ranking.group import by_part
from recall_rank.weights import DEFAULT
from tests.support.search.samples import DAY_MS, NOW, ask, message, paged, pages, part, parts, session

SPREAD = replace(DEFAULT, diversity=0.97)  # by default a session's third part keeps its place


def segment_of(counts: dict[str, int]) -> IndexReader:
    """A reader over sessions with `counts` parts each; the parts of a session follow each other."""
    sessions = [session(key, *(["x"] * count), updated=NOW - n) for n, (key, count) in enumerate(counts.items())]
    return IndexReader([build(sessions)])


def candidates(segment: Any, *rows: tuple[str, float]) -> list[Candidate]:
    return [Candidate(list_of(segment).index(key), 0, score) for key, score in rows]


def list_of(segment: Any) -> list[str]:
    return [segment.part_ids[number] for number in range(segment.parts)]


def names(segment: Any, entries: Iterable[Any]) -> list[str]:
    return [segment.part_ids[entry.candidate.part] for entry in entries]


def test_a_page_that_holds_all_keeps_the_order() -> None:
    segment = segment_of({"a": 4, "b": 1})
    ranked = candidates(segment, ("a.0.1", 0.9), ("a.1.1", 0.8), ("a.2.1", 0.7), ("b.0.1", 0.69))
    assert names(segment, by_part(segment, ranked, [], None)) == ["a.0.1", "a.1.1", "a.2.1", "b.0.1"]


def test_with_diversity_a_session_s_third_part_waits_for_one_that_is_nearly_as_good() -> None:
    segment = segment_of({"a": 4, "b": 2})
    ranked = candidates(segment, ("a.0.1", 0.9), ("a.1.1", 0.8), ("a.2.1", 0.7), ("b.0.1", 0.69), ("b.1.1", 0.1))
    entries = list(by_part(segment, ranked, [], SPREAD))
    assert names(segment, entries) == ["a.0.1", "a.1.1", "b.0.1", "a.2.1", "b.1.1"]
    assert [entry.candidate.score for entry in entries] == [0.9, 0.8, 0.69, 0.7, 0.1]


def test_by_default_it_does_not_wait() -> None:
    segment = segment_of({"a": 3, "b": 1})
    ranked = candidates(segment, ("a.0.1", 0.9), ("a.1.1", 0.8), ("a.2.1", 0.7), ("b.0.1", 0.69))
    assert names(segment, by_part(segment, ranked, [], DEFAULT)) == ["a.0.1", "a.1.1", "a.2.1", "b.0.1"]


def test_but_not_for_one_that_is_much_worse() -> None:
    segment = segment_of({"a": 4, "b": 1})
    ranked = candidates(segment, ("a.0.1", 0.9), ("a.1.1", 0.8), ("a.2.1", 0.7), ("b.0.1", 0.2))
    assert names(segment, by_part(segment, ranked, [], SPREAD)) == ["a.0.1", "a.1.1", "a.2.1", "b.0.1"]


def test_the_rest_follows_and_moves_nothing() -> None:
    segment = segment_of({"a": 4, "b": 2})
    ranked = candidates(segment, ("a.0.1", 0.9), ("a.1.1", 0.8), ("a.2.1", 0.7))
    rest = candidates(segment, ("b.0.1", 0.69), ("a.3.1", 0.6), ("b.1.1", 0.5))
    assert names(segment, by_part(segment, ranked, rest, SPREAD)) == [
        "a.0.1",
        "a.1.1",
        "a.2.1",
        "b.0.1",
        "a.3.1",
        "b.1.1",
    ]


def test_by_time_a_third_part_waits_for_all_others() -> None:
    index = Index.build(
        [session("a", *["lantern"] * 4, updated=NOW), session("b", "lantern", "lantern", updated=NOW - 1)]
    )
    everything = ["a.0.1", "a.1.1", "b.0.1", "b.1.1", "a.2.1", "a.3.1"]
    for size in range(1, 6):
        pages = [ask(index, "lantern", order="time", results=size, offset=at) for at in range(0, 6, size)]
        assert [hit.part_id for page in pages for hit in page.results] == everything
    assert parts(ask(index, "lantern", order="time", results=6)) == [*everything[:2], *everything[4:], *everything[2:4]]


# --- whole searches ------------------------------------------------------------------------------------


def test_no_session_fills_a_page_when_others_are_as_good() -> None:
    weights = replace(DEFAULT, diversity=0.5)  # what counts as nearly as good is a matter of tuning
    said = [text for _ in range(3) for text in ("the lantern note", "of other things", "and of others")]
    chatty = session("chatty", *said, updated=NOW)
    others = [session(f"other{n}", "the lantern note", updated=NOW - n) for n in range(3)]
    index = Index.build([chatty, *others])
    hits = [hit.session_id for hit in ask(index, "lantern note", results=5, weights=weights).results]
    assert hits.count("chatty") == DEFAULT.per_session
    assert set(hits) == {"chatty", "other0", "other1", "other2"}


@pytest.fixture(scope="module")
def crowd() -> Index:
    """More hits than are read again, of many ages, beside hits that only the text gives away."""
    dice = random.Random(7)
    words = ["lantern", "wick", "oil", "glass", "shutter", "harbor"]
    sessions = []
    for number in range(40):
        said = [
            message(f"s{number}.{n}", " ".join(dice.choices(words, k=dice.randint(2, 30))),
                    time=NOW - dice.randint(0, 20 * DAY_MS))
            for n in range(9)
        ]  # fmt: skip
        said.append(message(f"s{number}.glued", "theoillanternoil"))
        sessions.append(
            session(f"s{number}", *said, title=dice.choice(["Lantern", "Glass", None]), updated=NOW - number,
                    directory=f"/d{number % 3}/x")
        )  # fmt: skip
    return Index.build(sessions)


PAGED = [
    pytest.param({}, id="by part"),
    pytest.param({"match": "fuzzy"}, id="fuzzy"),
    pytest.param({"match": "literal"}, id="literal"),
    pytest.param({"match": "regex"}, id="regex"),
    pytest.param({"group": "session"}, id="by session"),
    pytest.param({"group": "session", "match": "literal"}, id="literal by session"),
    pytest.param({"order": "time"}, id="by time"),
    pytest.param({"order": "time", "group": "session"}, id="sessions by time"),
    pytest.param({"directory": "/d1", "fallback": True}, id="nearest first"),
    pytest.param({"directory": "/d1", "fallback": True, "group": "session"}, id="nearest sessions first"),
    pytest.param({"directory": "/d1", "fallback": True, "order": "time"}, id="nearest first, by time"),
    pytest.param({"type": "text", "role": "user"}, id="filtered"),
]


@pytest.mark.parametrize("size", [10, 64, 150, 1000])
@pytest.mark.parametrize("options", PAGED)
def test_paging_gives_every_hit_exactly_once(crowd: Index, options: dict[str, Any], size: int) -> None:
    key = (lambda r: r.session_id) if options.get("group") == "session" else (lambda r: r.part_id)
    hits, answers = [], []
    for response in pages(crowd, "lantern", size, **options):
        answers.append(response)
        hits += [key(result) for result in response.results]
    assert len(hits) == len(set(hits)) == answers[-1].total
    assert answers[-1].total_exact
    assert all(answer.total <= answers[-1].total for answer in answers)
    assert all(answer.total == answers[-1].total for answer in answers if answer.total_exact)
    assert [answer.truncated for answer in answers] == [True] * (len(answers) - 1) + [False]
    assert not ask(crowd, "lantern", results=size, offset=len(hits), **options).results


@pytest.mark.parametrize("options", PAGED[:6])
def test_scores_fall_or_stay_apart_from_taking_turns(crowd: Index, options: dict[str, Any]) -> None:
    scores = [result.score for result in ask(crowd, "lantern wick", results=1000, **options).results]
    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)


def test_by_session_the_content_is_shown_before_the_title() -> None:
    index = Index.build(
        [
            session("a", "the wick of the lantern", title="Lantern wick"),
            session("b", "nothing of note", title="Lantern wick"),
        ]
    )
    hits = {hit.session_id: hit for hit in ask(index, "lantern wick", group="session").results}
    assert hits["a"].part_id == "a.0.1"
    assert hits["a"].title_match == "Lantern wick"
    assert hits["a"].source == "message"
    assert hits["b"].source == "title"
    assert (hits["a"].hit_count, hits["b"].hit_count) == (2, 1)


def test_by_session_the_best_part_represents_it() -> None:
    index = Index.build(
        [session("a", "oil lantern lamp", "lantern wick", "of a wick"), session("b", "wick"), session("c")]
    )
    response = ask(index, "lantern wick", group="session")
    assert [(hit.session_id, hit.part_id) for hit in response.results] == [("a", "a.1.1"), ("b", "b.0.1")]
    assert [hit.hit_count for hit in response.results] == [3, 1]
    assert response.total == 2


def test_hit_counts_are_those_of_all_hits(crowd: Index) -> None:
    counts: dict[str, int] = {}
    for result in paged(crowd, "lantern"):
        counts[result.session_id] = counts.get(result.session_id, 0) + 1
    for response in pages(crowd, "lantern", 7, group="session"):
        for result in response.results:
            if result.hit_count_exact:
                assert result.hit_count == counts[result.session_id]
            else:
                assert result.hit_count <= counts[result.session_id]


@pytest.mark.parametrize("match", ["smart", "literal"])
def test_by_time_sessions_are_newest_first_and_messages_oldest_first(match: str) -> None:
    sessions: list[Session] = [
        session("old", "lantern one", "lantern two", updated=NOW - DAY_MS),
        session("new", "lantern three", message("m", part("p", "no"), part("q", "lantern four")), updated=NOW),
        # without a time of its own a session is as new as what was said in it
        session("undated", message("u", "lantern five", time=NOW - 2 * DAY_MS)),
    ]
    for order in (sessions, sessions[::-1]):
        response = ask(Index.build(order), "lantern", match=match, order="time")
        assert parts(response) == ["new.0.1", "q", "old.0.1", "old.1.1", "u.1"]


def test_ties_go_to_the_newer_message() -> None:
    index = Index.build(
        [
            session("b", message("x", "lantern", time=NOW - 50 * DAY_MS)),
            session("a", message("y", "lantern", time=NOW - 40 * DAY_MS)),
        ]
    )
    assert parts(ask(index, "lantern")) == ["y.1", "x.1"]


@pytest.mark.parametrize(
    ("authors", "first"),
    [
        pytest.param(("Odile", "Bram"), "often", id="people come back to a matter"),
        pytest.param((None, None), "once", id="an agent's session holds a bit of everything"),
    ],
)
def test_further_messages_count_for_a_talk(authors: tuple[str | None, ...], first: str) -> None:
    calm = ("the sea is calm today",) * 3

    def talk(key: str, *said: str) -> Session:
        told = [message(f"{key}.{n}", text, author=authors[n % 2]) for n, text in enumerate(said)]
        return session(key, *told, updated=NOW)

    once = "a lantern, a wick and a lantern again, with its wick"
    often = ("a lantern and a wick of it", *calm, "the lantern has a wick", *calm, "a wick, a lantern")
    index = Index.build([talk("once", once, *calm, *calm, *calm), talk("often", *often)])
    shown = ask(index, "lantern wick", group="session", explain=True).results
    assert shown[0].session_id == first
    for hit in shown:
        assert sum((hit.explain or {}).values()) == pytest.approx(hit.score)
        assert ("others" in (hit.explain or {})) == (hit.session_id == "often" and authors[0] is not None)
