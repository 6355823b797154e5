"""The kernel fields gives the labelled strings of a part."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.text.fields import fields, string_values
from recall_rank.analysis.fields import Field
from recall_rank.model import Part
from tests.reference.text import fields as reference
from tests.support.kernels.inputs import seeds

LEAVES = ["", " ", "a", "b c", "\ud800", 5, None, True, 1.5]
NAMES = ["command", "cwd", "path", "k", 7]


def some_value(chance: Random, depth: int = 0) -> Any:
    """Return a value of JSON, with keys that need not be strings and tuples among the lists."""
    if depth == 3 or chance.random() < 0.4:
        return chance.choice(LEAVES)
    inner = [some_value(chance, depth + 1) for _ in range(chance.randint(0, 4))]
    if chance.random() < 0.5:
        return chance.choice([list, tuple])(inner)
    return dict(zip(chance.sample(NAMES, len(inner)), inner, strict=True))


def some_part(chance: Random, *texts: str | None) -> Part:
    """Return a part whose fields are drawn from `texts` and from JSON values."""
    said = [chance.choice([None, "", *texts]) for _ in range(5)]
    return Part("p", "tool", said[0], "bash", some_value(chance), *said[1:])


def test_the_bytes_of_fields_are_those_of_the_engine() -> None:
    given = {"command": "a", "cwd": "b", "k": "c"}
    part = Part("p", "tool", text="d", input=given, output="e", error="f", title="g", prompt="h")
    names = ("PROMPT", "TEXT", "COMMAND", "CWD", "INPUT", "TOOL_TITLE", "ERROR", "OUTPUT")
    assert {Field(label).name: value for label, value in fields(part)} == dict(zip(names, "hdabcgfe", strict=True))


def test_texts_of_other_classes_are_texts() -> None:
    class Text(str):
        __slots__ = ()

    class Given(dict[str, Any]):
        __slots__ = ()

    assert string_values(Given(a=Text("x"), b=[Given(c=Text("y"))])) == ["x", "y"]
    assert fields(Part("p", "tool", input=Given(command=Text("x")))) == [(Field.COMMAND, "x")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, []),
        (5, []),
        (True, []),
        ("", []),
        ("a", ["a"]),
        (["a", ["b", {"k": "c"}], 1, None, "d"], ["a", "b", "c", "d"]),
        ({"x": "1", "y": ["2", "3"], "z": {"w": "4"}}, ["1", "2", "3", "4"]),
        (("a", ("b",)), ["a", "b"]),
    ],
)
def test_string_values(value: Any, expected: list[str]) -> None:
    assert string_values(value) == expected


def test_string_values_of_a_million_lists_in_each_other() -> None:
    value: Any = ["at the bottom", "beside it"]
    for _ in range(1_000_000):
        value = [value]
    assert string_values(value) == ["at the bottom", "beside it"]
    while isinstance(value, list):  # taken apart from the outside: not every interpreter frees such a thing safely
        value = value[0]


@pytest.mark.parametrize("levels", [0, 1, 63, 64, 200])
def test_what_holds_itself_is_refused(levels: int) -> None:
    inner: Any = {}
    inner["again"] = ["x", (inner, inner)]
    value = inner
    for _ in range(levels):
        value = [value]
    with pytest.raises(ValueError, match="not one that holds itself"):
        string_values(value)
    shared = ["twice"]
    inner["again"] = (shared, [shared], ())
    assert string_values([value, value]) == ["twice"] * 4


@given(seeds)
def test_strings_come_in_the_order_of_the_value(chance: Random) -> None:
    value = some_value(chance)
    assert string_values(value) == reference.string_values(value)


@given(seeds)
def test_fields_are_those_of_the_plain_rule(chance: Random) -> None:
    part = some_part(chance, "x", " ")
    assert fields(part) == reference.fields(part)
