"""Signals other than words: the caller's own scores, and quotation marks."""

from __future__ import annotations

import pytest

from tests.support.search.samples import ask, texts


def order(query: str, **options: object) -> list[str]:
    index = texts("the gull of the north harbour", "the north gull of a harbour", "gulls, harbours, north")
    return [result.message_id for result in ask(index, query, **options).results]


def test_a_signal_of_the_caller_lifts_its_part() -> None:
    plain = order("gull harbour north")
    lifted = order("gull harbour north", extra_scores={f"{plain[-1]}.1": 1.0})
    assert lifted.index(plain[-1]) < plain.index(plain[-1])


@pytest.mark.parametrize("signal", [-5.0, 0.0])
def test_a_signal_below_zero_is_none(signal: float) -> None:
    last = order("gull harbour north")[-1]
    assert order("gull harbour north", extra_scores={f"{last}.1": signal}) == order("gull harbour north")


def test_the_explanation_names_the_signal() -> None:
    index = texts("the gull of the north harbour")
    [result] = ask(index, "gull", extra_scores={"s.0.1": 1.0}, explain=True).results
    assert result.explain is not None
    assert result.explain["extra"] > 0
    assert sum(result.explain.values()) == pytest.approx(result.score, abs=1e-6)


def test_quotes_weigh_and_do_not_exclude() -> None:
    assert order('"north gull" harbour')[0] == "s.1"
    assert len(order('"north gull" harbour')) == 3
