"""Weights are one immutable value that a search is given; no search notices the weights of another."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

import recall_rank.weights
from recall_rank.corpus import Index
from recall_rank.model import Kind
from recall_rank.search.options import Options
from recall_rank.search.query import Query
from recall_rank.search.retrieval.prefilter import FACTOR_OF_KIND
from recall_rank.weights import DEFAULT, ChanceWeights, KindWeights, SureWeights, Weights
from tests.support.search.samples import NOW, ask, message, session

ROUNDS = 40
TRIALS = (
    None,
    replace(DEFAULT, stem=10.0),
    replace(DEFAULT, kind=DEFAULT.kind._replace(person=0.1, agent=5.0)),
    replace(DEFAULT, chance=ChanceWeights(always=-2.0), phrase=0.0),
)


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build(
        [
            session("word", "the lantern of the harbour", "a calm sea"),
            session("form", "the lanterns of the harbours", "a calm sea"),
            session("reply", message("reply.0", "so it says: lantern, harbour", role="assistant", time=NOW)),
        ]
    )


def answer(index: Index, weights: Weights | None) -> list[tuple[str, float]]:
    return [(hit.session_id, hit.score) for hit in ask(index, "lantern harbour", weights=weights).results]


def test_weights_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        DEFAULT.phrase = 0.0  # type: ignore[misc]
    assert {Weights(): "equal weights are one key of a cache"}[DEFAULT]


def test_the_module_holds_no_number_outside_the_record() -> None:
    assert [name for name in vars(recall_rank.weights) if name.isupper()] == ["DEFAULT"]
    assert all(isinstance(getattr(DEFAULT, each.name), float | int | tuple) for each in fields(Weights))


def test_tables_are_in_the_order_in_which_they_are_read() -> None:
    assert {*FACTOR_OF_KIND.values(), "subagent"} == {*KindWeights._fields}
    assert [int(kind) for kind in Kind] == list(range(len(Kind)))
    assert SureWeights._fields[: len(ChanceWeights._fields)] == ChanceWeights._fields


def test_a_query_has_the_weights_it_is_asked_with() -> None:
    other = replace(DEFAULT, phrase=0.0)
    assert Query.parse("lantern", NOW, Options()).weights is DEFAULT
    assert Query.parse("lantern", NOW, Options(weights=other)).weights is other


@pytest.mark.parametrize("given", [{"phrase": 0.0}, recall_rank.weights, 1.0])
def test_other_things_are_no_weights(index: Index, given: Any) -> None:
    with pytest.raises(TypeError, match=r"weights must be a recall_rank\.weights\.Weights, not"):
        ask(index, "lantern", weights=given)


def test_weights_hold_for_one_search(index: Index) -> None:
    answers = [answer(index, weights) for weights in TRIALS]
    assert len({str(one) for one in answers}) == len(TRIALS)
    assert [answer(index, weights) for weights in reversed(TRIALS)] == answers[::-1]
    assert answer(index, DEFAULT) == answers[0]


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Threads take turns much more often than usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("many_switches")
def test_searches_with_other_weights_run_at_once(index: Index) -> None:
    alone = [answer(index, weights) for weights in TRIALS]
    start = threading.Barrier(len(TRIALS))
    together: list[list[Any]] = [[] for _ in TRIALS]

    def search(number: int) -> None:
        start.wait()
        together[number] += [answer(index, TRIALS[number]) for _ in range(ROUNDS)]

    threads = [threading.Thread(target=search, args=(number,)) for number in range(len(TRIALS))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == [[one] * ROUNDS for one in alone]
