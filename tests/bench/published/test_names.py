"""Queries made from the names of a history: which parts answer them, and equal seeds give equal queries."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import orjson

from bench.command import main
from bench.datasets.published.histories.names import mentions, queries
from recall_rank.frontends.demo.generate import history
from tests.support.search.samples import session

NAMES = [
    f"{first}{second}" for first in ("harbour", "lantern", "breakwater") for second in ("Limit", "Table", "Ledger")
]
SESSIONS = [
    session(f"s{n}", f"see src/quay/{name}.py and {name}: done", f"the {name} again") for n, name in enumerate(NAMES)
]


def test_a_name_is_mentioned_in_every_part_that_holds_it_alone() -> None:
    held = session(
        "s",
        "in src/quay/load.py:12, harbour_ledger",
        "in src/quay/load.py.bak: HarbourLedgers",
        "HARBOUR, harbourLedger, part-time",
    )
    found = defaultdict(set)
    for mention in mentions([held]):
        found[mention.kind, mention.key].add(mention.answer[2])
    assert found == {
        ("path", "src/quay/load.py"): {"s.0.1"},
        ("path", "src/quay/load.py.bak"): {"s.1.1"},
        ("identifier", "harbourledger"): {"s.0.1", "s.2.1"},
        ("identifier", "harbourledgers"): {"s.1.1"},
    }


def test_queries_are_of_the_kinds_that_names_make() -> None:
    made = queries(SESSIONS, seed=1, count=5)
    kinds = {"file_path", "identifier", "identifier_typo", "identifier_separator", "identifier_typo_separator"}
    assert {query.kind for query in made} == kinds
    assert made == queries(SESSIONS, seed=1, count=5)
    assert made != queries(SESSIONS, seed=2, count=5)
    asked = {query.query: query.relevant for query in made if query.kind == "identifier"}
    for name, relevant in asked.items():
        number = NAMES.index(name)
        assert [answer[2] for answer in relevant] == [f"s{number}.0.1", f"s{number}.1.1"]


def test_the_benchmark_asks_for_names_that_are_drawn_from_the_history(tmp_path: Path) -> None:
    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text("")
    arguments = ["run", "known_item", "--data", str(tmp_path), "--names", "3", "--no-time", "--out"]
    assert main([*arguments, str(tmp_path / "out.json")]) == 0
    [report] = orjson.loads((tmp_path / "out.json").read_bytes())["reports"]
    asked = {figure["name"]: figure["n"] for figure in report["figures"]}
    assert asked["ours/identifier/part MRR"] == asked["ours/file_path/part MRR"] == 3
