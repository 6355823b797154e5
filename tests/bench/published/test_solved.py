"""Questions for where a matter was solved are reported apart, tune and check, of a history that answers them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import orjson
import pytest

from bench.benchmarks import known_item
from bench.datasets.history_files import read_history, read_queries
from bench.datasets.published.histories import solved

if TYPE_CHECKING:
    from pathlib import Path

SAID = {
    "asked": ("user", "why does the weir gate stick at high water?"),
    "solved": ("assistant", "The weir gate sticks because silt fills the groove at high water; rinse the groove."),
    "other": ("user", "paint the ferry"),
}


def line(key: str, kind: str, query: str, *answers: str) -> dict[str, object]:
    relevant = [{"session": "lock", "message": answer, "part": f"{answer}.0"} for answer in answers]
    return {"id": key, "kind": kind, "query": query, "relevant": relevant}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A history of one session, a drawn query, and questions for what was solved there."""
    rows: list[dict[str, object]] = [{"t": "session", "id": "lock", "title": None}]
    for key, (role, text) in SAID.items():
        part = {"id": f"{key}.0", "type": "text", "text": text}
        rows.append({"t": "message", "id": key, "session": "lock", "role": role, "parts": [part]})
    questions = [
        line("silt", "solved_tune", "silt in the groove", "solved", "lost"),
        line("gate", "solved_check", "paint", "solved"),
        line("gone", "solved_check", "paint the ferry", "lost"),
    ]
    for name, content in {
        "history": rows,
        "queries": [line("ferry", "identifier", "ferry", "other")],
        "solved": questions,
    }.items():
        (tmp_path / f"{name}.jsonl").write_bytes(b"\n".join(map(orjson.dumps, content)))
    return tmp_path


def test_a_question_is_asked_where_it_is_answered(folder: Path) -> None:
    found = solved.solved_questions(read_history(folder), folder / "solved.jsonl")
    assert [(one.id, list(one.relevant), one.relevant_sessions) for one in found] == [
        ("silt", [("lock", "solved", "solved.0")], {"lock"}),
        ("gate", [("lock", "solved", "solved.0")], {"lock"}),
    ]


def test_they_are_reported_apart_from_what_is_drawn(folder: Path) -> None:
    parser = argparse.ArgumentParser()
    known_item.arguments(parser)
    given = ["--data", str(folder), "--solved", str(folder / "solved.jsonl"), "--no-time", "--ablate", "PHRASE"]
    report = known_item.run(parser.parse_args(given))
    figures = {figure.name: (figure.value, figure.n) for figure in report.figures}
    assert figures["ours/solved_tune/part MRR"] == (1.0, 1)
    assert figures["ours/solved_check/part MRR"] == (0.0, 1)
    assert figures["ours/= all parts/part MRR"] == figures["ours/*/part MRR"] == (1.0, 1)
    (ablation,) = (table for table in report.tables if table.title.startswith("ablation"))
    assert {"part", "= solved_tune", "= solved_check"} <= set(ablation.columns)
    assert ablation.rows[0][ablation.columns.index("part")] == "1.0000"


def test_the_committed_questions_name_answers_and_quote_nothing() -> None:
    questions = read_queries(solved.FILE)
    kinds = [question.kind for question in questions]
    assert len({question.id for question in questions}) == len(questions)
    assert len({question.query for question in questions}) == len(questions)
    assert abs(kinds.count("solved_tune") - kinds.count("solved_check")) <= 1
    assert all(message and part for question in questions for _, message, part in question.relevant)
    rows = map(orjson.loads, solved.FILE.read_bytes().splitlines())
    assert {key for row in rows for key in row} == {"id", "kind", "query", "relevant"}
