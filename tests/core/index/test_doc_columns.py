"""The columns that say what a document is."""

from __future__ import annotations

from array import array
from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.index.doc_columns import DocColumns
from tests.reference.index import doc_columns as reference
from tests.support.kernels.inputs import marks, seeds
from tests.support.kernels.segments import flat, some_segment

COLUMNS = (
    *("doc_part", "doc_words", "doc_class", "part_message"),
    *("message_session", "message_time", "session_talk", "message_asked"),
)


@given(seeds)
def test_counts_of_a_layout_are_plain_loops(chance: Random) -> None:
    segment = some_segment(chance)
    native, slow = DocColumns(**segment.doc_columns), reference.DocColumns(**segment.doc_columns)
    eligible = marks(chance, len(segment.documents))
    assert native.averages() == slow.averages()
    assert native.averages(eligible) == slow.averages(eligible)
    low = array("q", [chance.randrange(7) for _ in range(chance.randint(0, 3))])
    high = array("q", [start + chance.randrange(3) for start in low])
    assert native.docs_in(low, high) == slow.docs_in(low, high)
    assert native.docs_in(low, high, eligible) == slow.docs_in(low, high, eligible)
    assert native.time_span() == slow.time_span()
    parts = list(range(native.parts))
    chance.shuffle(parts)
    assert native.sessions_of(parts) == [slow.session_of(part) for part in parts]
    assert native.times_of(parts) == [slow.time_of(part) for part in parts]
    sizes = (native.docs, native.parts, native.messages, native.sessions)
    names = ("doc_part", "part_message", "message_session", "session_talk")
    assert sizes == tuple(len(segment.doc_columns[name]) for name in names)


@pytest.mark.parametrize("part", [-1, 3])
def test_a_part_that_is_not_there_has_no_session(part: int) -> None:
    doc_columns = DocColumns(**flat(3))
    for call in (doc_columns.sessions_of, doc_columns.times_of):
        with pytest.raises(IndexError):
            call([part])


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"doc_words": array("H", [1])}, id="fewer words"),
        pytest.param({"doc_class": b"\1\1\1\1"}, id="more classes"),
        pytest.param({"doc_class": b"\1\1\x40"}, id="a class above 63"),
        pytest.param({"doc_part": array("I", [0, 1, 3])}, id="a part that is not there"),
        pytest.param({"doc_part": array("I", [1, 0, 2])}, id="parts out of order"),
        pytest.param({"part_message": array("I", [0, 1, 3])}, id="a message that is not there"),
        pytest.param({"part_message": array("I", [0, 2, 1])}, id="messages out of order"),
        pytest.param({"message_session": array("I", [0, 0, 1])}, id="a session that is not there"),
        pytest.param(
            {"message_session": array("I", [0, 1, 0]), "session_talk": b"\0\0"}, id="messages of a session apart"
        ),
        pytest.param({"message_time": array("q", [1])}, id="fewer times"),
        pytest.param({"session_talk": b"\3"}, id="a talk above 2"),
        pytest.param({"message_asked": array("I", [0])}, id="fewer questions"),
        pytest.param({"message_asked": array("I", [0, 2, 2])}, id="a question behind its answer"),
        pytest.param(
            {
                "message_session": array("I", [0, 1, 1]),
                "session_talk": b"\0\0",
                "message_asked": array("I", [0, 1, 0]),
            },
            id="a question in another session",
        ),
    ],
)
def test_columns_that_do_not_fit_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"differ in length|outside"):
        DocColumns(**flat(3, **changed))


def test_other_sizes_are_refused() -> None:
    doc_columns = DocColumns(**flat(2))
    with pytest.raises(ValueError, match="one byte a document"):
        doc_columns.averages(b"\1")
    with pytest.raises(ValueError, match="length"):
        doc_columns.docs_in(array("q", [1]), array("q"))
    with pytest.raises(ValueError, match="one byte a document"):
        doc_columns.docs_in(array("q", [1]), array("q", [2]), b"\1")


@pytest.mark.parametrize("wrong", [None, "text", 7, array("d", [1.0, 1.0])])
def test_columns_must_hold_their_type(wrong: Any) -> None:
    for name in COLUMNS[:-1] if wrong is None else COLUMNS:
        with pytest.raises((TypeError, ValueError)):
            DocColumns(**flat(2, **{name: wrong}))
