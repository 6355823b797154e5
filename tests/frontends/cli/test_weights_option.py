"""Weights written on a command line, and put back after each search."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank import weights
from recall_rank.frontends.cli.options.weights import changed, parse_changes, reweighed
from recall_rank.model import Kind, SearchResponse
from tests.support.frontend_samples import response


@pytest.fixture(autouse=True)
def _some_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights of every type, whatever the real ones are called by now."""
    samples: dict[str, Any] = {"SHARE": 0.5, "COUNT": 40, "WHETHER": True, "AROUND": (0.1, 0.2), "NAMED": "x"}
    samples["TABLE"] = {Kind.USER: 1.5, Kind.TOOL: 1.0}
    for name, value in samples.items():
        monkeypatch.setattr(weights, name, value, raising=False)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("SHARE=0", {"SHARE": 0.0}),
        (" SHARE = 1e-3 + COUNT=7", {"SHARE": 0.001, "COUNT": 7}),
        ("WHETHER=False", {"WHETHER": False}),
        ("AROUND=1, .5", {"AROUND": (1.0, 0.5)}),
        ("TABLE.USER=1", {"TABLE": {Kind.USER: 1.0, Kind.TOOL: 1.0}}),
        ("TABLE.USER=1+TABLE.TOOL=2", {"TABLE": {Kind.USER: 1.0, Kind.TOOL: 2.0}}),
        ("SHARE=1+SHARE=2", {"SHARE": 2.0}),
    ],
)
def test_changes_are_read(text: str, changes: dict[str, Any]) -> None:
    assert parse_changes(text) == changes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a change of weights is NAME=VALUE, not ''"),
        ("SHARE", "a change of weights is NAME=VALUE, not 'SHARE'"),
        ("SHARE=1+", "not ''"),
        ("BANANA=1", "there is no weight 'BANANA'"),
        ("Kind=1", "there is no weight 'Kind'"),
        ("annotations=1", "there is no weight 'annotations'"),
        ("__name__=1", "there is no weight '__name__'"),
        ("SHARE=much", "SHARE must be a number, not 'much'"),
        ("SHARE=inf", "SHARE must be a number, not 'inf'"),
        ("SHARE.USER=1", "SHARE has no entries, so 'SHARE.USER' names nothing"),
        ("COUNT=1.5", "COUNT must be a whole number, not '1.5'"),
        ("WHETHER=1", "WHETHER must be True or False, not '1'"),
        ("AROUND=1", "AROUND must be 2 numbers with commas between them, not '1'"),
        ("AROUND=1,x", "AROUND must be a number, not 'x'"),
        ("TABLE=1", "TABLE is a table: TABLE.ENTRY must be one of USER, TOOL, not ''"),
        ("TABLE.TITLE=1", "must be one of USER, TOOL, not 'TITLE'"),
        ("TABLE.USER=x", "TABLE.USER must be a number, not 'x'"),
        ("NAMED=y", "NAMED is no number"),
    ],
)
def test_a_change_that_cannot_be_made_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        parse_changes(text)


def test_weights_hold_for_one_search_only() -> None:
    def search(query: str, **options: Any) -> SearchResponse:
        return response(query=f"{query} {weights.SHARE} {options['match']}")

    assert reweighed(search, {"SHARE": 0.25})("lantern", match="smart").query == "lantern 0.25 smart"
    assert weights.SHARE == 0.5


def test_weights_are_put_back_whatever_happens() -> None:
    with pytest.raises(ZeroDivisionError), changed({"SHARE": 0.25, "COUNT": 0}):
        print(1 / weights.COUNT)
    assert (weights.SHARE, weights.COUNT) == (0.5, 40)
