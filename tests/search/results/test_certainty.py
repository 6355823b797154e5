"""How sure an answer is: narrowing never lowers it, and a part of a name that nobody wrote does not raise it."""

from __future__ import annotations

from array import array
from math import exp
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.rank import calibration as kernel
from recall_rank.corpus import Index
from recall_rank.frontends.hooks.prompt_blocks import auto_recall
from recall_rank.model import Context, Session
from recall_rank.recall import Recall
from recall_rank.search.engine import run
from recall_rank.search.options import Options
from recall_rank.search.query import Query
from recall_rank.search.results.calibrate import LEAST, query_signals, score_signal
from tests.support.examples import examples
from tests.support.frontends.harbor import Invented
from tests.support.index.cutting import Cut, cuts, joined
from tests.support.search import plain_search
from tests.support.search.samples import DAY_MS, ENOUGH_MS, NOW, ask, message, part, session, texts
from tests.support.search.strategies import histories, query

some = examples(60)
CLASSES = ["low", "medium", "high"]
NARROWER: list[dict[str, Any]] = [
    {"session_id": "s0"},
    {"scope": "session", "context": Context(session_id="s1")},
    {"project": "harbor"},
    {"project": "docs"},
    {"scope": "project", "context": Context(directory="/a")},
    {"directory": "/a"},
    {"exclude_session_ids": ["s1"]},
    {"sessions": 1},
    {"role": "user"},
    {"role": "assistant"},
    {"after": NOW - 6 * DAY_MS},
    {"before": NOW - 1},
    {"type": "text"},
    {"tool_name": "bash"},
    {"must": ["lantern"]},
    {"must_not": ["limit"]},
]


def never_less_sure(index: Index, text: str, wide: dict[str, Any], narrow: dict[str, Any], **options: Any) -> None:
    """An answer under `wide` and `narrow` is as sure as one under `wide` alone when it keeps its first result."""
    first, second = ask(index, text, **options, **wide), ask(index, text, **options, **{**wide, **narrow})
    if not first.results or not second.results or first.results[0].part_id != second.results[0].part_id:
        return
    before, after = (CLASSES.index(each.results[0].why.confidence) for each in (first, second))
    assert after >= before, (wide, narrow)
    assert second.answerable >= first.answerable, (wide, narrow)


@some
@given(
    histories() | plain_search.histories(),
    st.none() | cuts,
    query | plain_search.query,
    st.sampled_from(("smart", "fuzzy", "literal")),
    st.sampled_from(("part", "session")),
    st.sampled_from(NARROWER),
)
def test_narrowing_never_makes_an_answer_less_sure(
    history: list[Session], cut: Cut | None, text: str, match: str, group: str, wide: dict[str, Any]
) -> None:
    index = Index(joined(history, cut))
    never_less_sure(index, text, {}, wide, match=match, group=group)
    for narrow in NARROWER:
        if not wide.keys() & narrow.keys() and not {"type", "tool_name"} <= wide.keys() | narrow.keys():
            never_less_sure(index, text, wide, narrow, match=match, group=group)


@pytest.fixture(scope="module")
def harbor() -> Index:
    """One session that speaks of the drydock in every message, and many that never do."""
    about = [f"the drydock gate number {n} leaks where the drydock pump stands" for n in range(30)]
    others = [
        session(f"o{n}", *(f"gulls over quay {n} and {k} near the lamp" for k in range(20)), project="quay")
        for n in range(30)
    ]
    return Index.build([session("dock", *about, project="dock", directory="/dock"), *others])


@pytest.mark.parametrize("match", ["smart", "fuzzy", "literal"])
@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize(
    "options",
    [{"session_id": "dock"}, {"project": "dock"}, {"directory": "/dock"}, {"role": "user"}, {"since": "2d"},
     {"type": "text"}, {"must": ["drydock"]}, {"sessions": 1}],
)  # fmt: skip
def test_a_sure_answer_stays_sure_in_its_session(
    harbor: Index, options: dict[str, Any], match: str, group: str
) -> None:
    wide = ask(harbor, "drydock pump", match=match, group=group)
    narrow = ask(harbor, "drydock pump", match=match, group=group, **options)
    assert (wide.results[0].part_id, wide.results[0].why.confidence) == (narrow.results[0].part_id, "high")
    assert (narrow.results[0].why.confidence, narrow.answerable) == ("high", wide.answerable)


def test_out_of_time_there_is_still_a_chance(harbor: Index) -> None:
    response = harbor.search("drydock pump", session_id="dock", budget_ms=0.5, now=NOW)
    assert 0 <= response.answerable <= 1


