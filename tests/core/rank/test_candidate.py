"""What stages do to candidates: their features, boosts and order."""

from __future__ import annotations

from array import array
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.rank.candidate import (
    BOOSTS,
    Candidate,
    around,
    best_first,
    boost,
    chances,
    docs_of,
    in_a_run,
    in_turns,
    of_hits,
    signs_of,
    take_features,
    windows,
)
from recall_rank._core.rank.features import FEATURE_NAMES
from recall_rank._core.search.hits import Hits
from tests.reference.rank import candidate as reference
from tests.support.kernel_inputs import hit_rows, seeds

PLACES = [FEATURE_NAMES.index(name) for name in ("window", "phrase", "near", "cues")]
WORTH = array("d", [0.5, 0.25, 0.125, 1.0, 2.0, 0.75, 0.5, 0.25])
STARTS = array("Q", [10, 20, 30, 40])
DAY, FADE = 100, 0.25 / 1024


def table(rows: list[list[float]]) -> memoryview:
    return memoryview(array("f", [value for row in rows for value in row])).cast("B").cast("f", (len(rows), 11))


def some_pairs(chance: Random) -> list[tuple[Candidate, reference.Candidate]]:
    """Native and slow ones; all numbers are sums of powers of two, so that no sum of them is rounded."""
    pairs = []
    for number in range(chance.randint(0, 12)):
        evidence, time = chance.choice([0.0, 0.5, 0.75, 4.0]), chance.choice([0, 50, DAY - 64, DAY, DAY + 5])
        values = tuple(chance.choice([0.0, 0.25, 1.0]) for _ in PLACES)
        native, slow = Candidate(number, 7, evidence, time), reference.Candidate(evidence, time, values)  # type: ignore[arg-type]
        if chance.random() < 0.8:
            row = [9.0] * len(FEATURE_NAMES)
            for place, value in zip(PLACES, values, strict=True):
                row[place] = value
            take_features([native], table([row]))
            assert list(native.features) == row
            assert native.phrase == row[FEATURE_NAMES.index("phrase")]
        else:
            slow.features = (0.0,) * 4
        for name in ("quoted", "whole", "similarity", "extra"):
            value = chance.choice([0.0, 0.5, 1.0])
            setattr(native, name, value)
            setattr(slow, name, value)
        pairs.append((native, slow))
    return pairs


@given(seeds)
def test_boosts_are_shares_of_the_evidence(chance: Random) -> None:
    pairs = some_pairs(chance)
    boost([native for native, _ in pairs], WORTH, DAY, FADE)
    reference.boost([slow for _, slow in pairs], WORTH, DAY, FADE)
    for native, slow in pairs:
        assert tuple(native.boosts) == slow.boosts
        assert native.score == native.raw == slow.score
        parts = native.explain()
        assert sum(parts.values()) == native.score
        named = dict(zip(BOOSTS, slow.boosts, strict=True))
        told = {name: value for name, value in parts.items() if name in named}
        assert told == {name: slow.evidence * share for name, share in named.items() if share} or not native.raw


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2))), st.integers(0, 2**40), st.integers(0, 40))
def test_what_stands_around_a_passage_is_of_its_part(found: list[tuple[int, int]], first: int, reach: int) -> None:
    parts = array("Q", [5, 25, 2**64 - 1])
    candidates = [Candidate(part + first, doc + first, 1.0) for part, doc in found]
    native = around(candidates, STARTS, first, parts, first, reach)
    assert [list(each) for each in native] == [list(each) for each in reference.around(found, STARTS, parts, reach)]


def test_reach_knows_no_bounds() -> None:
    whole = around([Candidate(0, 1, 1.0)], STARTS, 0, array("Q", [5, 2**64 - 1]), 0, 2**64 - 1)
    assert whole == (array("Q", [5]), array("Q", [2**64 - 1]))


