"""The evidence of a query over a segment: accumulated, fused with what stands around it, and the best of it."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from random import Random
from time import monotonic_ns
from typing import Any

import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from kernels.inputs import ascending, columns, marks, postings, seeds

from recall_rank._core.evidence import Evidence, Layout, idf

CLASSES, LONGEST, BLOCK = 64, 1024, 65536
TITLE, ASSISTANT = reference.TITLE, reference.ASSISTANT
TERMS = [b"a", b"b", b"c", b"d", b"e", b"f"]

_chance = Random(1)
NORMS = (
    memoryview(array("f", [_chance.uniform(0.2, 4) for _ in range(CLASSES * LONGEST)]))
    .cast("B")
    .cast("f", (CLASSES, LONGEST))
)
ONES = array("f", [1.0] * CLASSES)
ALONE = {"neighbours": array("f", [0.0] * 8), "session": array("f", [0.0] * 4)}


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-4, abs=1e-6)


@dataclass(slots=True)
class Segment:
    """Columns as Layout takes them, and what each document holds."""

    layout: dict[str, Any]
    documents: list[dict[bytes, int]]

    def pair(self, eligible: bytearray | None = None) -> tuple[Evidence, reference.Evidence]:
        native, slow = postings(columns(self.documents))
        return (
            Evidence(Layout(**self.layout), native, eligible),
            reference.Evidence(reference.Layout(**self.layout), slow, eligible),
        )


def some_segment(chance: Random) -> Segment:
    """A few sessions: a title of one part, then messages of some parts of some documents."""
    sessions = chance.randint(1, 4)
    message_session, part_message, kinds = array("I"), array("I"), bytearray()
    for session in range(sessions):
        for message in range(1 + chance.randint(0, 5)):
            for _ in range(chance.randint(0, 3) if message else 1):
                part_message.append(len(message_session))
                kinds.append(chance.choice([1, ASSISTANT, 3, 63]) if message else TITLE)
            message_session.append(session)
    messages, parts = len(message_session), len(part_message)
    docs = chance.randint(0, 18)
    doc_part = ascending(chance, docs, parts)
    documents = [
        {term: chance.choice([1, 1, 2, 5, 255]) for term in chance.sample(TERMS, chance.randint(0, 3))}
        for _ in range(docs)
    ]
    return Segment(
        {
            "doc_part": doc_part,
            "doc_words": array("H", [chance.choice([0, 1, 9, 200, 1023, 1024, 65535]) for _ in range(docs)]),
            "doc_class": bytes(kinds[part] for part in doc_part),
            "part_message": part_message,
            "message_session": message_session,
            "message_time": array("q", [chance.randrange(6) for _ in range(messages)]),
            "session_talk": bytes(chance.choice([0, 0, 1]) for _ in range(sessions)),
            "message_asked": array("I", [chance.randint(0, message) for message in range(messages)]),
        },
        documents,
    )


def some_groups(chance: Random, terms: int) -> dict[str, Any]:
    """Groups of ranges of terms; a joint one is the second half of the one before."""
    starts, firsts, lasts, worth, joint = array("I", [0]), array("I"), array("I"), array("f"), bytearray()
    for _ in range(chance.randint(0, 5)):
        for _ in range(chance.randint(0, 3)):
            first = chance.randint(0, terms)
            firsts.append(first)
            lasts.append(chance.randint(first, terms))
            worth.append(chance.choice([1.0, 0.5, 0.12, 0.9, 0.0]))
        starts.append(len(firsts))
        joint.append(bool(joint) and not joint[-1] and chance.random() < 0.3)
    factors = array("f", [chance.choice([0.0, 0.3, 1.0, 2.5, 7.0]) for _ in joint])
    return {
        "starts": starts,
        "firsts": firsts,
        "lasts": lasts,
        "weights": worth,
        "factors": factors,
        "joint": joint,
        "k1": 1.2,
        "norms": NORMS,
        "class_weights": array("f", [chance.choice([1.0, 1.2, 0.5, 0.9]) for _ in range(CLASSES)]),
    }


def one_group(first: int, last: int, weight: float = 1.0) -> dict[str, Any]:
    return {
        "starts": array("I", [0, 1]),
        "firsts": array("I", [first]),
        "lasts": array("I", [last]),
        "weights": array("f", [weight]),
        "factors": array("f", [1.0]),
        "joint": b"\0",
        "k1": 1.2,
        "norms": NORMS,
        "class_weights": ONES,
    }


def flat(docs: int, **changed: Any) -> dict[str, Any]:
    """A layout where every document is a part and a message of its own, all in one session."""
    return {
        "doc_part": array("I", range(docs)),
        "doc_words": array("H", [7]) * docs,
        "doc_class": b"\1" * docs,
        "part_message": array("I", range(docs)),
        "message_session": array("I", bytes(4 * docs)),
        "message_time": array("q", bytes(8 * docs)),
        "session_talk": b"\0",
        **changed,
    }


def check(native: Evidence, slow: reference.Evidence) -> list[tuple[int, int, float, float]]:
    """All hits of the native side, which must be those of the slow one, ordered as promised."""
    hits = native.top(native.hit_count)
    assert {part for part, *_ in hits} == set(slow.fused)
    for part, doc, score, base in hits:
        assert (score, base) == (close(slow.fused[part]), close(slow.base[part]))
        assert slow.layout.doc_part[doc] == part
        assert slow.scores[doc] == close(slow.base[part])
    times = [slow.layout.message_time[slow.layout.part_message[part]] for part, *_ in hits]
    order = [(-score, -time, part) for (part, _, score, _), time in zip(hits, times, strict=True)]
    assert order == sorted(order)
    return hits


@given(seeds)
def test_evidence_is_that_of_every_document_by_itself(chance: Random) -> None:
    segment = some_segment(chance)
    eligible = marks(chance, len(segment.documents), 0.8) if chance.random() < 0.5 else None
    native, slow = segment.pair(eligible)
    query = some_groups(chance, len(slow.frequencies))
    assert native.accumulate(**query)
    slow.accumulate(**query)
    if chance.random() < 0.3:
        ranges = array("q", [1, 4]), array("q", [2, 6]), 0.5
        native.add_times(*ranges)
        slow.add_times(*ranges)
    around = array("f", [chance.choice([0.0, 0.1, 0.3]) for _ in range(8)])
    session = array("f", [chance.choice([0.0, 0.1, 0.4]) for _ in range(4)])
    only = marks(chance, len(segment.layout["part_message"])) if chance.random() < 0.3 else None
    echo = chance.choice([0.0, 0.2]), chance.choice([0.0, 1.0])
    assert native.fuse(around, session, only, *echo) == slow.fuse(around, session, only, *echo)
    assert (native.docs_done, native.blocks_done) == (len(segment.documents), 1 if segment.documents else 0)
    for place in range(len(segment.layout["session_talk"])):
        assert native.session_evidence(place) == close(slow.session_evidence(place))
    check(native, slow)


@given(seeds)
def test_the_best_are_the_first_of_all(chance: Random) -> None:
    docs = chance.randint(1, 40)
    layout = flat(docs, message_time=array("q", [chance.randrange(3) for _ in range(docs)]))
    # frequencies repeat, so that scores tie
    native, slow = Segment(layout, [{b"a": chance.randint(1, 4)} for _ in range(docs)]).pair()
    for evidence in (native, slow):
        evidence.accumulate(**one_group(0, 1))
        evidence.fuse(**ALONE)
    counts = [chance.randint(0, docs + 2) for _ in range(3)]
    found = [native.top(count) for count in counts]
    hits = check(native, slow)
    assert found == [hits[:count] for count in counts]


@given(seeds)
def test_sessions_marks_and_scores_are_those_of_the_hits(chance: Random) -> None:
    segment = some_segment(chance)
    native, slow = segment.pair()
    for evidence in (native, slow):
        evidence.accumulate(**one_group(0, len(slow.frequencies)))
        evidence.fuse(**ALONE)
    if chance.random() < 0.5:
        native.top(3)  # reorders the hits
    sessions = native.sessions()
    hits = check(native, slow)
    # the grouping alone, on the very scores that the native side gave
    slow.fused = {part: score for part, _, score, _ in hits}
    slow.best = {part: doc for part, doc, _, _ in hits}
    assert sessions == slow.sessions()
    parts = len(segment.layout["part_message"])
    marked, scores = bytearray(parts), array("f", [-1.0] * parts)
    native.mark_hits(marked)
    native.write_scores(scores)
    assert [part for part in range(parts) if marked[part]] == sorted(slow.fused)
    assert list(scores) == [slow.fused.get(part, -1.0) for part in range(parts)]


@given(seeds)
def test_counts_of_a_layout_are_plain_loops(chance: Random) -> None:
    segment = some_segment(chance)
    native, slow = Layout(**segment.layout), reference.Layout(**segment.layout)
    eligible = marks(chance, len(segment.documents))
    assert native.averages() == slow.averages()
    assert native.averages(eligible) == slow.averages(eligible)
    low = array("q", [chance.randrange(7) for _ in range(chance.randint(0, 3))])
    high = array("q", [start + chance.randrange(3) for start in low])
    assert native.docs_in(low, high) == slow.docs_in(low, high)
    assert native.docs_in(low, high, eligible) == slow.docs_in(low, high, eligible)
    assert native.time_span() == slow.time_span()
    sizes = (native.docs, native.parts, native.messages, native.sessions)
    names = ("doc_part", "part_message", "message_session", "session_talk")
    assert sizes == tuple(len(segment.layout[name]) for name in names)


@given(st.floats(0, 1e9), st.floats(0, 1))
def test_idf_is_bm25_s_and_never_negative(documents: float, share: float) -> None:
    frequency = documents * share
    expected = math.log1p((documents - frequency + 0.5) / (frequency + 0.5))
    assert idf(documents, frequency) == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert idf(documents, frequency) >= 0


# --- rows: what fusing adds -------------------------------------------------------------------------------


def talk_of_three(kinds: bytes, talk: int = 0, **changed: Any) -> Evidence:
    """Three messages of one session, of which the second holds the word four times as often as the others."""
    layout = flat(
        3, **{"doc_class": kinds, "session_talk": bytes([talk]), "message_asked": array("I", [0, 0, 0]), **changed}
    )
    documents = [{b"a": 1}, {b"a": 4}, {b"a": 1}]
    evidence = Evidence(Layout(**layout), postings(columns(documents))[0])
    norms = memoryview(array("f", [1.0]) * (CLASSES * LONGEST)).cast("B").cast("f", (CLASSES, LONGEST))
    evidence.accumulate(**{**one_group(0, 1), "k1": 0.0, "norms": norms})
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
        pytest.param(b"\1\1\1", 0, {"session": {0: 1.0}}, [0.5 + 0.9134, 0.8 + 0.9134, 0.5 + 0.9134], id="session"),
        pytest.param(b"\1\1\1", 0, {"session": {1: 1.0}}, [0.5, 0.8, 0.5], id="session of a talk"),
        pytest.param(b"\0\1\1", 0, {"session": {2: 0.5}}, [0.5, 1.05, 0.75], id="title"),
        pytest.param(b"\0\1\1", 0, {"neighbours": {0: 0.5}}, [0.5, 0.8, 0.9], id="a title is nobody's neighbour"),
        pytest.param(b"\1\2\1", 0, {"echo": 0.5}, [0.5, 1.05, 0.5], id="an answer to what was asked before"),
        pytest.param(b"\1\2\2", 0, {"echo": 0.5, "echo_floor": 0.3}, [0.5, 0.9, 0.6], id="above the floor"),
        pytest.param(b"\1\2\2", 0, {"echo": 0.5, "echo_floor": 0.6}, [0.5, 0.8, 0.5], id="not below it"),
    ],
)
def test_what_is_added(kinds: bytes, talk: int, fused: dict[str, Any], scores: list[float]) -> None:
    native = talk_of_three(kinds, talk)
    around = array("f", [fused.get("neighbours", {}).get(k, 0.0) for k in range(8)])
    session = array("f", [fused.get("session", {}).get(k, 0.0) for k in range(4)])
    native.fuse(around, session, None, fused.get("echo", 0.0), fused.get("echo_floor", 0.0))
    found = {part: score for part, _, score, _ in native.top(9)}
    assert [found[part] for part in range(3)] == [close(score) for score in scores]


def test_neighbours_are_of_one_session() -> None:
    native = talk_of_three(b"\1\1\1", message_session=array("I", [0, 0, 1]), session_talk=b"\0\0")
    native.fuse(array("f", [0.5] * 8), ALONE["session"])
    assert [(part, close(score)) for part, _, score, _ in native.top(9)] == [(1, 1.05), (0, 0.9), (2, 0.5)]


def test_only_keeps_parts_but_not_what_they_say_of_others() -> None:
    native = talk_of_three(b"\1\1\1")
    native.fuse(array("f", [0.5] + [0.0] * 7), ALONE["session"], b"\1\0\1")
    assert [(part, close(score)) for part, _, score, _ in native.top(9)] == [(2, 0.9), (0, 0.5)]
    assert native.hit_count == 2


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
        evidence.accumulate(**query)
        evidence.fuse(**ALONE)
    assert [part for part, *_ in check(native, slow)] == [0]


# --- rows: blocks and time --------------------------------------------------------------------------------


def three_blocks() -> tuple[Evidence, list[int]]:
    """140,000 documents, of which those at the borders of blocks hold the word."""
    docs = 140_000
    holding = [0, BLOCK - 1, BLOCK, 2 * BLOCK - 1, 2 * BLOCK, docs - 1]
    documents: list[dict[bytes, int]] = [{} for _ in range(docs)]
    for doc in holding:
        documents[doc] = {b"a": 1}
    return Evidence(Layout(**flat(docs)), postings(columns(documents))[0]), holding


def test_documents_at_the_borders_of_blocks() -> None:
    native, holding = three_blocks()
    assert native.accumulate(**one_group(0, 1))
    assert (native.blocks_done, native.docs_done) == (3, 140_000)
    assert native.fuse(**ALONE) == len(holding)
    assert sorted(part for part, *_ in native.top(9)) == holding
    assert len({score for _, _, score, _ in native.top(9)}) == 1


def test_after_the_deadline_nothing_is_done() -> None:
    native, _ = three_blocks()
    assert not native.accumulate(**one_group(0, 1), deadline_ns=1)
    assert (native.blocks_done, native.docs_done, native.fuse(**ALONE), native.top(9)) == (0, 0, 0, [])


@pytest.fixture(scope="module")
def two_blocks() -> tuple[Layout, Any]:
    docs = BLOCK + 2000
    documents: list[dict[bytes, int]] = [{b"a": 1} if doc % BLOCK < 2000 else {} for doc in range(docs)]
    return Layout(**flat(docs)), postings(columns(documents))[0]


@pytest.mark.parametrize("micros", [1, 300, 1000, 3000, 10_000])
def test_a_block_is_done_or_left_out(micros: int, two_blocks: tuple[Layout, Any]) -> None:
    # 300 groups over 2,000 documents in each of two blocks: the deadline comes somewhere inside
    layout, native = two_blocks
    docs = layout.docs
    query = {
        **one_group(0, 1),
        "starts": array("I", range(301)),
        "firsts": array("I", bytes(4 * 300)),
        "lasts": array("I", [1]) * 300,
        "weights": array("f", [1.0]) * 300,
        "factors": array("f", [1.0]) * 300,
        "joint": bytes(300),
    }
    full, late = Evidence(layout, native), Evidence(layout, native)
    assert full.accumulate(**query)
    done = late.accumulate(**query, deadline_ns=monotonic_ns() + 1000 * micros)
    assert late.docs_done in (0, BLOCK, docs)
    assert done == (late.docs_done == docs)
    full.fuse(**ALONE)
    late.fuse(**ALONE)
    expected = {part: (doc, score) for part, doc, score, _ in full.top(docs) if doc < late.docs_done}
    assert {part: (doc, score) for part, doc, score, _ in late.top(docs)} == expected


# --- rows: what is refused --------------------------------------------------------------------------------


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
        pytest.param({"message_time": array("q", [1])}, id="fewer times"),
        pytest.param({"message_asked": array("I", [0])}, id="fewer questions"),
        pytest.param({"message_asked": array("I", [0, 2, 2])}, id="a question behind its answer"),
    ],
)
def test_columns_that_do_not_fit_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"differ in length|outside"):
        Layout(**flat(3, **changed))


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"joint": b""}, id="fewer joints"),
        pytest.param({"joint": b"\1"}, id="nothing to be joint with"),
        pytest.param({"starts": array("I", [0])}, id="fewer starts"),
        pytest.param({"starts": array("I", [1, 1])}, id="members before the first group"),
        pytest.param({"starts": array("I", [0, 2])}, id="members that are not there"),
        pytest.param({"starts": array("I", [0, 0])}, id="members behind the last group"),
        pytest.param({"lasts": array("I")}, id="fewer ends"),
        pytest.param({"weights": array("f")}, id="fewer weights"),
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
        native.accumulate(**{**one_group(0, 0 if "firsts" in changed else 1), **changed})


def test_groups_out_of_order_are_refused() -> None:
    native, _ = Segment(flat(1), [{b"a": 1}]).pair()
    query = {**one_group(0, 1), "starts": array("I", [0, 2, 1]), "factors": array("f", [1.0, 1.0]), "joint": b"\0\0"}
    with pytest.raises(ValueError, match="out of order"):
        native.accumulate(**query)
    three = {"starts": array("I", [0, 1, 1, 1]), "factors": array("f", [1.0] * 3), "joint": b"\0\1\1"}
    with pytest.raises(ValueError, match="joint"):
        native.accumulate(**{**query, **three})


def test_a_weight_of_nothing_gives_no_evidence_however_often() -> None:
    # more postings than a block has documents: each would be touched for the first time again
    terms = [f"{k:02}".encode() for k in range(40)]
    native, _ = Segment(flat(2000), [dict.fromkeys(terms, 1)] * 2000).pair()
    assert native.accumulate(**one_group(0, 40, 0.0))
    assert native.fuse(**ALONE) == 0


def test_an_empty_segment_and_an_empty_query() -> None:
    native, _ = Segment(flat(0, session_talk=b""), []).pair(bytearray())
    empty = {"starts": array("I", [0]), "firsts": array("I"), "lasts": array("I"), "weights": array("f")}
    assert native.accumulate(**{**one_group(0, 0), **empty, "factors": array("f"), "joint": b""})
    assert (native.fuse(**ALONE), native.top(3), native.sessions()) == (0, [], [])


def test_other_sizes_are_refused() -> None:
    layout, (native, _) = Layout(**flat(2)), postings(columns([{b"a": 1}] * 2))
    with pytest.raises(ValueError, match="without postings"):
        Evidence(layout, postings(columns([]))[0])
    with pytest.raises(ValueError, match="one byte a document"):
        Evidence(layout, native, bytearray(1))
    with pytest.raises(ValueError, match="one byte a document"):
        layout.averages(b"\1")
    with pytest.raises(ValueError, match="length"):
        layout.docs_in(array("q", [1]), array("q"))
    with pytest.raises(ValueError, match="one byte a document"):
        layout.docs_in(array("q", [1]), array("q", [2]), b"\1")
    evidence = Evidence(layout, native)
    with pytest.raises(ValueError, match="length"):
        evidence.add_times(array("q", [1]), array("q"), 1.0)
    with pytest.raises(ValueError, match="8 weights and session 4"):
        evidence.fuse(array("f", [0.0]), ALONE["session"])
    with pytest.raises(ValueError, match="8 weights and session 4"):
        evidence.fuse(ALONE["neighbours"], array("f"))
    with pytest.raises(ValueError, match="one byte a part"):
        evidence.fuse(**ALONE, only=b"\1")
    evidence.accumulate(**one_group(0, 1))
    assert evidence.fuse(**ALONE) == 2
    with pytest.raises(ValueError, match="once"):
        evidence.fuse(**ALONE)
    with pytest.raises(ValueError, match="negative"):
        evidence.top(-1)
    for session in (-1, 1, 2**62):
        with pytest.raises(IndexError):
            evidence.session_evidence(session)
    with pytest.raises(ValueError, match="one byte a part"):
        evidence.mark_hits(bytearray(3))
    with pytest.raises(ValueError, match="one float a part"):
        evidence.write_scores(array("f", [0.0]))


@pytest.mark.parametrize("wrong", [None, "text", 7, array("d", [1.0, 1.0])])
def test_columns_must_hold_their_type(wrong: Any) -> None:
    for name in (
        "doc_part",
        "doc_words",
        "doc_class",
        "part_message",
        "message_session",
        "message_time",
        "session_talk",
    ):
        with pytest.raises((TypeError, ValueError)):
            Layout(**flat(2, **{name: wrong}))
    native, _ = Segment(flat(1), [{b"a": 1}]).pair()
    for name in ("starts", "firsts", "lasts", "weights", "factors", "joint", "norms", "class_weights"):
        with pytest.raises((TypeError, ValueError)):
            native.accumulate(**{**one_group(0, 1), name: wrong})
