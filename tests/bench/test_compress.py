"""The benchmark of compression passes on the package as it is, and fails where a decision or a call is lost."""

from __future__ import annotations

from typing import Any

import pytest

from bench.benchmarks import compress as measured
from bench.command import main
from bench.datasets.conversations.long_conversation import DECISION, PLANTED, UNSEEN, long_conversation
from recall_rank.frontends.compression.compress import compress
from recall_rank.frontends.compression.conversation import tokens_of
from recall_rank.frontends.compression.zones import ZoneBudget
from recall_rank.frontends.transcripts.statistics import estimated_tokens
from tests.support.frontends.chats import called, problems, said

SMALL = ["run", "compress", "--rounds", "40", "--seeds", "1", "--window", "40000"]


def test_every_check_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SMALL) == 0
    shown = capsys.readouterr().out
    assert shown.count("\nok   ") == 6
    for kind in PLANTED:
        assert f"\n{kind} " in shown


def test_a_lost_decision_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def without_room(*given: Any, **named: Any) -> Any:
        return compress(*given, **named, budget=ZoneBudget(middle=300))

    monkeypatch.setattr(measured, "compress", without_room)
    assert main([*SMALL, "--show"]) == 1
    shown = capsys.readouterr().out
    assert "FAIL three zones keep every decision that is marked as one" in shown
    assert "  lost: " in shown


def test_zones_that_save_little_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def large(*given: Any, **named: Any) -> Any:
        return compress(*given, **named, budget=ZoneBudget(tail=10**6, rounds=10**6))

    monkeypatch.setattr(measured, "compress", large)
    assert main(SMALL) == 1


def test_the_conversation_is_realistic_and_reproducible() -> None:
    made = long_conversation(7, 30)
    assert made == long_conversation(7, 30)
    assert made != long_conversation(8, 30)
    assert problems([made.system, *(each for messages in made.rounds for each in messages)]) == []
    sizes = [sum(tokens_of(each, estimated_tokens) for each in messages) for messages in made.rounds]
    assert min(sizes) > 1_000
    assert max(sizes) < 5_200
    texts = [str(each["content"]) for messages in made.rounds for each in messages]
    for fact in made.facts:
        assert sum(fact.stands_in([text]) for text in texts) == 1
    assert all(len(PLANTED[kind][1]) >= 12 for kind in (DECISION, UNSEEN))


def test_truncation_keeps_whole_rounds_and_orphans_are_counted() -> None:
    messages = [said("system", "s"), said("user", "a " * 300), *called("1", "x"), said("user", "b"), *called("2", "y")]
    assert measured.truncated(messages, 120) == [messages[0], *messages[4:]]
    assert measured.truncated(messages, 9) == messages[:1]
    assert measured.orphans(messages) == 0
    assert measured.orphans([messages[0], messages[3]]) == 1
