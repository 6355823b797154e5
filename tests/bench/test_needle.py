"""The needle benchmark passes on the engine as it is, and fails where a needle is not found or not searched for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bench.benchmarks import needle
from bench.command import main
from bench.datasets import generate
from recall_rank import Index

SMALL = ["run", "needle", "--parts", "240"]


def test_the_needle_is_found_in_every_mode_and_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SMALL) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "needle" not in line]
    for match in needle.MODES:
        for group in needle.GROUPS:
            assert any(row[:1] == [match] and group in row for row in rows)


def test_it_stands_once_in_the_oldest_session() -> None:
    planted = list(needle.planted(480, 1))
    holding = [s for s in planted if any(p.id == "needle" for m in s.messages for p in m.parts)]
    assert holding == [min(planted, key=lambda s: s.updated)]
    assert sum(needle.NEEDLE in repr(s) for s in planted) == 1


def test_a_needle_that_is_not_found_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(parts: int, seed: int) -> Iterator[Any]:
        return generate.sessions(parts, seed)

    monkeypatch.setattr(needle, "planted", without)
    assert main(SMALL) == 1


def test_an_answer_that_left_something_out_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Index.search

    def search(*given: Any, **named: Any) -> Any:
        response = real(*given, **named)
        sessions = replace(response.coverage.sessions, searched=response.coverage.sessions.searched - 1)
        return replace(response, coverage=replace(response.coverage, sessions=sessions))

    monkeypatch.setattr(Index, "search", search)
    assert main(SMALL) == 1
