"""Relevance measures by hand, and the stored data of a folder."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import orjson
import pytest

from bench.datasets.history_files import LabelledQuery
from bench.engines.substring import Substring
from bench.reporting.relevance_sets import Ranked, RelevanceSet, ids_by_kind, means, measure, read_run

if TYPE_CHECKING:
    from pathlib import Path


def labelled(name: str, *messages: str, kind: str = "plain") -> LabelledQuery:
    answers = [("s1", message, None) for message in messages]
    return LabelledQuery(name, kind, name, answers, relevant_sessions=frozenset({"s1"}))


def test_measures_by_hand() -> None:
    first = Ranked(labelled("a", "m1", "m2"), ["x", "m2", "y", "m1"], ["s0", "s1"])
    nothing = Ranked(labelled("b", "m3"), [], [])
    messages, sessions = measure([first, nothing])
    gain = (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))
    assert messages["nDCG@10"] == pytest.approx({"a": gain, "b": 0.0})
    assert messages["recall@1"] == {"a": 0.0, "b": 0.0}
    assert messages["recall@5"] == {"a": 1.0, "b": 0.0}
    assert messages["MRR@10"] == {"a": 0.5, "b": 0.0}
    assert sessions["nDCG@10"]["a"] == pytest.approx(1 / math.log2(3))
    assert means(messages)["MRR@10"] == 0.25
    assert means(messages, ["a"])["MRR@10"] == 0.5


def test_kinds_in_order() -> None:
    queries = [labelled("a", "m", kind="z"), labelled("b", "m", kind="c"), labelled("c", "m", kind="z")]
    assert ids_by_kind(queries) == {"c": ["b"], "z": ["a", "c"]}


def test_a_stored_run_is_measured_over_the_queries_it_holds(tmp_path: Path) -> None:
    run = tmp_path / "other.plain.jsonl"
    run.write_bytes(b'{"id":"a","messages":["m1","m2"]}\n')
    assert read_run(run, [labelled("a", "m1"), labelled("b", "m2")])["nDCG@10"] == {"a": 1.0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows: list[dict[str, object]] = []
    for project in ("one", "two"):
        rows.append({"t": "session", "id": f"s-{project}", "title": None, "project": project})
        part = {"id": "p", "type": "text", "text": f"the kettle of {project}"}
        rows.append({"t": "message", "id": f"m-{project}", "session": f"s-{project}", "role": "user", "parts": [part]})
    (tmp_path / "history.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    asked = [
        {
            "id": "q1",
            "kind": "plain",
            "project": "two",
            "query": "kettle",
            "relevant": [{"session": "s-two", "message": "m-two"}],
        },
        {
            "id": "q2",
            "kind": "adversarial",
            "project": "two",
            "query": "kettle",
            "relevant": [{"session": "s-two", "message": "m-two"}],
        },
        {"id": "q3", "kind": "plain", "project": "two", "query": "kettle", "relevant": []},
    ]
    (tmp_path / "queries.jsonl").write_bytes(b"\n".join(map(orjson.dumps, asked)))
    return tmp_path


def test_queries_search_their_own_project(folder: Path) -> None:
    one = RelevanceSet(folder, Substring)
    queries = one.queries()
    assert [query.id for query in queries] == ["q1"]
    assert one.rank(queries)[0].messages == ["m-two"]
    assert one.engine_name == "substring"


def test_pooled_sets_search_everything(folder: Path) -> None:
    one = RelevanceSet(folder, Substring, pooled=True)
    assert set(one.rank(one.queries())[0].messages) == {"m-one", "m-two"}
