"""Graded questions: copies are one answer, lines of no use are named, and questions without an answer are counted."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from bench import command
from bench.benchmarks import honest
from bench.datasets.history_files import read_history
from bench.datasets.published import records
from bench.datasets.published.honest import questions
from bench.engines import Hit
from recall_rank.evaluation.labelled_queries import labelled
from tests.support.search.samples import message, session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from recall_rank.model import Session

LONG = "the weir gate sticks because silt fills the groove at high water, so rinse the groove each spring"
ANSWER = {"session": "lock", "message": "solved", "part": "solved.1", "grade": 2}
COPY = {"session": "again", "message": "solved2", "part": "solved2.1", "grade": 2}
ASKED = {"session": "lock", "message": "asked", "grade": 1}
OTHER = {"session": "ferry", "message": "paint", "grade": 1}


class Scripted:
    """An engine that gives the hits of a script, such as "lock/solved", whatever is asked."""

    name = "scripted"
    hits: Sequence[str] = ()

    def build(self, sessions: Iterable[Session]) -> None:
        assert not any(one.title for one in sessions), "a title is no answer"

    def search(self, query: str, k: int) -> list[Hit]:
        return [Hit(*place.split("/"), "p") for place in self.hits[:k]]


def line(key: str, *answers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": key, "kind": "solved", "query": "why does the gate stick", "relevant": answers, **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    said = {
        "lock": {"asked": "why does the weir gate stick?", "solved": LONG},
        "again": {"solved2": f"  {LONG.replace(' ', chr(10))}"},
        "ferry": {"paint": "paint the ferry", "short": "yes"},
    }
    rows: list[dict[str, Any]] = []
    for key, messages in said.items():
        rows.append({"t": "session", "id": key, "title": f"Title of {key}"})
        for name, text in messages.items():
            part = {"id": f"{name}.1", "type": "text", "text": text}
            rows.append({"t": "message", "id": name, "session": key, "role": "user", "time": 1, "parts": [part]})
    (tmp_path / "history.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return tmp_path


def run(folder: Path, lines: Sequence[Any], **options: Any) -> honest.Report:
    content = [one if isinstance(one, bytes) else orjson.dumps(one) for one in lines]
    (folder / "queries.jsonl").write_bytes(b"\n".join(content))
    parser = argparse.ArgumentParser()
    honest.arguments(parser)
    given = parser.parse_args(["--data", str(folder)])
    return honest.run(argparse.Namespace(**{**vars(given), **options}))


def scripted(monkeypatch: pytest.MonkeyPatch, *hits: str) -> str:
    monkeypatch.setattr(Scripted, "hits", hits)
    return f"{__name__}:Scripted"


def figures(report: honest.Report, start: str) -> dict[str, float]:
    return {one.name.removeprefix(start): one.value for one in report.figures if one.name.startswith(start)}


def test_copies_of_a_long_message_are_one_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = scripted(monkeypatch, "again/solved2", "lock/solved", "ferry/short", "lock/asked")
    found = figures(run(folder, [line("a", ANSWER, COPY, ASKED)], engines=engine), "scripted/= all/")
    best = 3 + 1 / 1.584962500721156
    assert found["nDCG@10"] == pytest.approx((3 + 1 / 2) / best)  # the copy does not stand between
    assert (found["MRR@10"], found["R@10"], found["session@1"]) == (1.0, 1.0, 1.0)
    keys = honest.copy_keys([session("s", message("m", "yes"), message("n", LONG)), session("t", message("m", "yes"))])
    assert (keys["s", "m"], keys["s", "n"]) == (("s", "m"), LONG)


def test_the_best_grade_counts_for_mrr_and_recall(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = scripted(monkeypatch, "ferry/paint", "ferry/short", "lock/asked", "lock/solved")
    lines = [line("a", ANSWER, ASKED, OTHER, relevant_sessions=["lock"])]
    found = figures(run(folder, lines, engines=engine), "scripted/solved/")
    assert (found["MRR@10"], found["R@10"]) == (1 / 4, 1.0)
    assert (found["session MRR"], found["session@1"]) == (0.5, 0.0)


def test_lines_of_no_use_are_named_and_the_rest_is_measured(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = {"session": "lock", "message": "gone", "grade": 2}
    lines = [
        b"{broken", line("a", {**ANSWER, "grade": "good"}), line("b"), line("c", gone), line("d", ANSWER, gone),
        line("e", ANSWER, before=3),
    ]  # fmt: skip
    report = run(folder, lines, engines=scripted(monkeypatch, "lock/solved"))
    (table,) = [one for one in report.tables if one.title == "lines of the questions"]
    assert table.rows == [
        ["not measured: none of its answers is in the history", "1 in 1", "4 (1)"],
        ["answers that are not in the history", "1 in 1", "5 (1)"],
        ["not measured: project, before and exclude have no effect here", "1", "6"],
        ["broken: not JSON", "1", "1"],
        ["broken: grade must be a number, not str", "1", "2"],
        ["broken: relevant must name at least one place", "1", "3"],
    ]
    assert figures(report, "scripted/= all/")["nDCG@10"] == 1.0
    assert not report.failed
    (failed,) = run(folder, [line("c", gone)], engines="ours").failed
    assert failed.name == "questions are measured"


def test_engines_side_by_side(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = scripted(monkeypatch, "ferry/short", "lock/asked")
    lines = [
        line("a", ANSWER, COPY, ASKED), line("b", OTHER, kind="paint"),
        {"query": "gryphon sanctuary", "answerable": False},
    ]  # fmt: skip
    report = run(folder, lines, engines=f"ours,{engine}", ablate=["PHRASE"], losses=1)
    tables = {one.title: one for one in report.tables}
    assert [row[0] for row in tables["graded answers, 2 questions"].rows] == ["ours", "scripted"]
    assert [row[:3] for row in tables["by kind"].rows] == [
        [kind, "1", name] for kind in ("paint", "solved") for name in ("ours", "scripted")
    ]
    gaps = tables["ours minus scripted, paired, 95 % interval"]
    assert [row[0] for row in gaps.rows] == ["paint", "solved", "= all"]
    assert figures(report, "ours - scripted/")["solved/MRR@10/low"] == 0.5  # the question comes before its answer
    sure = {row[0]: row for row in tables["confidence, ours"].rows}
    assert sure["no result"] == ["no result", "0.0%", "-", "1 of 1"]
    assert [row[0] for row in tables["ablation, ours"].rows] == ["as it is", "PHRASE off"]
    (lost,) = tables["furthest below the best order, scripted"].rows
    assert lost[:5] == ["b", "paint", "0.000", "-", "why does the gate stick"]
    assert lost[5:] == ["ferry/short (0)", "lock/asked (0)"]


def test_the_command_says_which_engine_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["run", "honest", "--data", str(folder), "--engines", "ours,nothing"])
    assert ended.value.code == 2
    assert "argument --engines: engine must be one of ours," in capsys.readouterr().err


def test_the_questions_of_this_repository() -> None:
    rows, built = questions.rows(), questions.rows(built=True)
    asked = [labelled(row) for row in rows]
    assert (len(asked), sum(one.answerable for one in asked)) == (384, 329)
    assert len({one.id for one in asked}) == 384
    assert {row["kind"] for row in rows} == {"solved", "decided", "how", "agent", "where", "detail", "unanswerable"}
    assert all(max(map(one.grade, one.relevant)) == 2 for one in asked if one.answerable)
    assert [row["query"] for row in built] == [row["query"] for row in rows]
    assert sum(len(row["relevant"]) for row in rows) - sum(len(row["relevant"]) for row in built) == 3


def test_ids_are_continued_and_built_histories_have_their_own(tmp_path: Path) -> None:
    places = [[":m1", ":2", 2], ["old:m3", None, 1, ":m4"], ["old:m5", ":0", 1, ":m6", ":7"], [":m8", None, 1, None]]
    row = {"id": "a", "kind": "k", "query": "q", "relevant": {"s": places}, "relevant_sessions": ["t"]}
    path = tmp_path / "questions.jsonl"
    path.write_bytes(orjson.dumps(row) + b"\n" + orjson.dumps({"id": "b", "query": "r"}))

    def ids(*, built: bool) -> list[tuple[str, str | None, int]]:
        found = questions.rows(path, built=built)[0]["relevant"]
        return [(one["message"], one["part"], one["grade"]) for one in found]

    assert ids(built=False) == [
        ("s:m1", "s:m1:2", 2), ("old:m3", None, 1), ("old:m5", "old:m5:0", 1), ("s:m8", None, 1),
    ]  # fmt: skip
    assert ids(built=True) == [("s:m1", "s:m1:2", 2), ("s:m4", None, 1), ("s:m6", "s:m6:7", 1)]
    assert questions.rows(path)[0]["relevant_sessions"] == ["t"]
    assert questions.rows(path)[1]["answerable"] is False


def test_answers_that_a_history_lacks_are_counted() -> None:
    part = {"id": "m.0", "type": "text", "text": "t"}
    history = [{"t": "session", "id": "s"}, {"t": "message", "id": "m", "session": "s", "parts": [part]}]
    places = [("s", None, None), ("s", "m", None), ("s", "m", "m.0"), ("s", "m", "m.1"), ("s", "n", None)]
    asked = [{"relevant": [dict(zip(("session", "message", "part"), place, strict=True)) for place in places]}]
    assert records.answers_held(history, asked) == (3, 5)


@pytest.mark.shared
def test_the_real_histories_hold_every_answer(shared: Path) -> None:
    held = honest._holds(read_history(shared / "histories"))
    places = {place for row in questions.rows() for place in labelled(row).relevant}
    assert held(places) == places
