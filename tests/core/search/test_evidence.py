"""The evidence of a query over a segment, accumulated block by block."""

from __future__ import annotations

import math
from array import array
from itertools import accumulate as accumulated
from itertools import pairwise
from random import Random
from time import monotonic_ns
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.search.compiled_query import CompiledQuery
from recall_rank._core.search.evidence import Evidence, idf
from recall_rank._core.search.segment_evidence import SegmentSource
from tests.reference.index.doc_columns import ANSWER, KINDS
from tests.support.kernels.inputs import columns, marks, postings, seeds
from tests.support.kernels.segments import (
    ALONE,
    BLOCK,
    CLASSES,
    LONGEST,
    NORMS,
    ONES,
    Group,
    Segment,
    accumulate,
    check,
    flat,
    groups,
    one_group,
    question,
    some_segment,
)


def some_groups(chance: Random, terms: int) -> dict[str, Any]:
    """Groups of ranges of terms; a joint one is the second half of the one before."""
    starts, firsts, lasts, worth, joint = [0], list[int](), list[int](), list[float](), bytearray()
    for _ in range(chance.randint(0, 5)):
        for _ in range(chance.randint(0, 3)):
            first = chance.randint(0, terms)
            firsts.append(first)
            lasts.append(chance.randint(first, terms))
            worth.append(chance.choice([1.0, 0.5, 0.12, 0.9, 0.0]))
        starts.append(len(firsts))
        joint.append(bool(joint) and not joint[-1] and chance.random() < 0.3)
    factors = [chance.choice([0.0, 0.3, 1.0, 2.5, 7.0]) for _ in joint]
    return groups(starts, firsts, lasts, worth, factors, joint) | {
        "class_weights": array("f", [chance.choice([1.0, 1.2, 0.5, 0.9]) for _ in range(CLASSES)])
    }


@given(seeds)
def test_evidence_is_that_of_every_document_by_itself(chance: Random) -> None:
    segment = some_segment(chance)
    eligible = marks(chance, len(segment.documents), 0.8) if chance.random() < 0.5 else None
    native, slow = segment.pair(eligible)
    query = some_groups(chance, len(slow.frequencies))
    assert accumulate(native, query)
    accumulate(slow, query)
    if chance.random() < 0.3:
        ranges = array("q", [1, 4]), array("q", [2, 6]), 0.5
        native.add_times(*ranges)
        slow.add_times(*ranges)
    around = array("f", [chance.choice([0.0, 0.1, 0.3]) for _ in range(12)])
    session = array("f", [chance.choice([0.0, 0.1, 0.4]) for _ in range(6)])
    only = marks(chance, len(segment.doc_columns["part_message"])) if chance.random() < 0.3 else None
    echo = chance.choice([0.0, 0.2]), chance.choice([0.0, 1.0]), chance.choice([0.0, 0.1])
    assert native.fuse(around, session, only, *echo) == slow.fuse(around, session, only, *echo)
    assert native.docs_done == len(segment.documents)
    check(native, slow)


@given(st.floats(0, 1e9), st.floats(0, 1))
def test_idf_is_bm25_s_and_never_negative(documents: float, share: float) -> None:
    frequency = documents * share
    expected = math.log1p((documents - frequency + 0.5) / (frequency + 0.5))
    assert idf(documents, frequency) == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert idf(documents, frequency) >= 0


def test_what_a_layout_remembers_is_of_these_norms_and_weights_only() -> None:
    others = memoryview(array("f", [2 * value for row in NORMS.tolist() for value in row])).cast("B")
    heavy = array("f", [2.0] * CLASSES)
    documents = [{b"a": 3}, {b"a": 1}, {}]
    pairs = Segment(flat(3), documents).pairs(4)
    asked = [(NORMS, ONES), (others.cast("f", (CLASSES, LONGEST)), ONES), (NORMS, heavy), (NORMS, ONES)]
    for (native, slow), (norms, class_weights) in zip(pairs, asked, strict=True):
        query = {**one_group(0, 1), "norms": norms, "class_weights": class_weights}
        assert accumulate(native, query)
        accumulate(slow, query)
        native.fuse(**ALONE)
        slow.fuse(**ALONE)
        check(native, slow)


EVEN = memoryview(array("f", [1.0]) * (CLASSES * LONGEST)).cast("B").cast("f", (CLASSES, LONGEST))
ANSWERS_TWICE = array("f", [2.0 if kind % KINDS == ANSWER else 1.0 for kind in range(CLASSES)])


