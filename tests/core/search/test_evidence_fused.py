"""What neighbours, session, title and question add to the evidence of a part."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.search.evidence import Evidence
from recall_rank._core.search.segment_evidence import SegmentSource
from tests.support.kernels.inputs import columns, postings
from tests.support.kernels.segments import ALONE, CLASSES, LONGEST, accumulate, close, flat, one_group


def talk_of_three(kinds: bytes, talk: int = 0, **changed: Any) -> Evidence:
    """Three messages of one session, of which the second holds the word four times as often as the others."""
    doc_columns = flat(
        3, **{"doc_class": kinds, "session_talk": bytes([talk]), "message_asked": array("I", [0, 0, 0]), **changed}
    )
    documents = [{b"a": 1}, {b"a": 4}, {b"a": 1}]
    evidence = Evidence([SegmentSource(DocColumns(**doc_columns), postings(columns(documents))[0])])
    norms = memoryview(array("f", [1.0]) * (CLASSES * LONGEST)).cast("B").cast("f", (CLASSES, LONGEST))
    accumulate(evidence, {**one_group(0, 1), "k1": 0.0, "norms": norms})
    return evidence


@pytest.mark.parametrize(
    ("kinds", "talk", "fused", "scores"),
    [
        pytest.param(b"\1\1\1", 0, {}, [0.5, 0.8, 0.5], id="alone"),
        pytest.param(b"\1\1\1", 0, {"neighbours": {0: 0.5}}, [0.5, 1.05, 0.9], id="one before"),
        pytest.param(b"\1\1\1", 0, {"neighbours": {1: 0.5}}, [0.9, 1.05, 0.5], id="one behind"),
        pytest.param(b"\1\1\1", 0, {"neighbours": {2: 0.5}}, [0.5, 0.8, 0.75], id="two before"),
        pytest.param(b"\1\1\1", 0, {"neighbours": {3: 0.5}}, [0.75, 0.8, 0.5], id="two behind"),
        pytest.param(b"\1\1\1", 1, {"neighbours": {0: 0.5}}, [0.5, 0.8, 0.5], id="weights of a log are not of a talk"),
        pytest.param(b"\1\1\1", 1, {"neighbours": {4: 0.5}}, [0.5, 1.05, 0.9], id="one before in a talk"),
        pytest.param(b"\1\1\1", 2, {"neighbours": {0: 0.5, 4: 0.5}}, [0.5, 0.8, 0.5], id="nor of a chat"),
        pytest.param(b"\1\1\1", 2, {"neighbours": {9: 0.5}}, [0.9, 1.05, 0.5], id="one behind in a chat"),
        pytest.param(b"\1\1\1", 2, {"session": {1: 1.0}}, [0.5, 0.8, 0.5], id="its session is not of a talk"),
        pytest.param(b"\1\1\1", 0, {"session": {0: 1.0}}, [0.5 + 0.9134, 0.8 + 0.9134, 0.5 + 0.9134], id="session"),
        pytest.param(b"\1\1\1", 0, {"session": {1: 1.0}}, [0.5, 0.8, 0.5], id="session of a talk"),
        pytest.param(b"\0\1\1", 0, {"session": {2: 0.5}}, [0.5, 1.05, 0.75], id="title"),
        pytest.param(b"\1\1\1", 0, {"session": {4: 0.5}}, [0.9, 1.2, 0.9], id="the best message"),
        pytest.param(b"\1\1\1", 2, {"session": {4: 0.5}}, [0.9, 1.2, 0.9], id="that of a chat"),
        pytest.param(b"\1\1\1", 1, {"session": {4: 0.5}}, [0.5, 0.8, 0.5], id="that of an agent is not of a talk"),
        pytest.param(b"\1\1\1", 1, {"session": {5: 0.5}}, [0.9, 1.2, 0.9], id="that of a talk"),
        pytest.param(b"\0\1\1", 0, {"session": {4: 1.0}}, [1.3, 1.6, 1.3], id="best message of all but the title"),
        pytest.param(b"\1\0\1", 0, {"session": {4: 1.0}}, [1.0, 1.3, 1.0], id="a title is no best message"),
        pytest.param(b"\0\1\1", 0, {"neighbours": {0: 0.5}}, [0.5, 0.8, 0.9], id="a title is nobody's neighbour"),
        pytest.param(b"\1\2\1", 0, {"echo": 0.5}, [0.5, 1.05, 0.5], id="an answer to what was asked before"),
        pytest.param(b"\1\2\2", 2, {"echo": 0.5, "echo_floor": 0.3}, [0.5, 0.9, 0.6], id="above the floor"),
        pytest.param(b"\1\2\2", 2, {"echo": 0.5, "echo_floor": 0.6}, [0.5, 0.8, 0.5], id="not below it"),
        pytest.param(b"\1\2\2", 0, {"echo": 0.5, "echo_floor": 0.6}, [0.5, 1.05, 0.75], id="no floor at work"),
        pytest.param(b"\1\4\3", 0, {"echo_work": 0.5}, [0.5, 1.05, 0.75], id="what was done for it"),
        pytest.param(b"\1\4\2", 0, {"echo": 0.25, "echo_work": 0.5}, [0.5, 1.05, 0.625], id="prose has its own share"),
        pytest.param(b"\1\4\3", 2, {"echo_work": 0.5, "echo_floor": 0.3}, [0.5, 0.9, 0.6], id="its floor is the same"),
        pytest.param(b"\1\0\3", 0, {"echo_work": 0.5}, [0.5, 0.8, 0.75], id="a title answers nothing"),
    ],
)
def test_what_is_added(kinds: bytes, talk: int, fused: dict[str, Any], scores: list[float]) -> None:
    native = talk_of_three(kinds, talk)
    around = array("f", [fused.get("neighbours", {}).get(k, 0.0) for k in range(12)])
    session = array("f", [fused.get("session", {}).get(k, 0.0) for k in range(6)])
    native.fuse(around, session, None, *(fused.get(name, 0.0) for name in ("echo", "echo_floor", "echo_work")))
    found = {part: score for part, _, score, *_ in native.top(9)}
    assert [found[part] for part in range(3)] == [close(score) for score in scores]


def test_neighbours_are_of_one_session() -> None:
    native = talk_of_three(
        b"\1\1\1", message_session=array("I", [0, 0, 1]), session_talk=b"\0\0", message_asked=array("I", [0, 0, 2])
    )
    native.fuse(array("f", [0.5] * 12), ALONE["session"])
    assert [(part, close(score)) for part, _, score, *_ in native.top(9)] == [(1, 1.05), (0, 0.9), (2, 0.5)]


def test_only_keeps_parts_but_not_what_they_say_of_others() -> None:
    native = talk_of_three(b"\1\1\1")
    native.fuse(array("f", [0.5] + [0.0] * 11), ALONE["session"], b"\1\0\1")
    assert [(part, close(score)) for part, _, score, *_ in native.top(9)] == [(2, 0.9), (0, 0.5)]
    assert native.hit_count == 2