# --- names that nobody wrote ---------------------------------------------------------------------------------

NAMES = ["MapLibre", "mapLibre", "map_libre", "MAP_LIBRE", "map-libre", "map.libre", "MapLibreRenderer"]


@pytest.fixture(scope="module")
def kiln() -> Index:
    """A folder lib.rs that comes close to the second half of the name, beside what has nothing to do with it."""
    said = [f"step {n}: the kiln is {n * 7} degrees, the glaze runs" for n in range(60)]
    edit = message("k.1", part("k.1.1", tool="read", input={"path": "src/lib.rs"}, output="edited src/lib.rs (+38)"))
    return Index.build([session("k", message("k.0", "shrink the bundle"), edit), session("s", *said)])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize("options", [{}, {"session_id": "k"}, {"type": "tool"}])
def test_a_part_of_an_unknown_name_is_no_evidence(kiln: Index, name: str, group: str, options: dict[str, Any]) -> None:
    response = ask(kiln, name, group=group, **options)
    assert response.results, "a hit, but none that proves anything"
    assert {hit.why.confidence for hit in response.results} == {"low"}
    assert response.answerable < 0.05
    who = "nothing that the filters leave has" if options else "nobody wrote"
    assert any(str(each).startswith(f"{who} {name!r}") for each in response.suggestions)


@pytest.mark.parametrize("name", ["MapLibre", "map_libre"])
def test_an_inflection_of_a_half_does_not_make_the_name_known(name: str) -> None:
    """The stem of "librs", which lib.rs is joined to, is that of "libre"; and somebody wrote of a map."""
    filler = [f"entry {n}: wind from the north, sea state {n}" for n in range(80)]
    index = Index.build([session("a", "a map is drawn", "edited src/lib.rs"), session("s", *filler)])
    response = ask(index, name)
    assert {hit.why.confidence for hit in response.results} == {"low"}
    assert response.answerable < 0.05
    assert [str(each) for each in response.suggestions] == [
        f"nobody wrote {name!r}; 'map', 'librs' were searched instead"
    ]


def test_nor_is_it_in_a_sentence(kiln: Index) -> None:
    response = ask(kiln, "why did we choose MapLibre")
    assert response.answerable < 0.05
    assert any("'MapLibre'" in str(each) for each in response.suggestions)


@pytest.mark.parametrize("name", ["mapTiles", "TileMaps", "gatePressure"])
def test_halves_that_stand_apart_are_no_name(name: str) -> None:
    filler = [f"entry {n}: wind from the north, sea state {n}" for n in range(80)]
    index = Index.build([session("a", "the map was drawn"), session("b", "tiles on the roof, pressure on the gate"),
                         session("s", *filler)])  # fmt: skip
    response = ask(index, name)
    assert response.results
    assert {hit.why.confidence for hit in response.results} == {"low"}
    assert any(repr(name) in str(each) for each in response.suggestions)


@pytest.mark.parametrize(
    "written", ["the rate limit", "rate-limit", "rateLimit", "RATE_LIMIT", "ratelimit", "rate.limit"]
)
@pytest.mark.parametrize("asked", ["rateLimit", "rate_limit", "rate-limit", "RateLimit"])
def test_a_name_in_another_style_is_known(written: str, asked: str) -> None:
    filler = [f"entry {n}: wind from the north, sea state {n}" for n in range(80)]
    index = Index.build([session("a", f"we changed {written} of the gateway"), session("s", *filler)])
    response = ask(index, asked)
    assert response.results[0].session_id == "a"
    assert response.results[0].why.confidence != "low"
    assert not response.suggestions


def test_a_misspelt_half_beside_the_other_half_is_the_name() -> None:
    filler = [f"entry {n}: wind from the north, sea state {n}" for n in range(80)]
    index = Index.build([session("a", "the token bucket of the gateway"), session("s", *filler)])
    response = ask(index, "tokenBukcet")
    assert response.results[0].why.confidence != "low"
    assert response.answerable > 0.2


def test_a_hook_does_not_tell_of_an_unknown_name() -> None:
    said = [f"step {n}: the kiln is {n * 7} degrees, the glaze runs" for n in range(60)]
    edit = message("k.1", part("k.1.1", tool="read", input={"path": "src/lib.rs"}, output="edited src/lib.rs"))
    recall = Recall([Invented(session("k", message("k.0", "shrink it"), edit), session("s", *said))])
    assert auto_recall(recall, "do it like MapLibre, as we did before", budget_ms=ENOUGH_MS, now=NOW) is None