@pytest.mark.parametrize(
    ("kinds", "asked", "answers"),
    [
        pytest.param([1, 2, 2, 4, 2, 4], [0, 0, 0, 0, 0, 0], [4], id="the last prose of a turn"),
        pytest.param([1, 2, 1, 2], [0, 0, 2, 2], [1, 3], id="each turn has one"),
        pytest.param([1, 2, 4, 1, 4], [0, 0, 0, 3, 3], [1], id="a turn without prose has none"),
        pytest.param([1, 18, 18], [0, 0, 0], [2], id="of a subagent"),
        pytest.param([2, 1, 1], [0, 1, 2], [0], id="prose that answers nobody"),
        pytest.param([1, 2, 7, 8], [0, 0, 0, 0], [1], id="neither summary nor what is put in"),
    ],
)
def test_the_last_prose_of_a_turn_weighs_as_an_answer(kinds: list[int], asked: list[int], answers: list[int]) -> None:
    columns_of = flat(len(kinds), doc_class=bytes(kinds), message_asked=array("I", asked))
    native, slow = Segment(columns_of, [{b"a": 1}] * len(kinds)).pair()
    for evidence in (native, slow):
        accumulate(evidence, {**one_group(0, 1), "class_weights": ANSWERS_TWICE, "norms": EVEN})
        evidence.fuse(**ALONE)
    assert sorted(doc for _, doc, score, *_ in check(native, slow) if score > 1.5) == answers


@pytest.mark.parametrize(("passages", "answers"), [(16, [1]), (17, [0])])
def test_a_log_is_no_answer(passages: int, answers: list[int]) -> None:
    """Two parts of prose in one turn; the last one has so many passages, of which the first holds the word."""
    docs = 1 + passages
    layout = flat(docs, doc_class=bytes([2] * docs), doc_part=array("I", [0] + [1] * passages)) | {
        "part_message": array("I", [0, 0]),
        "message_session": array("I", [0]),
        "message_time": array("q", [0]),
        "message_asked": array("I", [0]),
    }
    native, slow = Segment(layout, [{b"a": 1} if doc < 2 else {} for doc in range(docs)]).pair()
    for evidence in (native, slow):
        accumulate(evidence, {**one_group(0, 1), "class_weights": ANSWERS_TWICE, "norms": EVEN})
        evidence.fuse(**ALONE)
    assert sorted(part for part, _, score, *_ in check(native, slow) if score > 1.5) == answers


@pytest.mark.parametrize("doc", range(5))
def test_all_passages_of_an_answer_weigh_as_one(doc: int) -> None:
    """The last part of prose has three passages; the passage before them is another part of the same message."""
    message = {"part_message": array("I", [0, 1, 1]), "message_session": array("I", [0, 0])}
    answer = {"message_time": array("q", [0, 0]), "message_asked": array("I", [0, 0])}
    layout = flat(5, doc_class=b"\1\2\2\2\2", doc_part=array("I", [0, 1, 2, 2, 2])) | message | answer
    native, slow = Segment(layout, [{b"a": 1} if doc == number else {} for number in range(5)]).pair()
    for evidence in (native, slow):
        accumulate(evidence, {**one_group(0, 1), "class_weights": ANSWERS_TWICE, "norms": EVEN})
        evidence.fuse(**ALONE)
    ((_, _, score, _, _),) = check(native, slow)
    assert (score > 1.5) == (doc >= 2)


def test_two_halves_count_as_the_rarer() -> None:
    documents = [{b"a": 3, b"b": 1}, {b"a": 9}, {b"b": 9}]
    native, slow = Segment(flat(3), documents).pair()
    query = {
        **one_group(0, 1),
        "starts": array("I", [0, 1, 2]),
        "firsts": array("I", [0, 1]),
        "lasts": array("I", [1, 2]),
        "weights": array("f", [1.0, 1.0]),
        "factors": array("f", [0.0, 1.0]),
        "joint": b"\0\1",
    }
    for evidence in (native, slow):
        accumulate(evidence, query)
        evidence.fuse(**ALONE)
    assert [part for part, *_ in check(native, slow)] == [0]


