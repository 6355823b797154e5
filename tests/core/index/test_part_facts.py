"""What a result tells of a part."""

from __future__ import annotations

from array import array
from itertools import accumulate
from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.index.part_facts import Facts
from tests.reference.index import part_facts as reference
from tests.support.kernels.inputs import seeds


def some_columns(chance: Random, parts: int = 0) -> dict[str, array[int]]:
    """Columns of a few messages and `parts` parts, or as many as chance will have it."""
    messages = chance.randint(1, 5)
    parts = parts or chance.randint(1, 9)
    counts = [chance.randint(0, 3) for _ in range(parts)]
    firsts = list(accumulate(counts, initial=0))

    def numbers(code: Any, count: int, most: int) -> array[int]:
        return array(code, [chance.randint(0, most) for _ in range(count)])

    return {
        "part_message": numbers("I", parts, messages - 1),
        "part_type": numbers("I", parts, 2**32 - 1),
        "part_tool": numbers("I", parts, 2**32 - 1),
        "part_flags": numbers("H", parts, 2**16 - 1),
        "part_first_field": array("I", firsts),
        "message_session": numbers("I", messages, 2**32 - 1),
        "message_author": numbers("I", messages, 2**32 - 1),
        "message_role": numbers("B", messages, 255),
        "message_time": array("q", [chance.randint(-(2**63), 2**63 - 1) for _ in range(messages)]),
        "field_start": numbers("Q", firsts[-1] + 1, 2**64 - 1),
        "doc_start": numbers("Q", chance.randint(2, 9), 2**64 - 1),
    }


def told(facts: Any, part: int, doc: int) -> list[Any]:
    return [list(value) if isinstance(value, (array, memoryview)) else value for value in facts.of(part, doc)]


@given(seeds)
def test_facts_are_those_of_every_column(chance: Random) -> None:
    columns = some_columns(chance)
    native, slow = Facts(**columns), reference.Facts(columns)
    for part in range(len(columns["part_message"])):
        for doc in range(len(columns["doc_start"]) - 1):
            assert told(native, part, doc) == told(slow, part, doc)
    for message in range(len(columns["message_role"])):
        assert native.said(message) == slow.said(message)


@given(seeds)
def test_what_is_not_there_is_an_error(chance: Random) -> None:
    columns = some_columns(chance)
    facts = Facts(**columns)
    for part in (-1, len(columns["part_message"])):
        with pytest.raises(IndexError):
            facts.of(part, 0)
    for doc in (-1, len(columns["doc_start"]) - 1):
        with pytest.raises(IndexError):
            facts.of(0, doc)
    for message in (-1, len(columns["message_role"])):
        with pytest.raises(IndexError):
            facts.said(message)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("part_message", 5, id="a message that is not there"),
        pytest.param("part_first_field", 2**32 - 1, id="fields that end before they begin"),
    ],
)
def test_a_number_that_leads_outside_is_not_followed(name: str, value: int) -> None:
    columns = some_columns(Random(1))
    columns[name][0] = value
    with pytest.raises(IndexError):
        Facts(**columns).of(0, 0)


def test_fields_behind_the_last_are_not_read() -> None:
    columns = some_columns(Random(1), parts=3)
    columns["part_first_field"][3] = len(columns["field_start"])
    with pytest.raises(IndexError):
        Facts(**columns).of(2, 0)


PARTS = ("part_message", "part_type", "part_tool", "part_flags", "part_first_field")
MESSAGES = ("message_session", "message_author", "message_role", "message_time")


@pytest.mark.parametrize("name", [*PARTS, *MESSAGES])
def test_columns_that_differ_in_length_are_refused(name: str) -> None:
    columns = some_columns(Random(1))
    columns[name].append(0)
    with pytest.raises(ValueError, match="differ in length"):
        Facts(**columns)
