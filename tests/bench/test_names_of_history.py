"""Queries made from the names of a history: which parts answer them, and equal seeds give equal queries."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from bench.datasets.documents import part_text
from bench.datasets.history_files import read_history, read_queries
from bench.datasets.names_of_history import main, mentions, queries
from recall_rank.frontends.demo.generate import history
from tests.support.search.samples import session

NAMES = [f"{first}{second}" for first in ("rate", "tide", "crane") for second in ("Limit", "Table", "Ledger", "Gauge")]
SESSIONS = [
    session(f"s{n}", f"see src/quay/{name}.py and {name}: done", f"the {name} again") for n, name in enumerate(NAMES)
]


def test_a_name_is_mentioned_in_every_part_that_holds_it_alone() -> None:
    held = session(
        "s", "in src/load.py:12, rate_limit", "in /srv/src/load.py. RateLimit", "see rateLimiter or part-time"
    )
    found = defaultdict(set)
    for mention in mentions([held]):
        found[mention.kind, mention.key].add(mention.answer[2])
    assert found["path", "src/load.py"] == {"s.0.1"}
    assert found["path", "/srv/src/load.py"] == {"s.1.1"}
    assert found["identifier", "ratelimit"] == {"s.0.1", "s.1.1"}
    assert found["identifier", "ratelimiter"] == {"s.2.1"}
    assert not found["identifier", "part"]


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


def test_the_command_writes_lines_of_labelled_queries(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    main([str(tmp_path), "--count", "3"])
    written = capsysbinary.readouterr().out
    (tmp_path / "names.jsonl").write_bytes(written)
    read = read_queries(tmp_path / "names.jsonl")
    assert len(read) == len(written.splitlines()) > 0
    held = read_history(tmp_path)
    parts = {part.id: part_text(part) for each in held for message in each.messages for part in message.parts}
    for query in read:
        if query.kind == "file_path":
            assert all(query.query in parts[str(part)] for _, _, part in query.relevant)