def three_blocks() -> tuple[Evidence, list[int]]:
    """140,000 documents, of which those at the borders of blocks hold the word."""
    docs = 140_000
    holding = [0, BLOCK - 1, BLOCK, 2 * BLOCK - 1, 2 * BLOCK, docs - 1]
    documents: list[dict[bytes, int]] = [{} for _ in range(docs)]
    for doc in holding:
        documents[doc] = {b"a": 1}
    return Evidence([SegmentSource(DocColumns(**flat(docs)), postings(columns(documents))[0])]), holding


def test_documents_at_the_borders_of_blocks() -> None:
    native, holding = three_blocks()
    assert accumulate(native, one_group(0, 1))
    assert native.docs_done == 140_000
    assert native.fuse(**ALONE) == len(holding)
    assert sorted(part for part, *_ in native.top(9)) == holding
    assert len({score for _, _, score, *_ in native.top(9)}) == 1


def test_after_the_deadline_nothing_is_done() -> None:
    native, _ = three_blocks()
    assert not accumulate(native, one_group(0, 1), 1)
    assert (native.docs_done, native.fuse(**ALONE), len(native.top(9))) == (0, 0, 0)


@pytest.fixture(scope="module")
def two_blocks() -> tuple[DocColumns, Any]:
    docs = BLOCK + 2000
    documents: list[dict[bytes, int]] = [{b"a": 1} if doc % BLOCK < 2000 else {} for doc in range(docs)]
    return DocColumns(**flat(docs)), postings(columns(documents))[0]


@pytest.mark.parametrize("micros", [1, 300, 1000, 3000, 10_000])
def test_a_block_is_done_or_left_out(micros: int, two_blocks: tuple[DocColumns, Any]) -> None:
    # 300 groups over 2,000 documents in each of two blocks: the deadline comes somewhere inside
    doc_columns, native = two_blocks
    docs = doc_columns.docs
    query = {
        **one_group(0, 1),
        "starts": array("I", range(301)),
        "firsts": array("I", bytes(4 * 300)),
        "lasts": array("I", [1]) * 300,
        "weights": array("f", [1 + k / 1000 for k in range(300)]),  # no two are one
        "factors": array("f", [1.0]) * 300,
        "joint": bytes(300),
    }
    source = SegmentSource(doc_columns, native)
    full, late = Evidence([source]), Evidence([source])
    assert accumulate(full, query)
    done = accumulate(late, query, monotonic_ns() + 1000 * micros)
    assert late.docs_done in (0, BLOCK, docs)
    assert done == (late.docs_done == docs)
    full.fuse(**ALONE)
    late.fuse(**ALONE)
    expected = {part: (doc, score) for part, doc, score, *_ in full.top(docs) if doc < late.docs_done}
    assert {part: (doc, score) for part, doc, score, *_ in late.top(docs)} == expected
    again = Evidence([source])  # what was left in the middle of a block leaves nothing to the next
    assert accumulate(again, query)
    again.fuse(**ALONE)
    assert list(again.top(docs)) == list(full.top(docs))


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"joint": b"\1"}, id="nothing to be joint with"),
        pytest.param({"weights": array("f", [-1.0])}, id="negative weight"),
        pytest.param({"weights": array("f", [math.nan])}, id="no weight"),
        pytest.param({"firsts": array("I", [1])}, id="terms out of order"),
        pytest.param({"lasts": array("I", [2])}, id="terms that are not there"),
        pytest.param({"norms": NORMS[:63]}, id="a class without norms"),
        pytest.param({"norms": memoryview(bytes(4 * 64)).cast("f", (64, 1))}, id="a length without norms"),
        pytest.param({"class_weights": array("f", [1.0])}, id="a class without weight"),
    ],
)
def test_groups_that_do_not_fit_are_refused(changed: dict[str, Any]) -> None:
    native, _ = Segment(flat(2), [{b"a": 1}] * 2).pair()
    with pytest.raises(ValueError, match=r"group|norms|term|weight"):
        accumulate(native, {**one_group(0, 0 if "firsts" in changed else 1), **changed})


@pytest.mark.parametrize("joint", [b"\1\0\0", b"\0\1\1"])
def test_a_half_of_a_word_needs_another(joint: bytes) -> None:
    three = groups([0, 0, 0, 0], [], [], [], [1.0] * 3, joint)
    with pytest.raises(ValueError, match="joint"):
        question(three)


