"""Weights written on a command line become a changed copy; the default weights stay as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recall_rank.frontends.cli.options.weights import parse_weights
from recall_rank.weights import DEFAULT


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("PHRASE=0", {"phrase": 0.0}),
        (" PHRASE = 1e-3 + SURVIVORS=7", {"phrase": 0.001, "survivors": 7}),
        ("KIND.person=1", {"kind": DEFAULT.kind._replace(person=1.0)}),
        ("KIND.person=1+KIND.aside=2", {"kind": DEFAULT.kind._replace(person=1.0, aside=2.0)}),
        ("CHANCE.rarity=3", {"chance": DEFAULT.chance._replace(rarity=3.0)}),
        ("PHRASE=1+PHRASE=2", {"phrase": 2.0}),
    ],
)
def test_changes_are_read(text: str, changes: dict[str, Any]) -> None:
    assert parse_weights(text) == replace(DEFAULT, **changes)


def test_changes_are_made_to_a_copy() -> None:
    assert parse_weights("PHRASE=0", replace(DEFAULT, near=0.0)) == replace(DEFAULT, near=0.0, phrase=0.0)
    assert DEFAULT.phrase


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a change of weights is NAME=VALUE, not ''"),
        ("PHRASE", "a change of weights is NAME=VALUE, not 'PHRASE'"),
        ("PHRASE=1+", "not ''"),
        ("BANANA=1", "there is no weight 'BANANA': there are K1, B, .*PHRASE, .*DIVERSITY$"),
        ("phrase=1", r"there is no weight 'phrase': did you mean 'PHRASE'\?$"),
        ("SURVIVER=1", r"there is no weight 'SURVIVER': did you mean 'SURVIVORS'\?$"),
        (
            "KIND.persn=1",
            r"must be one of person, agent, answer, subagent, title, aside, not 'persn'; did you mean 'person'\?$",
        ),
        ("__CLASS__=1", "there is no weight '__CLASS__'"),
        ("PHRASE=much", "PHRASE must be a number, not 'much'"),
        ("PHRASE=inf", "PHRASE must be a number, not 'inf'"),
        ("PHRASE.USER=1", "PHRASE has no entries, so 'PHRASE.USER' names nothing"),
        ("SURVIVORS=1.5", "SURVIVORS must be a whole number, not '1.5'"),
        ("KIND=1", "KIND is a table: KIND.ENTRY must be one of person, agent, answer, subagent, title, aside, not ''"),
        ("KIND.NOBODY=1", "must be one of person, agent, answer, subagent, title, aside, not 'NOBODY'"),
        ("KIND.person=x", "KIND.person must be a number, not 'x'"),
    ],
)
def test_a_change_that_cannot_be_made_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_weights(text)
