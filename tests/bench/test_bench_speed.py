"""Histories by size, the figures of an engine on one, and the limits that hold for it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pytest

from bench.benchmarks import speed
from bench.datasets import dataset
from bench.datasets.timed_sessions import TimedSessions
from bench.engines import Hit
from bench.reporting.engine_speed import MANY, EngineSpeed, check_targets
from bench.reporting.report import Report
from recall_rank.model import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Silent:
    """An engine that finds nothing."""

    name = "silent"

    def build(self, sessions: Iterable[Session]) -> None:
        pass

    def search(self, query: str, k: int) -> Sequence[Hit]:
        return ()


def measured(rounds: list[list[float]], *found: bool, kind: str = "identifier_typo") -> EngineSpeed:
    one = EngineSpeed(Silent(), 1.0, rounds)
    for each in found:
        one.note(kind, each)
    return one


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    speed.arguments(parser)
    return parser.parse_args(words)


def test_figures_are_medians_of_the_rounds() -> None:
    one = measured([[1.0, 2.0, 9.0], [1.0, 4.0, 9.0], [1.0, 70.0, 90.0]])
    assert one.at(0.5) == 4.0
    assert len(one.spent_ms) == 9


def test_rates_are_those_of_a_kind_or_of_a_group() -> None:
    one = measured([[1.0]], True, False)
    one.note("phrase", True)
    assert (one.rate("identifier_typo"), one.rate("typo"), one.rate("multi-term"), one.rate("absent")) == (
        0.5,
        0.5,
        1,
        0,
    )
    assert (one.asked_of("typo"), one.asked_of("multi-term"), one.asked, one.found) == (2, 1, 3, 2)


def failed(runs: dict[str, EngineSpeed], parts: int = MANY) -> list[str]:
    report = Report("speed", "How fast?", "d")
    check_targets(report, runs, parts, generated=True)
    return [check.name.split(":")[0] for check in report.failed]


def test_speed_is_not_bought_with_quality() -> None:
    fuzzy = measured([[100.0]], True, False)
    assert failed({"ours": measured([[10.0]], True, True), "tantivy-fuzzy1": fuzzy}) == []
    assert failed({"ours": measured([[10.0]], True, False), "tantivy-fuzzy1": fuzzy}) == ["typo any@10 5 points ahead"]
    slow = measured([[90.0]], True, True)
    assert failed({"ours": slow, "tantivy-fuzzy1": fuzzy}) == [
        "p50 beside tantivy's with one edit",
        "p99 beside tantivy's with one edit",
    ]


def test_a_small_history_has_limits_of_its_own() -> None:
    runs = {"ours": measured([[90.0]]), "tantivy-fuzzy1": measured([[100.0]])}
    assert failed(runs, 10_000) == []
    assert failed({**runs, "ours": measured([[110.0]])}, 10_000) == ["p50 within tantivy's with one edit"]


def test_every_size_is_a_history(monkeypatch: pytest.MonkeyPatch) -> None:
    made = dataset.load_all(asked("--parts", "300,600"))
    assert [data.name for data in made] == ["generated, 300 parts, seed 1", "generated, 600 parts, seed 1"]
    assert [data.name for data in dataset.load_all(asked("--data", "generated", "--parts", "300"))] == [
        "generated, 300 parts, seed 1"
    ]
    monkeypatch.setattr(dataset, "PARTS", 300)
    assert [data.generated for data in dataset.load_all(asked("--data", "generated"))] == [True]
    with pytest.raises(FileNotFoundError):
        list(dataset.load_all(asked("--data", "absent", "--parts", "300")))


def test_a_large_history_does_not_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "LARGE", 300)
    dataset.release()
    (data,) = dataset.load_all(asked("--parts", "300"))
    assert not isinstance(data.sessions, tuple)
    assert len(list(data.sessions)) == len(data.sessions) == 2
    dataset.release()


def test_what_the_sessions_take_is_no_work_of_an_engine() -> None:
    sessions = [Session(id="a", messages=[]), Session(id="b", messages=[])]
    metered = TimedSessions(sessions)
    assert list(metered) == list(metered) == sessions
    assert metered.spent >= 0
