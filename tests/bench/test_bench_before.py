"""Every benchmark takes a set with queries of a moment; two engines are compared query by query."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from bench import command
from bench.benchmarks import deadline, known_item, quality, speed
from bench.reporting.paired_difference import compare_pairs
from bench.reporting.report import Report
from recall_rank import Index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LATER = 2_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A history in which one early and twelve later messages say the asked words, and the early one is the answer."""
    rows: list[dict[str, object]] = []
    for number in range(13):
        key, said = f"m{number}", "the copper kettle whistles" if number else "a copper kettle was bought long ago"
        rows.append({"t": "session", "id": f"s{number}", "title": None, "project": "kitchen"})
        part = {"id": f"p{number}", "type": "text", "text": said}
        message = {"t": "message", "id": key, "session": f"s{number}", "role": "user", "parts": [part]}
        rows.append(message | {"time": LATER + number if number else 1_000})
    place = tmp_path / "kitchen"
    place.mkdir()
    (place / "history.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    answer = {"session": "s0", "message": "m0", "part": "p0"}
    asked = {"kind": "followup_backref", "query": "copper kettle whistles", "project": "kitchen", "relevant": [answer]}
    queries = [asked | {"id": "then", "before": LATER}, asked | {"id": "now"}]
    (place / "queries.jsonl").write_bytes(b"\n".join(map(orjson.dumps, queries)))
    return place


def options(module: Any, *words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    module.arguments(parser)
    return parser.parse_args(words)


def test_speed_searches_as_of_the_moment(folder: Path) -> None:
    (report,) = speed.run(options(speed, "--data", str(folder), "--engines", "ours,fts5", "--queries", "0"))
    found = {figure.name: figure.value for figure in report.figures if figure.name.endswith("answer in ten")}
    assert found == {"ours/answer in ten": 0.5, "fts5/answer in ten": 0.5}  # the later messages hide it from "now"
    assert not report.failed


def test_speed_times_the_search_of_the_moment(folder: Path, asked_before: list[object]) -> None:
    list(speed.run(options(speed, "--data", str(folder), "--engines", "ours", "--queries", "0")))
    assert LATER in asked_before
    assert None in asked_before


@pytest.fixture
def asked_before(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The `before` of every search that follows."""
    seen: list[object] = []
    search: Callable[..., Any] = Index.search

    def remember(self: Index, query: str, **more: Any) -> Any:
        seen.append(more.get("before"))
        return search(self, query, **more)

    monkeypatch.setattr(Index, "search", remember)
    return seen


def test_deadlines_are_measured_as_of_the_moment(folder: Path, asked_before: list[object]) -> None:
    report = deadline.run(options(deadline, "--data", str(folder), "--searches", "20", "--huge", "10000"))
    assert asked_before.count(LATER) >= 2
    sound = [check for check in report.checks if check.name.endswith("every answer sound")]
    assert sound
    assert all(check.ok for check in sound)


def test_known_items_compare_every_two_engines(folder: Path) -> None:
    engines = "ours,fts5,substring"
    report = known_item.run(options(known_item, "--data", str(folder), "--engines", engines, "--no-time"))
    (table,) = (table for table in report.tables if "every two engines" in table.title)
    pairs = [(row[0], row[1]) for row in table.rows]
    assert list(dict.fromkeys(pair for pair, _ in pairs)) == ["ours - fts5", "ours - substring", "fts5 - substring"]
    assert {measure for _, measure in pairs} == {"part", "session", "= conversation"}
    names = {figure.name for figure in report.figures}
    assert "ours - substring, both run/part/low" in names


def test_relevance_sets_compare_every_two_engines(folder: Path) -> None:
    given = ("--data", str(folder.parent), "--sets", "kitchen", "--perturb", "none", "--engines", "ours,fts5")
    report = quality.run(options(quality, *given))
    (table,) = (table for table in report.tables if "every two engines" in table.title)
    assert [row[:2] for row in table.rows] == [["ours - fts5", "kitchen"]]


def test_a_pair_has_the_interval_of_its_common_queries() -> None:
    report = Report("known_item", "Which is better?", "d")
    better = {str(number): 1.0 for number in range(20)}
    worse = dict.fromkeys(better, 0.5) | {"another": 1.0}
    compare_pairs(report, "difference", {"a": {"part": better, "only a": better}, "b": {"part": worse}})
    (table,) = report.tables
    assert table.rows == [["a - b", "part", "0.500", "+0.5000", "+0.5000", "+0.5000", "20"]]
    compare_pairs(report, "difference", {"a": {"part": better}})
    assert len(report.tables) == 1


def test_a_benchmark_of_several_engines_is_run_by_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["run", "known_item", "--data", str(folder), "--engines", "ours,fts5", "--no-time"]) == 0
    assert "of every two engines, 95 % interval" in capsys.readouterr().out
