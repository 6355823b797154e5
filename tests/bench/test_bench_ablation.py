"""Weights are changed inside the block only, and put back whatever happens."""

from __future__ import annotations

import enum
import types

import pytest

from bench.benchmarks.ablation import ablate, override, parse, switches, table


class Kind(enum.IntEnum):
    USER = 1
    TOOL = 2


@pytest.fixture
def numbers() -> types.ModuleType:
    module = types.ModuleType("numbers_that_rank")
    module.PHRASE = 0.5  # type: ignore[attr-defined]
    module.DEPTH = 3  # type: ignore[attr-defined]
    module.FUZZY = True  # type: ignore[attr-defined]
    module.NAMES = ("a",)  # type: ignore[attr-defined]
    module.lower = 1  # type: ignore[attr-defined]
    return module


def test_override_is_undone(numbers: types.ModuleType) -> None:
    with override(numbers, PHRASE=0.0, FUZZY=False):
        assert (numbers.PHRASE, numbers.FUZZY, numbers.DEPTH) == (0.0, False, 3)
    assert (numbers.PHRASE, numbers.FUZZY) == (0.5, True)


def test_override_is_undone_after_an_error(numbers: types.ModuleType) -> None:
    with pytest.raises(ZeroDivisionError), override(numbers, DEPTH=0):
        _ = 1 / numbers.DEPTH
    assert numbers.DEPTH == 3


def test_unknown_names_change_nothing(numbers: types.ModuleType) -> None:
    with pytest.raises(ValueError, match="has no PHRAZE"), override(numbers, PHRASE=0.0, PHRAZE=1):
        pass
    assert numbers.PHRASE == 0.5


def test_switches_turn_everything_off(numbers: types.ModuleType) -> None:
    numbers.NEAR = (0.1, 0.0)  # type: ignore[attr-defined]
    numbers.KIND = {Kind.USER: 1.2, Kind.TOOL: 1.0}  # type: ignore[attr-defined]
    assert switches(numbers) == {"PHRASE": 0.0, "DEPTH": 0, "FUZZY": False, "NEAR": (0.0, 0.0), "KIND.USER": 1.0}


def test_changes_as_written(numbers: types.ModuleType) -> None:
    numbers.KIND = {Kind.USER: 1.2, Kind.TOOL: 1.0}  # type: ignore[attr-defined]
    assert parse("A=0.5+B=2+C=True+D=1,2", numbers) == {"A": 0.5, "B": 2, "C": True, "D": (1.0, 2.0)}
    assert parse("KIND.USER=2+KIND.TOOL=3", numbers) == {"KIND": {Kind.USER: 2, Kind.TOOL: 3}}
    with pytest.raises(ValueError, match=r"has no KIND\.NOBODY"):
        parse("KIND.NOBODY=2", numbers)


def test_the_table_stars_what_is_more_than_luck(numbers: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.benchmarks.ablation.weights", lambda: numbers)

    def measured() -> dict[str, dict[str, float]]:
        gain = 0.3 * numbers.PHRASE / numbers.DEPTH
        return {"MRR": {str(number): number / 20 + gain for number in range(10)}}

    columns, rows = table(list(ablate(["PHRASE", "PHRASE=0.5", "DEPTH"], measured)))
    assert columns == ["change", "MRR"]
    assert rows == [
        ["as it is", "0.2750"],
        ["PHRASE off", "0.2250 (-0.0500*)"],
        ["PHRASE=0.5", "0.2750 (+0.0000 )"],
        ["DEPTH", "ZeroDivisionError: float division by zero"],
    ]