@given(hit_rows, st.floats(0.1, 9))
def test_a_hit_becomes_a_candidate(hits: list[tuple[int, int, float, float, int]], ceiling: float) -> None:
    times = list(range(-2, len(hits) - 2))
    found = of_hits(Hits(hits), times, ceiling)
    for (part, doc, evidence, _, tier), time, one in zip(hits, times, found, strict=True):
        slow = Candidate(part, doc, evidence / ceiling, time, "scan" if tier else "prefilter")
        for name in ("part", "doc", "time", "evidence", "raw", "score", "confidence", "stage", "features", "boosts"):
            assert getattr(one, name) == getattr(slow, name)


def test_every_hit_has_a_time() -> None:
    with pytest.raises(ValueError, match="1 hits, not 0"):
        of_hits(Hits([(0, 0, 1.0, 1.0, 0)]), [], 1.0)


@given(seeds)
def test_chances_are_logistic_in_the_signs(chance: Random) -> None:
    found = [native for native, _ in some_pairs(chance)]
    boost(found, WORTH, DAY, FADE)
    asked = array("d", [1.0, *(chance.uniform(-2, 2) for _ in range(chance.randint(0, 2)))])
    wide, narrow = (
        array("d", [chance.uniform(-2, 2) for _ in range(chance.randint(1, len(asked) + 6))]) for _ in range(2)
    )
    words, plenty, least = chance.randint(1, 9), 2.0, 1e-3
    signs = [[*asked, *reference.signs_of(one, words, plenty, least)] for one in found]
    assert [[*asked, *signs_of(one, words, plenty, least)] for one in found] == signs
    before = [one.score for one in found]
    chances(found, asked, wide, narrow, words, plenty, least)
    for one, own, score in zip(found, signs, before, strict=True):
        if not one.raw:
            assert (one.score, one.sure) == (score, 0.0)
            continue
        assert one.score == pytest.approx(reference.chance_of(wide, own))
        assert one.sure == pytest.approx(reference.chance_of(narrow, own) if one.features else one.score)


def test_coefficients_without_a_number_are_refused() -> None:
    one, many = array("d", [1.0]), array("d", [1.0] * 8)
    for wrong in ((one, many), (many, one)):
        with pytest.raises(ValueError, match="7 numbers"):
            chances([], one, *wrong, 1, 2.0, 1e-3)


@given(seeds)
def test_the_best_are_first(chance: Random) -> None:
    found = [
        Candidate(number, 0, chance.choice([0.25, 0.5, 1.0]), chance.choice([1, 2]))
        for number in range(chance.randint(0, 20))
    ]
    chance.shuffle(found)
    asked: list[int] = []

    def names(candidate: Any) -> int:
        asked.append(candidate.part)
        return int(candidate.part)

    given = list(found)
    order = [one.part for one in best_first(found, names)]
    assert order == [one.part for one in reference.best_first(found, lambda one: one.part)]
    assert found == given, "what was given is left as it was"
    places = [(one.score, one.time) for one in found]
    assert sorted(asked) == sorted(one.part for one in found if places.count((one.score, one.time)) > 1)


def test_of_equals_with_equal_names_the_first_stays_first() -> None:
    found = [Candidate(number, 0, 1.0) for number in (3, 1, 2)]
    assert best_first(found, lambda _: 0) == found


@given(seeds)
def test_no_session_crowds_out_others(chance: Random) -> None:
    scores = [chance.choice([0.25, 0.5, 1.0]) for _ in range(chance.randint(0, 12))]
    sessions, most = [chance.randrange(3) for _ in scores], chance.randrange(3)
    found = [Candidate(0, 0, score) for score in scores]
    assert in_turns(found, sessions, most, 0.5) == reference.in_turns(scores, sessions, most, 0.5)


def test_every_candidate_in_turn_has_a_session() -> None:
    with pytest.raises(ValueError, match="1 candidates, not 0"):
        in_turns([Candidate(0, 0, 1.0)], [], 2, 0.5)


@given(st.lists(st.floats(0, 1, width=32)), st.floats(0, 1, width=32))
def test_some_are_told_apart_by_the_run_they_hold(runs: list[float], least: float) -> None:
    found = [Candidate(at, 2 * at, 1.0) for at in range(len(runs))]
    take_features(found, table([[0.0, 0.0, run, *[0.0] * 8] for run in runs] or [[0.0] * 11]))
    assert docs_of(found) == [one.doc for one in found]
    assert in_a_run(found, least) == [one for one in found if one.phrase > least]