# --- by how much a session leads ------------------------------------------------------------------------------

FILLER = [f"entry {n}: wind from the north, sea state {n}" for n in range(80)]


def sureness(*sessions: Session, **options: Any) -> float:
    return ask(Index.build([*sessions, session("s", *FILLER)]), "brass valve of the bilge", **options).answerable


def test_a_session_that_says_as_much_makes_an_answer_less_sure() -> None:
    first = session("a", "the brass valve of the bilge was replaced")
    alone = sureness(first, session("b", "the cook bakes bread"))
    beside = sureness(first, session("b", "a brass valve of the bilge lies on the quay"))
    assert alone > beside + 0.05


def test_another_part_of_the_same_session_makes_it_no_less_sure() -> None:
    one = sureness(session("a", "the brass valve of the bilge was replaced", "the cook bakes bread"))
    both = sureness(session("a", "the brass valve of the bilge was replaced", "so the brass valve of the bilge is new"))
    assert min(one, both) > 0.7


@pytest.mark.parametrize("group", ["part", "session"])
def test_the_length_of_a_page_does_not_change_how_sure_it_is(group: str) -> None:
    said = (session("a", "the brass valve of the bilge was replaced"), session("b", "a brass valve of the bilge"))
    assert len({sureness(*said, results=results, group=group) for results in (1, 2, 10)}) == 1


def test_the_signal_from_which_chances_are_fitted_is_that_of_the_kernel() -> None:
    """`score_signal` serves bench, which fits the coefficients: it writes the formula of the kernel anew."""
    index = Index.build([session("s", "the lantern", "a wick of the lantern", "lantern wick"), session("t", "a wick")])
    done = run(index._reader, Query.parse("lantern wick", NOW, Options(budget_ms=ENOUGH_MS)))
    candidates = [entry.candidate for entry in done.page if entry.candidate.raw > 0]
    assert len(candidates) == 4
    signals = array("d", query_signals(done))
    kernel.calibrate(candidates, signals, array("d", [0, 0, 0, 1]), done.query.weights.plenty, LEAST)
    for one in candidates:
        assert one.score == pytest.approx(1 / (1 + exp(-score_signal(done, one))), rel=1e-12)


# --- unknown words beside which a compound nearly stands -----------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "unknown"),
    [
        ("date base", ["date"]),
        ("the date base migration", ["date"]),
        ("date_base", ["date"]),
        ("dateBase migration", ["date"]),
        ("get usr name", ["usr"]),
        ("getUsrName", ["Usr"]),
        ("dat bas es", ["dat", "bas", "es"]),
    ],
)
def test_an_unknown_word_is_not_found_in_a_compound_that_its_join_resembles(query: str, unknown: list[str]) -> None:
    filler = [f"entry {n}: wind from the north, sea state {n}" for n in range(80)]
    index = Index.build([session("a", "the databases are slow", "the database migration ran", "see getUserName"),
                         session("b", "the base of the crane"), session("s", *filler)])  # fmt: skip
    response = ask(index, query)
    assert response.results, "what resembles the words is a hit"
    for hit in response.results:
        assert hit.why.confidence != "high"
        assert not set(unknown) & set(hit.matched_terms)
    told = ", ".join(map(repr, unknown))
    assert f"nobody wrote {told}; the hits are of the other words" in response.suggestions


@pytest.mark.parametrize("query", ["data base", "data base migration", "get user name", "data_base"])
def test_a_join_that_documents_hold_is_no_unknown_word(query: str) -> None:
    filler = [f"entry {n}: wind from the north, sea state {n}" for n in range(80)]
    index = Index.build([session("a", "the database migration of getUserName ran"), session("s", *filler)])
    response = ask(index, query)
    assert set(response.results[0].matched_terms) == set(query.replace("_", " ").split())
    assert response.results[0].why.confidence == "high"
    assert not response.suggestions


def test_a_word_that_is_repaired_is_found_in_a_join_that_is_repaired_with_it() -> None:
    response = ask(texts("the ratelimit is low", "a limit", "the rate", "calm water"), "rate limti")
    assert set(response.results[0].matched_terms) == {"rate", "limti"}


def test_halves_that_are_searched_in_place_of_a_word_are_told() -> None:
    told = "nobody wrote 'harbourlantern'; 'harbour lantern' was searched instead"
    assert told in ask(texts("the harbour", "a lantern was lost"), "who lost the harbourlantern").suggestions