@given(seeds)
def test_groups_of_equal_members_are_one(chance: Random) -> None:
    segment = some_segment(chance)
    native, slow = segment.pair()
    few = some_groups(chance, len(slow.frequencies))
    spans = list(pairwise(few["starts"]))
    picked = [chance.randrange(len(spans)) for _ in range(chance.randint(0, 6))] if spans else []
    members = [k for group in picked for k in range(*spans[group])]
    sizes = accumulated(spans[group][1] - spans[group][0] for group in picked)
    again = groups(
        [0, *sizes],
        *([few[name][k] for k in members] for name in ("firsts", "lasts", "weights")),
        factors=[chance.choice([0.5, 2.0]) for _ in picked],
        joint=bytes(at == 2 and chance.random() < 0.3 for at in range(len(picked))),
    )
    asked = question(again)
    assert native.accumulate(asked)
    accumulate(slow, again)
    native.fuse(**ALONE)
    slow.fuse(**ALONE)
    check(native, slow)


def test_what_is_asked_for_again_is_looked_up_once() -> None:
    words = groups([0, 1, 2, 3, 4, 5], [0, 1, 0, 0, 0], [1, 2, 1, 1, 1], [1.0] * 5, [1.0] * 5, b"\0\0\0\0\1")
    assert len(question(words)) == 4  # the last two are halves of a word


def test_a_weight_of_nothing_gives_no_evidence_however_often() -> None:
    # more postings than a block has documents: each would be touched for the first time again
    terms = [f"{k:02}".encode() for k in range(40)]
    native, _ = Segment(flat(2000), [dict.fromkeys(terms, 1)] * 2000).pair()
    assert accumulate(native, one_group(0, 40, 0.0))
    assert native.fuse(**ALONE) == 0


def test_an_empty_segment_and_an_empty_query() -> None:
    native, _ = Segment(flat(0, session_talk=b""), []).pair(bytearray())
    empty = {"starts": array("I", [0]), "firsts": array("I"), "lasts": array("I"), "weights": array("f")}
    assert accumulate(native, {**one_group(0, 0), **empty, "factors": array("f"), "joint": b""})
    assert (native.fuse(**ALONE), len(native.top(3)), len(native.sessions())) == (0, 0, 0)


def test_other_sizes_are_refused() -> None:
    doc_columns, (native, _) = DocColumns(**flat(2)), postings(columns([{b"a": 1}] * 2))
    with pytest.raises(ValueError, match="without postings"):
        SegmentSource(doc_columns, postings(columns([]))[0])
    with pytest.raises(ValueError, match="one byte a part"):
        SegmentSource(doc_columns, native, live_parts=b"\1")
    with pytest.raises(ValueError, match="differ in length"):
        SegmentSource(doc_columns, native, session_runs=(array("I", [0]), array("I")))
    source = SegmentSource(doc_columns, native)
    with pytest.raises(ValueError, match="one byte a document"):
        Evidence([source], bytearray(1))
    evidence = Evidence([source])
    with pytest.raises(ValueError, match="length"):
        evidence.add_times(array("q", [1]), array("q"), 1.0)
    with pytest.raises(ValueError, match="12 weights and session 6"):
        evidence.fuse(array("f", [0.0]), ALONE["session"])
    with pytest.raises(ValueError, match="12 weights and session 6"):
        evidence.fuse(ALONE["neighbours"], array("f"))
    with pytest.raises(ValueError, match="one byte a part"):
        evidence.fuse(**ALONE, only=b"\1")
    accumulate(evidence, one_group(0, 1))
    assert evidence.fuse(**ALONE) == 2
    with pytest.raises(ValueError, match="once"):
        evidence.fuse(**ALONE)
    with pytest.raises(ValueError, match="negative"):
        evidence.top(-1)
    with pytest.raises(ValueError, match="one byte a part"):
        evidence.mark_hits(bytearray(3))
    with pytest.raises(ValueError, match="one float a part"):
        evidence.write_scores(array("f", [0.0]))


@pytest.mark.parametrize("wrong", [None, "text", 7, array("d", [1.0, 1.0])])
def test_columns_must_hold_their_type(wrong: Any) -> None:
    native, _ = Segment(flat(1), [{b"a": 1}]).pair()
    for name in ("norms", "class_weights"):
        with pytest.raises((TypeError, ValueError)):
            accumulate(native, {**one_group(0, 1), name: wrong})
    for group in (Group(wrong, 1.0, joint=False), Group([wrong], 1.0, joint=False), wrong):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            CompiledQuery([group], 1.2, NORMS, ONES)
