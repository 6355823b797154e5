"""Which characters of a text are shown around its matches."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import reference
from hypothesis import given
from kernels.inputs import seeds

from recall_rank._core.frame import frame

ONE = [1.0, 1.0, 1.0, 5.0]


def matches(*places: tuple[int, int, int]) -> list[tuple[int, int, int, int, float]]:
    """Whole words of the query at these bytes, each (start, end, slot)."""
    return [(start, end, slot, 1, 1.0) for start, end, slot in places]


@pytest.mark.parametrize(
    ("text", "events", "width", "expected"),
    [
        pytest.param("", [], 5, (0, 0, []), id="nothing"),
        pytest.param("0123456789", [], 4, (0, 4, []), id="no match: the head"),
        pytest.param("0123456789", [], 99, (0, 10, []), id="wider than the text"),
        pytest.param("0123456789", matches((8, 9, 0)), 4, (6, 10, [(8, 9)]), id="at the end"),
        pytest.param("0123456789", matches((4, 6, 0)), 4, (3, 7, [(4, 6)]), id="in the middle"),
        pytest.param("0123456789", matches((2, 8, 0)), 4, (3, 7, [(2, 8)]), id="longer than the width"),
        pytest.param("0123456789", matches((4, 6, 0), (4, 5, 1), (5, 6, 2)), 6, (2, 8, [(4, 6)]), id="pieces as one"),
        pytest.param("0123456789", matches((4, 5, 0), (5, 6, 1)), 6, (2, 8, [(4, 5), (5, 6)]), id="side by side"),
        pytest.param("0123456789", matches((4, 4, 0)), 6, (1, 7, []), id="an empty match shows nothing"),
        pytest.param("éééé海6789", matches((8, 11, 0), (11, 12, 1)), 4, (3, 7, [(4, 5), (5, 6)]), id="characters"),
        pytest.param(
            "é123456789", matches((2, 3, 0), (8, 9, 1), (10, 11, 2)), 5, (5, 10, [(7, 8), (9, 10)]), id="most"
        ),
        pytest.param(
            "é123456789", matches((2, 3, 0), (8, 9, 0), (10, 11, 0)), 5, (5, 10, [(7, 8), (9, 10)]), id="same"
        ),
        pytest.param("é123456789", matches((2, 3, 3), (8, 9, 0), (10, 11, 1)), 5, (0, 5, [(1, 2)]), id="a heavy one"),
    ],
)
def test_rows(text: str, events: Any, width: int, expected: tuple[int, int, list[tuple[int, int]]]) -> None:
    data = text.encode()
    first, last = min([e[0] for e in events], default=0), max([e[1] for e in events], default=0)
    asked = (data, 0, len(data), events, first, last, width, ONE)
    assert reference.frame(*asked) == expected
    assert frame(*asked) == expected


def test_a_known_stretch_is_taken_where_bytes_are_characters() -> None:
    events = matches((1, 2, 0), (20, 21, 0), (22, 23, 1))
    assert frame(b"x" * 30, 0, 30, events, 1, 2, 6, ONE)[:2] == (0, 6)
    assert frame(b"x" * 30, 10, 30, events, 1, 2, 6, ONE)[:2] == (8, 14), "it does not stand in this text"


@given(seeds)
def test_it_is_what_the_slow_one_says(chance: Random) -> None:
    letters = [letter.encode() for letter in chance.choice(["ab ", "aé海🙂 "])]
    atoms = [chance.choice(letters) for _ in range(chance.randint(0, 60))]
    borders = [0]
    for atom in atoms:
        borders.append(borders[-1] + len(atom))
    text = b"".join(atoms)
    start, end = sorted(chance.choices(borders, k=2))
    found = sorted(sorted(chance.choices(borders, k=2)) for _ in range(chance.randint(0, 14)))
    if chance.random() < 0.3:
        chance.shuffle(found)  # a compound is told after its first word
    weights = [chance.choice([0.0, 0.25, 1.0, 4.0]) for _ in range(6)]
    events = []
    for low, high in found:
        slot = chance.randrange(6)
        events.append((low, high, slot, chance.randint(1, 6 - slot), chance.choice([0.25, 0.5, 1.0])))
    first, last = sorted(chance.choices(borders, k=2))
    asked = (text, start, end, events, first, last, chance.choice([0, 1, 5, 12, 40, 2**40]), weights)
    assert frame(*asked) == reference.frame(*asked)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 99)])
def test_a_range_outside_of_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(IndexError):
        frame(b"tide", start, end, [], 0, 0, 9, [])


def test_a_width_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="width"):
        frame(b"tide", 0, 4, [], 0, 0, -1, [])


@pytest.mark.parametrize(
    "event", [(2, 1, 0, 1, 1.0), (0, 1, -1, 1, 1.0), (0, 1, 64, 1, 1.0), (0, 1, 0, 0, 1.0), (0, 1, 3, 2, 1.0)]
)
def test_what_is_no_event_is_refused(event: Any) -> None:
    with pytest.raises(ValueError, match="no event"):
        frame(b"tide", 0, 4, [event], 0, 1, 9, ONE)


@pytest.mark.parametrize(
    "event", [None, 7, (), (0, 1), (0, 1, 0, 1), (0, 1, 0, 1, 1.0, 0), ("a", "b", 0, 1, 1.0), (0, 2**70, 0, 1, 1.0)]
)
def test_an_event_is_five_numbers(event: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        frame(b"tide", 0, 4, [event], 0, 1, 9, ONE)


@pytest.mark.parametrize("wrong", [None, "ab", ((0, 1),)])
def test_only_lists_are_taken(wrong: Any) -> None:
    with pytest.raises(TypeError):
        frame(b"tide", 0, 4, wrong, 0, 1, 9, ONE)
    with pytest.raises(TypeError):
        frame(b"tide", 0, 4, [(0, 1, 0, 1, 1.0)], 0, 1, 9, wrong)