def test_a_candidate_forgets_what_was_read() -> None:
    candidate = Candidate(1, 2, 0.5, 3, "scan")
    assert (candidate.features, candidate.boosts) == ((), ())
    assert windows([candidate], STARTS, 0) == (array("Q", [30]), array("Q", [30]))
    assert (candidate.score, candidate.raw, candidate.confidence, candidate.stage) == (0.5, 0.5, "low", "scan")
    take_features([candidate], table([list(range(11))]))  # type: ignore[list-item]
    assert windows([candidate], STARTS, 0) == (array("Q", [36]), array("Q", [37]))
    assert windows([candidate], STARTS, 1) == (array("Q", [26]), array("Q", [27]))
    candidate.quoted = candidate.extra = 1.0
    boost([candidate], WORTH, 0, 0.0)
    assert candidate.boosts
    assert candidate.score != 0.5
    candidate.forget()
    assert (candidate.features, candidate.boosts) == ((), ())
    assert windows([candidate], STARTS, 0) == (array("Q", [30]), array("Q", [30]))
    assert (candidate.score, candidate.raw, candidate.quoted, candidate.extra) == (0.5, 0.5, 0.0, 0.0)
    assert candidate.explain() == {"evidence": 0.5}


def test_one_takes_the_place_of_another() -> None:
    title, content = Candidate(1, 2, 0.5, 3, "score"), Candidate(4, 5, 0.25, 6)
    title.extra, title.others = 0.5, 0.25
    boost([title], WORTH, 3, FADE)
    content.stand_for(title)
    assert (content.part, content.doc, content.time) == (4, 5, 6)
    for name in ("evidence", "boosts", "extra", "others", "raw", "score", "stage"):
        assert getattr(content, name) == getattr(title, name)
    assert content.explain() == title.explain()


def test_nothing_is_explained_of_what_has_no_score() -> None:
    assert Candidate(0, 0, 0.0).explain() == {}


def test_tables_that_do_not_fit_are_refused() -> None:
    some = [Candidate(0, 0, 1.0), Candidate(1, 0, 1.0)]
    wide = memoryview(bytearray(4 * 12 * 2)).cast("f", (2, 12))
    for wrong in (table([[0.0] * 11]), wide):
        with pytest.raises(ValueError, match="does not fit"):
            take_features(some, wrong)
    with pytest.raises(ValueError, match="8 numbers"):
        boost(some, array("d", [1.0] * 7), 0, 0.0)


@pytest.mark.parametrize(("doc", "first_doc"), [(4, 0), (-1, 0), (1, 2), (2**40, 0)])
def test_a_window_stands_in_a_document_that_is_there(doc: int, first_doc: int) -> None:
    with pytest.raises(IndexError):
        windows([Candidate(0, doc, 1.0)], STARTS, first_doc)


@pytest.mark.parametrize(("part", "doc"), [(2, 1), (-1, 1), (0, 3), (0, -1), (2**40, 0)])
def test_what_stands_around_is_of_a_part_that_is_there(part: int, doc: int) -> None:
    with pytest.raises(IndexError):
        around([Candidate(part, doc, 1.0)], STARTS, 0, array("Q", [10, 25, 40]), 0, 5)


@pytest.mark.parametrize("wrong", [[None], ["a"], None])
def test_only_candidates_are_taken(wrong: Any) -> None:
    for call in (
        lambda: take_features(wrong, table([[0.0] * 11])),
        lambda: boost(wrong, WORTH, 0, 0.0),
        lambda: best_first(wrong, id),
        lambda: windows(wrong, STARTS, 0),
        lambda: around(wrong, STARTS, 0, STARTS, 0, 5),
        lambda: chances(wrong, WORTH, WORTH, WORTH, 1, 2.0, 1e-3),
    ):
        with pytest.raises(TypeError):
            call()
