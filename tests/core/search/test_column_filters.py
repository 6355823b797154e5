"""Scope and filters over the columns of a segment."""

from __future__ import annotations

from array import array
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.search.column_filters import (
    are_marked,
    clear_first_parts,
    copy_marks,
    count_marks,
    keep_marks,
    mark_eligible,
    marked_indices,
)
from tests.reference.search import column_filters as reference
from tests.support.kernels.inputs import ascending, marks, seeds

USER, ASSISTANT, TITLE = 0, 1, reference.TITLE_ROLE


COLUMNS = ("message_session", "message_role", "message_time", "part_message", "part_type", "part_tool")


def arguments(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of mark_eligible(), with the columns in one object."""
    others = {name: value for name, value in given.items() if name not in COLUMNS}
    return {"columns": SimpleNamespace(**{name: given[name] for name in COLUMNS}), **others}


def mark_rows(**given: Any) -> tuple[array[int], array[int]]:
    return mark_eligible(**arguments(given))


def reference_rows(**given: Any) -> tuple[array[int], array[int]]:
    return reference.mark_eligible(**arguments(given))


def small() -> dict[str, Any]:
    """Two sessions: a title and two messages each; the first message of each has two parts."""
    return {
        "session_reasons": b"\0\0",
        "message_session": array("I", [0, 0, 0, 1, 1, 1]),
        "message_role": bytes([TITLE, USER, ASSISTANT, TITLE, USER, ASSISTANT]),
        "role_keep": b"\1\1\1\1\0",
        "message_time": array("q", [30, 10, 30, 60, 40, 60]),
        "after": -(2**62),
        "before": 2**62,
        "part_message": array("I", [0, 1, 1, 2, 3, 4, 4, 5]),
        "part_type": array("I", [9, 0, 1, 0, 9, 0, 1, 0]),
        "type_keep": b"\1\1" + bytes(8),
        "part_tool": array("I", [0, 0, 1, 0, 0, 0, 2, 0]),
        "tool_keep": b"\1\1\1",
        "titles": True,
        "messages": bytearray(b"\7" * 6),
        "parts": bytearray(b"\7" * 8),
    }


@pytest.mark.parametrize(
    ("changed", "messages", "parts", "counts"),
    [
        pytest.param({}, "111111", "11111111", ({0: 4}, {0: 6}), id="everything, titles not counted"),
        pytest.param({"titles": False}, "011011", "01110111", ({0: 4}, {0: 6}), id="no titles"),
        pytest.param({"session_reasons": b"\7\0"}, "000111", "00001111", ({0: 2, 7: 2}, {0: 3, 7: 3}), id="session"),
        pytest.param({"role_keep": b"\1\0\1\1\1"}, "110110", "11101110", ({0: 2, 1: 2}, {0: 4, 1: 2}), id="role"),
        pytest.param(
            {"after": 10, "before": 40},
            "101000",
            "10010000",
            ({0: 1, 2: 3}, {0: 1, 2: 5}),
            id="bounds of time are exclusive",
        ),
        pytest.param({"after": 60}, "000000", "00000000", ({2: 4}, {2: 6}), id="a title alone does not pass"),
        pytest.param({"type_keep": b"\0\1" + bytes(8)}, "111111", "10101010", ({0: 4}, {0: 2, 3: 4}), id="type"),
        pytest.param({"tool_keep": b"\0\0\1"}, "111111", "10001010", ({0: 4}, {0: 1, 4: 5}), id="tool"),
        pytest.param(
            {"tool_keep": b"\0\0\1", "type_keep": b"\0\1" + bytes(8), "after": 30},
            "000111",
            "00001010",
            ({0: 2, 2: 2}, {0: 1, 2: 3, 3: 2}),
            id="the first reason",
        ),
        pytest.param({"session_reasons": b"\5\17"}, "000000", "00000000", ({5: 2, 15: 2}, {5: 3, 15: 3}), id="nothing"),
    ],
)
def test_rows(
    changed: dict[str, Any], messages: str, parts: str, counts: tuple[dict[int, int], dict[int, int]]
) -> None:
    given = {**small(), **changed}
    found = mark_rows(**given)
    assert tuple({reason: count for reason, count in enumerate(each) if count} for each in found) == counts
    assert "".join(map(str, given["messages"])) == messages
    assert "".join(map(str, given["parts"])) == parts


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        pytest.param({"message_role": bytes(5)}, "message columns", id="roles"),
        pytest.param({"message_time": array("q", [1])}, "message columns", id="times"),
        pytest.param({"messages": bytearray(7)}, "message columns", id="messages"),
        pytest.param({"part_type": array("I", [0])}, "part columns", id="types"),
        pytest.param({"part_tool": array("I")}, "part columns", id="tools"),
        pytest.param({"parts": bytearray(9)}, "part columns", id="parts"),
        pytest.param({"session_reasons": b"\1"}, "outside", id="a session that is not there"),
        pytest.param({"session_reasons": b"\0\20"}, "outside", id="a reason that is not there"),
        pytest.param({"role_keep": b"\1\1\1\1"}, "outside", id="a role that is not there"),
        pytest.param({"type_keep": b"\1"}, "outside", id="a type that is not there"),
        pytest.param({"tool_keep": b""}, "outside", id="a tool that is not there"),
        pytest.param({"part_message": array("I", [2**32 - 1] * 8)}, "outside", id="a message that is not there"),
        pytest.param({"message_session": array("I", [2**32 - 1] * 6)}, "outside", id="a session of 32 bits"),
    ],
)
def test_columns_that_do_not_fit_are_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mark_rows(**{**small(), **changed})


@pytest.mark.parametrize("name", [name for name, value in small().items() if not isinstance(value, int)])
def test_no_column_may_be_missing_or_of_another_type(name: str) -> None:
    for wrong, error in ((None, TypeError), (array("d", [1.0] * 8), ValueError)):
        with pytest.raises(error):
            mark_rows(**{**small(), name: wrong})


def test_results_are_not_written_into_what_cannot_change() -> None:
    with pytest.raises((TypeError, BufferError, ValueError)):
        mark_rows(**{**small(), "parts": bytes(8)})


def some(chance: Random) -> dict[str, Any]:
    """Columns of a few sessions, each with its title before its messages."""
    sessions = chance.randint(1, 5)
    message_session, message_role = array("I"), bytearray()
    for session in range(sessions):
        count = chance.randint(0, 4)
        message_session.extend([session] * (count + 1))
        message_role += bytes([TITLE, *(chance.randrange(4) for _ in range(count))])
    parts = chance.randint(0, 14)
    return {
        "session_reasons": bytes(chance.choice([0, 0, 0, 5, 11, 15]) for _ in range(sessions)),
        "message_session": message_session,
        "message_role": message_role,
        "role_keep": marks(chance, 5, 0.8),
        "message_time": array("q", [chance.randrange(-2, 9) for _ in message_role]),
        "after": chance.randrange(-9, 3),
        "before": chance.randrange(4, 12),
        "part_message": ascending(chance, parts, len(message_role)),
        "part_type": array("I", [chance.randrange(4) for _ in range(parts)]),
        "type_keep": marks(chance, 4, 0.7),
        "part_tool": array("I", [chance.randrange(3) for _ in range(parts)]),
        "tool_keep": marks(chance, 3, 0.7),
        "titles": chance.random() < 0.5,
        "messages": marks(chance, len(message_role)),
        "parts": marks(chance, parts),
    }


@given(seeds)
def test_marks_are_those_of_plain_loops(chance: Random) -> None:
    given = some(chance)
    again = {**given, "messages": bytearray(given["messages"]), "parts": bytearray(given["parts"])}
    assert mark_rows(**given) == reference_rows(**again)
    assert given["messages"] == again["messages"]
    assert given["parts"] == again["parts"]


@given(seeds)
def test_marks_are_copied_by_a_plain_loop(chance: Random) -> None:
    parts = marks(chance, chance.randint(1, 12))
    reach = len(parts) + (chance.random() < 0.2)
    doc_part = array("I", [chance.randrange(reach) for _ in range(chance.randint(0, 20))])
    docs, slow = bytearray(b"\7" * len(doc_part)), bytearray(len(doc_part))
    if len(parts) in doc_part:
        with pytest.raises(ValueError, match="an owner that does not exist"):
            copy_marks(parts, doc_part, docs)
        return
    copy_marks(parts, doc_part, docs)
    reference.copy_marks(parts, doc_part, slow)
    assert docs == slow


@given(seeds)
def test_marks_are_counted_and_kept_one_by_one(chance: Random) -> None:
    size, wanted = chance.randint(0, 40), chance.random() < 0.5
    left, right = (bytearray(chance.choices([0, 1, 255], k=size)) for _ in range(2))
    assert count_marks(left) == reference.count_marks(left)
    assert count_marks(left, right) == reference.count_marks(left, right)
    assert marked_indices(left) == reference.marked_indices(left)
    assert marked_indices(bytes(99) + left) == [99 + at for at in reference.marked_indices(left)]
    slow = bytearray(left)
    keep_marks(left, right, wanted)
    reference.keep_marks(slow, right, wanted)
    assert left == slow


def test_marks_must_be_of_one_length() -> None:
    with pytest.raises(ValueError, match="length"):
        count_marks(b"\1\1", b"\1")
    with pytest.raises(ValueError, match="length"):
        keep_marks(bytearray(2), b"\1", wanted=True)
    with pytest.raises(ValueError, match="one byte"):
        copy_marks(b"\1", array("I", [0, 0]), bytearray(1))


@given(seeds)
def test_all_of_a_stretch_is_marked_or_it_is_not(chance: Random) -> None:
    width, found = chance.randint(1, 9), bytes(chance.random() < 0.9 for _ in range(chance.randint(0, 9)))
    some = [sorted(chance.choices(range(80), k=2)) for _ in range(chance.randint(0, 3))]
    starts, ends = array("Q", [start for start, _ in some]), array("Q", [end for _, end in some])
    assert are_marked(found, starts, ends, width) == reference.are_marked(found, starts, ends, width)


def test_stretches_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="length"):
        are_marked(b"\1", array("Q", [1]), array("Q"), 8)
    with pytest.raises(ValueError, match="some bytes"):
        are_marked(b"\1", array("Q"), array("Q"), 0)


@given(seeds)
def test_first_parts_of_a_role_lose_their_marks(chance: Random) -> None:
    messages = chance.randint(0, 9)
    roles = bytes(chance.randrange(3) for _ in range(messages))
    parts = messages + chance.randint(1, 4)
    first_part = array("I", sorted(chance.randrange(parts) for _ in range(messages + 1)))
    left, slow = bytearray(b"\1") * parts, bytearray(b"\1") * parts
    clear_first_parts(left, roles, 1, first_part)
    reference.clear_first_parts(slow, roles, 1, first_part)
    assert left == slow


def test_parts_that_are_not_there_have_no_marks() -> None:
    with pytest.raises(IndexError, match="behind the last part"):
        clear_first_parts(bytearray(1), b"\1", 1, array("I", [1, 1]))
    with pytest.raises(ValueError, match="one number more"):
        clear_first_parts(bytearray(1), b"\1", 1, array("I", [0]))
