"""The order of the hits, and what is grouped and written from them."""

from __future__ import annotations

from array import array
from random import Random

from hypothesis import given
from kernels.inputs import seeds
from kernels.segments import ALONE, Segment, check, flat, one_group, some_segment


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
