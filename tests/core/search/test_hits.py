"""The order of the hits, and what is grouped and written from them."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from hypothesis import given

from recall_rank._core.search.hits import Hits
from tests.support.kernels.inputs import hit_rows, marks, seeds
from tests.support.kernels.segments import ALONE, Segment, accumulate, check, flat, one_group, some_segment


@given(seeds)
def test_the_best_are_the_first_of_all(chance: Random) -> None:
    docs = chance.randint(1, 40)
    doc_columns = flat(docs, message_time=array("q", [chance.randrange(3) for _ in range(docs)]))
    # frequencies repeat, so that scores tie
    native, slow = Segment(doc_columns, [{b"a": chance.randint(1, 4)} for _ in range(docs)]).pair()
    for evidence in (native, slow):
        accumulate(evidence, one_group(0, 1))
        evidence.fuse(**ALONE)
    counts = [chance.randint(0, docs + 2) for _ in range(3)]
    found = [list(native.top(count)) for count in counts]
    hits = check(native, slow)
    assert found == [hits[:count] for count in counts]


@given(seeds)
def test_the_best_are_found_without_scoring_all(chance: Random) -> None:
    segment = some_segment(chance)
    pairs = segment.pairs(4)
    around = array("f", [chance.choice([0.0, 0.1, 0.5, 1.0]) for _ in range(12)])
    session = array("f", [chance.choice([0.0, 0.2, 1.0]) for _ in range(6)])
    if chance.random() < 0.2:
        session[chance.randrange(6)] = -0.3  # what takes away has no bound
    only = marks(chance, len(segment.doc_columns["part_message"])) if chance.random() < 0.3 else None
    echo = chance.choice([0.0, 0.8, 3.0]), chance.choice([0.0, 0.4]), chance.choice([0.0, 0.2, 4.0])
    (every, slow), *others = pairs
    terms = len(slow.frequencies)
    query = one_group(min(terms, chance.randint(0, 1)), terms)
    for native, _ in pairs:
        accumulate(native, query)
        native.fuse(around, session, only, *echo)
    accumulate(slow, query)
    slow.fuse(around, session, only, *echo)
    hits = check(every, slow)
    for native, _ in others:
        count = chance.randint(0, len(hits))
        assert list(native.top(count)) == hits[:count]
        more = chance.randint(count, len(hits))
        assert list(native.top(more)) == hits[:more]
        some = marks(chance, len(segment.doc_columns["part_message"]))
        if chance.random() < 0.5:
            assert list(native.top_among(count, some)) == [hit for hit in hits if some[hit[0]]][:count]
        if chance.random() < 0.5:
            assert list(native.among(bytes([1]) * len(segment.doc_columns["part_message"]))) == sorted(hits)
        assert list(native.top(len(hits))) == hits


def test_the_best_are_looked_for_until_the_deadline() -> None:
    """Of sessions with equal bounds a few are scored: what is found are hits, and it is told that others may rank
    before them.
    """
    docs = 400
    doc_columns = flat(docs, message_session=array("I", range(docs)), session_talk=bytes(docs))
    documents = [{b"a": 1 + doc % 3} for doc in range(docs)]
    every, native = (Segment(doc_columns, documents).pair()[0] for _ in range(2))
    assert accumulate(every, one_group(0, 1))
    assert accumulate(native, one_group(0, 1))
    every.fuse(**ALONE)
    native.fuse(**ALONE)
    hits = list(every.top(docs))
    found = list(native.top(5, 1))
    assert (len(found), native.late, every.late) == (5, True, False)
    assert found == [hit for hit in hits if hit in found]
    assert (list(native.top(5)), native.late) == (hits[:5], False)


@given(seeds)
def test_sessions_marks_and_scores_are_those_of_the_hits(chance: Random) -> None:
    segment = some_segment(chance)
    native, slow = segment.pair()
    for evidence in (native, slow):
        accumulate(evidence, one_group(0, len(slow.frequencies)))
        evidence.fuse(**ALONE)
    if chance.random() < 0.5:
        native.top(3)  # reorders the hits
    sessions = list(native.sessions())
    hits = check(native, slow)
    # the grouping alone, on the very scores that the native side gave
    slow.fused = {part: score for part, _, score, *_ in hits}
    slow.best = {part: doc for part, doc, *_ in hits}
    assert sessions == slow.sessions()
    parts = len(segment.doc_columns["part_message"])
    marked, scores = bytearray(parts), array("f", [-1.0] * parts)
    native.mark_hits(marked)
    native.write_scores(scores)
    assert [part for part in range(parts) if marked[part]] == sorted(slow.fused)
    assert list(scores) == [slow.fused.get(part, -1.0) for part in range(parts)]


@given(seeds)
def test_extensions_follow_as_tiers_of_their_own(chance: Random) -> None:
    segment = some_segment(chance)
    (native, slow), *others = segment.pairs(chance.randint(1, 3))
    terms = len(slow.frequencies)
    for evidence, first in ((native, 0), (slow, 0)):
        accumulate(evidence, one_group(first, terms and 1))
        evidence.fuse(**ALONE)
    for pair in others:
        for evidence in pair:
            accumulate(evidence, one_group(0, terms))
            evidence.fuse(**ALONE)
        native.extend(pair[0], 0.25)
        slow.extend(pair[1], 0.25)
    parts, doc_part = len(segment.doc_columns["part_message"]), list(segment.doc_columns["doc_part"])
    marked = bytes(chance.random() < 0.4 and part in doc_part for part in range(parts))
    native.extend_marked(marked)
    slow.extend_marked(marked)
    hits = check(native, slow)
    wanted = marks(chance, parts)
    assert list(native.among(wanted)) == sorted(hit for hit in hits if wanted[hit[0]])
    slow.fused = {part: score for part, _, score, *_ in hits}
    slow.best = {part: doc for part, doc, *_ in hits}
    assert list(native.sessions()) == slow.sessions()


def test_an_extension_must_fit() -> None:
    one, two = (Segment(flat(2), [{b"a": 1}] * 2).pair()[0] for _ in range(2))
    for evidence in (one, two):
        accumulate(evidence, one_group(0, 1))
        evidence.fuse(**ALONE)
    with pytest.raises(ValueError, match="same columns"):
        one.extend(two, 1.0)
    with pytest.raises(ValueError, match="same columns"):
        one.extend(one, 1.0)
    with pytest.raises(ValueError, match="one byte a part"):
        one.extend_marked(b"\1")
    with pytest.raises(ValueError, match="one byte a part"):
        one.among(b"\1")


@pytest.mark.parametrize("doc_part", [[0, 1], [0, 2]], ids=["the last", "another follows"])
def test_a_part_without_a_document_is_refused(doc_part: list[int]) -> None:
    marks = bytes(part not in doc_part for part in range(3))
    columns = flat(2, part_message=array("I", [0, 1, 1]), doc_part=array("I", doc_part))
    native = Segment(columns, [{}] * 2).pair()[0]
    native.fuse(**ALONE)
    with pytest.raises(ValueError, match="no document"):
        native.extend_marked(marks)


@given(hit_rows, seeds)
def test_hits_are_a_sequence(rows: list[tuple[int, int, float, float, int]], chance: Random) -> None:
    hits = Hits(rows)
    assert (list(hits), len(hits)) == (rows, len(rows))
    assert [hits[at] for at in range(len(hits))] == rows
    assert (hits.parts(), hits.docs()) == ([row[0] for row in rows], [row[1] for row in rows])
    assert hits.first_tier == next((at for at, row in enumerate(rows) if row[-1]), len(rows))
    places = chance.choices(range(len(rows)), k=chance.randint(0, 12)) if rows else []
    assert list(hits.taken(places)) == [rows[at] for at in places]


@pytest.mark.parametrize("at", [-1, 2])
def test_there_are_no_hits_outside(at: int) -> None:
    hits = Hits([(1, 2, 3.0, 4.0, 0)] * 2)
    with pytest.raises(IndexError, match=str(at)):
        hits[at]
    with pytest.raises(IndexError, match=str(at)):
        hits.taken([0, at])
    with pytest.raises(OverflowError):
        Hits([(2**32, 0, 1.0, 1.0, 0)])
    with pytest.raises(ValueError, match="once"):
        hits.__init__([])  # type: ignore[misc]
