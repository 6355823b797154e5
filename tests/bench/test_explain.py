"""The explain benchmark passes on the engine as it is, and fails on every fault it is there to find."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bench.benchmarks import explain
from bench.command import main
from bench.datasets import generate
from bench.datasets.random_searches import MODES, RandomSearches
from recall_rank import Index
from recall_rank.model import Result, SearchResponse
from recall_rank.search.options import OPTION_NAMES, Options
from recall_rank.search.query import Query

if TYPE_CHECKING:
    from bench.reporting.report import Report

PARTS = 240
SEARCHES = 80


def small(searches: int = SEARCHES, seed: int = 1) -> Report:
    return explain.run(argparse.Namespace(data=None, parts=PARTS, searches=searches, seed=seed))


def test_the_engine_as_it_is_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "explain", "--searches", str(SEARCHES), "--parts", str(PARTS)]) == 0
    printed = capsys.readouterr().out
    assert "FAIL" not in printed
    assert all(mode in printed for mode in MODES)


def test_every_result_is_counted() -> None:
    figures = {figure.name: figure.value for figure in small().figures}
    assert figures["searches"] == SEARCHES
    assert figures["results"] > 2 * SEARCHES
    assert 0 < figures["largest deviation"] < 1e-9


Fault = Callable[[SearchResponse], SearchResponse]


def each(change: Callable[[Result], Result]) -> Fault:
    return lambda response: replace(response, results=[change(result) for result in response.results])


def without(name: str) -> Fault:
    """A part of the score that was added, but is not told."""
    return each(lambda r: replace(r, explain={key: value for key, value in (r.explain or {}).items() if key != name}))


def tripled(result: Result) -> Result:
    parts = {name: 3 * value for name, value in (result.explain or {}).items()}
    return replace(result, score=3 * result.score, explain=parts)


def one_more(response: SearchResponse) -> SearchResponse:
    parts = replace(response.coverage.parts, searched=response.coverage.parts.eligible + 1)
    return replace(response, coverage=replace(response.coverage, parts=parts))


def backwards(response: SearchResponse) -> SearchResponse:
    return replace(response, results=list(reversed(response.results)))


FAULTS: list[tuple[str, Fault]] = [
    *(("parts", without(name)) for name in ("evidence", "window", "near", "scorer", "extra")),
    ("range", each(tripled)),
    ("order", backwards),
    ("stages", backwards),
    ("terms", each(lambda result: replace(result, matched_terms=["stranger"]))),
    ("ledger", one_more),
]


def plant(monkeypatch: pytest.MonkeyPatch, fault: Fault) -> None:
    real = Index.search
    monkeypatch.setattr(Index, "search", lambda *given, **named: fault(real(*given, **named)))


@pytest.mark.parametrize(("rule", "fault"), FAULTS)
def test_a_planted_fault_fails(
    rule: str, fault: Fault, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(monkeypatch, fault)
    assert main(["run", "explain", "--searches", str(SEARCHES), "--parts", str(PARTS)]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("FAIL")]
    assert any(explain.RULES[rule] in line for line in failed)


def test_a_violation_names_the_search_that_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, without("window"))
    (failed,) = small().failed
    number = int(failed.detail.partition("#")[2].split()[0])
    sessions = list(generate.sessions(PARTS, 1))
    assert f"{RandomSearches(sessions, 1).draw(number)}" in failed.detail


# --- the searches that are drawn ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def searches() -> RandomSearches:
    return RandomSearches(list(generate.sessions(PARTS, 1)), 1)


def test_a_search_can_be_drawn_again(searches: RandomSearches) -> None:
    again = RandomSearches(list(generate.sessions(PARTS, 1)), 1)
    assert [str(searches.draw(n)) for n in range(50)] == [str(again.draw(n)) for n in range(50)]
    assert str(RandomSearches(list(generate.sessions(PARTS, 1)), 2).draw(0)) != str(again.draw(0))


def test_every_search_can_be_asked(searches: RandomSearches) -> None:
    for number in range(400):
        asked = searches.draw(number)
        Query.parse(asked.query, 1, Options(**asked.options))


def test_every_filter_and_every_way_of_writing_is_drawn(searches: RandomSearches) -> None:
    drawn = [searches.draw(number) for number in range(1500)]
    used = Counter(name for asked in drawn for name in asked.options)
    # explain is always on; redact hides text, and no score; weights are for trials; the rest are bounds of time
    left_out = {"explain", "redact", "weights", "last", "from_", "to", "since", "until"}
    assert used.keys() == OPTION_NAMES - left_out
    assert min(used.values()) > 10
    assert {asked.options["match"] for asked in drawn} == set(MODES)
    assert {(a.options["group"], a.options["order"]) for a in drawn} == {
        (group, order) for group in ("part", "session") for order in ("relevance", "time")
    }
    assert any('"' in asked.query for asked in drawn)
    assert any("_" in asked.query for asked in drawn)
    assert any(not asked.query.isascii() for asked in drawn)
