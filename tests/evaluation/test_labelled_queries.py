"""Labelled queries: what can be meant, and which of it can be answered from an index."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.evaluation.labelled_queries import Graded, LabelledQuery, answerable, labelled
from recall_rank.evaluation.report import UnknownPlaces
from recall_rank.index.reader.places import Place
from recall_rank.recall import Recall
from tests.support.search.samples import message, part, session

SECRET = "hunter2"
INDEX = Index.build(
    [
        session("tide", message("m1", "low water", "high water"), message("m2", part("m2.1", "slack")), project="sea"),
        session("moss", message("m1", part("m1.1", None), "green"), title="Moss", project="land"),
    ]
)


def test_mappings_are_records() -> None:
    given = {
        "query": "q", "id": "1", "kind": "k", "project": "p", "relevant_sessions": ["s"], "a newer version's": 1,
        "relevant": [{"session": "s", "message": "m", "part": "p", "more": 2}, {"session": "t", "message": None}],
        "also": [{"session": "s", "message": "n"}], "exclude": [{"session": "s", "message": "x"}], "before": 5,
    }  # fmt: skip
    record = LabelledQuery(
        "q", (Place("s", "m", "p"), Place("t")), "1", "k", "p", (Place("s", "n"),), (Place("s", "x"),), ["s"], 5
    )
    assert labelled(given) == record
    assert labelled(record) is record
    assert labelled({**given, "kind": None, "also": None, "id": None}).kind == "query"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"query": None}, "query is missing"),
        ({"query": 7}, "query must be a string, not int"),
        ({"query": " \n"}, "query must not be empty"),
        ({"kind": [SECRET]}, "kind must be a string, not list"),
        ({"project": 1}, "project must be a string"),
        ({"before": [SECRET]}, "before must be milliseconds or a date, not list"),
        ({"before": True}, "before must be milliseconds or a date, not bool"),
        ({"relevant": []}, "relevant must name at least one place"),
        ({"relevant": SECRET}, "relevant must be a list, not str"),
        ({"relevant": {"session": SECRET}}, "relevant must be a list, not dict"),
        ({"relevant": [SECRET]}, "each of relevant must be a recall_rank.Place, not str"),
        ({"relevant": [{"message": SECRET}]}, "a place must name its session"),
        ({"relevant": [{"session": SECRET, "part": SECRET}]}, "a place with a part must name its message"),
        ({"relevant": [{"session": SECRET, "message": 3}]}, "message of a place must be a string, not int"),
        ({"relevant": [{"session": {SECRET: 1}}]}, "session of a place must be a string, not dict"),
        ({"also": [None]}, "each of also must be"),
        ({"exclude": [{"session": SECRET}]}, "each of exclude must name a message"),
        ({"relevant": [{"session": SECRET, "grade": SECRET}]}, "grade must be a number, not str"),
        ({"relevant": [{"session": SECRET, "grade": [SECRET]}]}, "grade must be a number, not list"),
        ({"also": [{"session": SECRET, "grade": True}]}, "grade must be a number, not bool"),
        ({"relevant": [{"session": SECRET, "grade": -1}]}, "grade must be from 0 to 100"),
        ({"relevant": [{"session": SECRET, "grade": 10**400}]}, "grade must be from 0 to 100"),
        ({"relevant": [{"session": SECRET, "grade": float("nan")}]}, "grade must be from 0 to 100"),
        ({"relevant": [{"session": SECRET, "grade": 0}]}, "relevant must name a place of a grade above 0"),
        ({"relevant": [{"session": {SECRET: 1}, "grade": 1}]}, "session of a place must be a string, not dict"),
        ({"grades": {Place(SECRET, "m"): 1}}, "each of grades must be that of a place of relevant or also"),
        ({"grades": [SECRET]}, "grades must be a mapping of places, not list"),
        ({"answerable": SECRET}, "answerable must be true or false, not str"),
        ({"answerable": False}, "a query that is not answerable must name no answer"),
        ({"relevant_sessions": [SECRET, 1]}, "each of relevant_sessions must be a string, not int"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_not_repeated(change: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words) as refused:
        labelled({"query": "q", "relevant": [{"session": "s"}], **change})
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("value", [SECRET, None, 3, ["q"]])
def test_only_records_and_mappings_are_queries(value: Any) -> None:
    with pytest.raises(TypeError, match="a query must be a LabelledQuery or a mapping"):
        labelled(value)


def test_an_index_knows_its_places() -> None:
    here = [Place("tide"), Place("tide", "m1"), Place("tide", "m1", "m1.2"), Place("moss", "m1", "m1.2")]
    gone = [Place("sand"), Place("tide", "m3"), Place("tide", "m1", "m2.1"), Place("tide", "m2", "m1.1"), Place("")]
    assert INDEX.holds([*here, *gone]) == set(here)
    assert INDEX.holds(here, project="sea") == set(here[:3])
    assert INDEX.holds(here, project="sky") == set()
    assert INDEX.holds([]) == set()


def test_a_title_and_a_part_without_words_are_no_places() -> None:
    assert INDEX.holds([Place("moss", ""), Place("moss", "", "moss:title"), Place("moss", "m1", "m1.1")]) == set()


def test_a_recall_knows_the_places_of_its_sources() -> None:
    assert Recall([]).holds([Place("tide")]) == set()


def ask(**fields: Any) -> tuple[list[LabelledQuery], int]:
    return answerable([LabelledQuery("q", **fields)], INDEX.holds)


def test_a_query_keeps_those_answers_that_are_there() -> None:
    here, gone = Place("tide", "m1"), Place("tide", "m9")
    (query,), absent = ask(relevant=[gone, here], also=[Place("tide", "m2"), Place("sand", "m")])
    assert (query.relevant, query.also, query.relevant_sessions) == ((here,), (Place("tide", "m2"),), ("tide",))
    assert absent == [UnknownPlaces(0, 2, measured=True)]


def test_a_query_whose_answers_are_all_gone_is_left_out() -> None:
    gone = ask(relevant=[Place("tide", "m9")], also=[Place("tide", "m1")])
    assert gone == ([], [UnknownPlaces(0, 1, measured=False)])
    assert ask(relevant_sessions=["sand"]) == ([], [UnknownPlaces(0, 1, measured=False)])


def test_named_sessions_count_where_they_are_there() -> None:
    (query,), absent = ask(relevant=[Place("tide", "m1")], relevant_sessions=["moss", "sand"])
    assert (query.relevant_sessions, absent) == (("moss",), [UnknownPlaces(0, 1, measured=True)])
    (query,), absent = ask(relevant=[Place("tide", "m1")], relevant_sessions=["sand"])
    assert (query.relevant_sessions, absent) == (("tide",), [UnknownPlaces(0, 1, measured=True)])
    (query,), absent = ask(relevant_sessions=["moss", "tide"])
    assert (query.relevant, query.relevant_sessions, absent) == ((), ("moss", "tide"), [])


def test_an_answer_in_another_project_is_gone() -> None:
    query = LabelledQuery("q", [Place("tide", "m1")])
    assert answerable([query], INDEX.holds, "land")[0] == []
    assert answerable([query], INDEX.holds, "sea")[0][0].project == "sea"
    assert ask(relevant=[Place("tide", "m1")], project="land")[0] == []


def test_the_place_of_a_query_among_all_is_named() -> None:
    asked = [
        LabelledQuery("q", [Place("tide", "m1")]),
        LabelledQuery("q", answerable=False),
        LabelledQuery("q", [Place("tide", "m9"), Place("tide", "m8")]),
    ]
    kept, unknown = answerable(asked, INDEX.holds)
    assert ([one.relevant for one in kept], unknown) == (
        [(Place("tide", "m1"),)],
        [UnknownPlaces(2, 2, measured=False)],
    )


def test_grades_are_read_from_places() -> None:
    first, second = Place("tide", "m1"), Place("tide", "m2")
    places = [{"session": "tide", "message": "m1", "grade": 1}, {"session": "tide", "message": "m1", "grade": 2}]
    also = [{"session": "tide", "message": "m2"}, {"session": "moss", "message": "m1", "grade": 0.5}]
    query = labelled({"query": "q", "relevant": [*places, {"session": "moss", "grade": None}], "also": also})
    assert query.grades == {first: 2, Place("moss", "m1"): 0.5}
    assert [query.grade(place) for place in (first, second, Place("moss"), Place("moss", "m1"))] == [2, 2, 1, 0.5]


def test_a_place_of_grade_0_is_no_answer() -> None:
    none, some = Place("tide", "m1"), Place("tide", "m2")
    grades = {none: 0.0, some: 0.5, Place("sand"): 0}
    (query,), unknown = ask(relevant=[none, some, Place("sand")], grades=grades)
    assert (query.relevant, query.grades, query.relevant_sessions, unknown) == ((some,), {some: 0.5}, ("tide",), [])
    grades = {none: 0.0, Place("tide", "m9"): 1}
    left = [UnknownPlaces(0, 1, measured=False)]
    assert ask(relevant=[none, Place("tide", "m9")], grades=grades) == ([], left)


def test_messages_of_one_key_are_one_answer() -> None:
    query = LabelledQuery("q", [Place("s", "a"), Place("s", "b"), Place("s", "c")], grades={Place("s", "c"): 2})
    apart = Graded(query)
    assert (apart.recall([("s", "a")]), apart.recall([("s", "c")])) == (0.0, 1.0)
    assert apart.ndcg([("s", "c"), ("s", "a")]) < apart.ndcg([("s", "c"), ("s", "a"), ("s", "b")]) == 1.0
    together = Graded(query, lambda place: "copy" if place.message in ("a", "b") else place.message)
    assert together.ndcg(["c", "copy"]) == 1.0
    assert together.best == {"c"}
