"""Every weight is switched off in a copy; the default weights stay as they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.engines import create
from bench.reporting.ablation import FACTORS, SHAPES, ablate, parse, switches, table
from recall_rank.frontends.cli.options.weights import weight_names
from recall_rank.model import Message, Part, Session
from recall_rank.weights import DEFAULT, Weights


def test_switches_turn_every_weight_off() -> None:
    off = switches()
    assert off["PHRASE"] == replace(DEFAULT, phrase=0.0)
    assert off["STEM"] == replace(DEFAULT, stem=1.0)
    assert off["LENGTH_FLOOR"] == replace(DEFAULT, length_floor=0)
    assert off["KIND.person"] == replace(DEFAULT, kind=DEFAULT.kind._replace(person=1.0))
    assert "PHRASE" not in switches(replace(DEFAULT, phrase=0.0))  # it is 0 already
    assert not SHAPES.intersection(label.lower() for label in off)
    assert Weights() == DEFAULT


def test_the_groups_name_weights() -> None:
    assert set(weight_names(DEFAULT)) >= FACTORS | SHAPES


def test_changes_as_written() -> None:
    assert parse("PHRASE+SURVIVORS=7") == replace(DEFAULT, phrase=0.0, survivors=7)
    assert parse("KIND.person=2+KIND.aside=3") == replace(DEFAULT, kind=DEFAULT.kind._replace(person=2.0, aside=3.0))
    with pytest.raises(ValueError, match="'SURVIVORS' is no weight that can be switched off"):
        parse("SURVIVORS")
    with pytest.raises(ValueError, match="there is no weight 'PHRAZE'"):
        parse("PHRAZE=1")


def test_the_table_stars_what_is_more_than_luck() -> None:
    def measured(weights: Weights) -> dict[str, dict[str, float]]:
        gain = weights.quoted / weights.window_words
        return {"MRR": {str(number): number / 20 + gain for number in range(10)}}

    columns, rows = table(list(ablate(["QUOTED", "QUOTED=0.5", "WINDOW_WORDS=0"], measured)))
    assert columns == ["change", "MRR"]
    assert rows == [
        ["as it is", "0.2458"],
        ["QUOTED off", "0.2250 (-0.0208*)"],
        ["QUOTED=0.5", "0.2458 (+0.0000 )"],
        ["WINDOW_WORDS=0", "ZeroDivisionError: float division by zero"],
    ]


def test_an_engine_is_reweighed_over_one_index() -> None:
    def hit(text: str, key: str) -> Session:
        return Session(id=key, messages=(Message(id=key, role="user", parts=(Part(id=key, type="text", text=text),)),))

    engine = create("ours")
    engine.build([hit("the lantern was here", "a"), hit("lanterns were here", "b")])
    other = engine.reweighed(replace(DEFAULT, stem=10.0))  # type: ignore[attr-defined]
    assert [found.session for found in engine.search("lantern", 2)] == ["a", "b"]
    assert [found.session for found in other.search("lantern", 2)] == ["b", "a"]
    assert other.index is engine.index  # type: ignore[attr-defined]
