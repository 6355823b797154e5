"""Evidence over several segments: the hits of each segment, numbered and ordered as in one reader."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from random import Random
from threading import Barrier, Thread
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.search import evidence as evidence_kernel
from recall_rank._core.search.evidence import Evidence
from recall_rank._core.search.segment_evidence import SegmentSource
from tests.reference.search import compiled_query as reference
from tests.support.kernels.inputs import columns, marks, postings, seeds
from tests.support.kernels.segments import (
    ALONE,
    Segment,
    accumulate,
    apart,
    flat,
    groups,
    one_group,
    question,
    some_segment,
)


@dataclass(slots=True)
class Several:
    """Segments with some deleted sessions, as the sources of a reader that has mixed their sessions."""

    segments: list[Segment]
    sources: list[SegmentSource]
    live: list[bytearray]  # u8[parts] of each segment
    numbers: list[dict[int, int]]  # of each segment: live session -> the reader's number

    @classmethod
    def of(cls, chance: Random, segments: list[Segment]) -> Several:
        each = range(len(segments))
        sessions = [len(segment.doc_columns["session_talk"]) for segment in segments]
        turns = [number for number in each for _ in range(sessions[number])]
        chance.shuffle(turns)
        dead = [{own for own in range(count) if chance.random() < 0.2} for count in sessions]
        numbers: list[dict[int, int]] = [{} for _ in each]
        met, given_out = [0] * len(segments), 0
        for number in turns:
            if met[number] not in dead[number]:
                numbers[number][met[number]] = given_out
                given_out += 1
            met[number] += 1
        made = cls(segments, [], [], numbers)
        parts = docs = 0
        for number, segment in enumerate(segments):
            own = segment.doc_columns
            session_of = [own["message_session"][message] for message in own["part_message"]]
            made.live.append(bytearray(session not in dead[number] for session in session_of))
            firsts = array("I", numbers[number])  # a run for every session
            made.sources.append(
                SegmentSource(
                    DocColumns(**own),
                    postings(columns(segment.documents))[0],
                    parts,
                    docs,
                    made.live[number] if dead[number] else None,
                    (firsts, array("I", numbers[number].values())),
                )
            )
            parts, docs = parts + len(own["part_message"]), docs + len(segment.documents)
        return made

    def own(self, every: bytes | bytearray | None, kind: str) -> list[bytes | None]:
        """Marks of all rows, cut into the marks of each segment."""
        found: list[bytes | None] = []
        for source in self.sources:
            first, count = getattr(source, f"first_{kind}"), getattr(source.columns, f"{kind}s")
            found.append(None if every is None else bytes(every[first : first + count]))
        return found


def some_members(chance: Random, sizes: list[int]) -> dict[str, Any]:
    """Groups of ranges of terms, none of which goes from one segment into the next."""
    starts, firsts, lasts, worth, joint = [0], list[int](), list[int](), list[float](), bytearray()
    for _ in range(chance.randint(0, 4)):
        for _ in range(chance.randint(0, 4) if sizes else 0):
            number = chance.randrange(len(sizes))
            before = sum(sizes[:number])
            first = chance.randint(0, sizes[number])
            firsts.append(before + first)
            lasts.append(before + chance.randint(first, sizes[number]))
            worth.append(chance.choice([1.0, 0.5, 0.0]))
        starts.append(len(firsts))
        joint.append(bool(joint) and not joint[-1] and chance.random() < 0.3)
    factors = [chance.choice([0.3, 1.0, 2.5]) for _ in joint]
    return groups(starts, firsts, lasts, worth, factors, joint)


@given(seeds)
def test_hits_are_those_of_every_segment_by_itself(chance: Random) -> None:
    several = Several.of(chance, [some_segment(chance) for _ in range(chance.randint(0, 4))])
    docs = sum(source.columns.docs for source in several.sources)
    parts = sum(source.columns.parts for source in several.sources)
    eligible = marks(chance, docs, 0.8) if chance.random() < 0.3 else None
    only = marks(chance, parts) if chance.random() < 0.3 else None
    slow = [
        segment.pair(None if own is None else bytearray(own))[1]
        for segment, own in zip(several.segments, several.own(eligible, "doc"), strict=True)
    ]
    asked = apart(some_members(chance, [len(one.frequencies) for one in slow]))
    session = array("f", [chance.choice([0.0, 0.2, 1.0, -0.1]) for _ in range(6)])
    around = array("f", [chance.choice([0.0, 0.1, 0.5]) for _ in range(12)])
    natives = [Evidence(several.sources, eligible) for _ in range(3)]
    for native in natives:
        assert accumulate(native, asked)
        native.fuse(around, session, only, 0.5, 0.1, 0.3)
    members = list(reference.split_groups([len(one.frequencies) for one in slow], **asked))
    expected = {}
    ranks = {}
    for number, (one, own_only) in enumerate(zip(slow, several.own(only, "part"), strict=True)):
        source = several.sources[number]
        live = several.live[number]
        allowed = live if own_only is None else bytes(a and b for a, b in zip(live, own_only, strict=True))
        one.accumulate(**apart(members[number]))
        one.fuse(around, session, allowed, 0.5, 0.1, 0.3)
        for part in one.fused:
            place = several.numbers[number][one.doc_columns.session_of(part)]
            expected[source.first_part + part] = source.first_doc + one.best[part]
            ranks[source.first_part + part] = -one.doc_columns.time_of(part), place, part
    native = natives[0]
    hits = list(native.top(native.hit_count))
    assert {hit.part: hit.doc for hit in hits} == expected
    assert hits == sorted(hits, key=lambda hit: (hit.tier, -hit.score, *ranks[hit.part]))
    for count in sorted(chance.randint(0, len(hits) + 2) for _ in range(3)):
        assert list(natives[1].top(count)) == hits[:count]
    wanted = marks(chance, parts)
    assert list(natives[2].among(wanted)) == sorted(hit for hit in hits if wanted[hit.part])
    found = list(native.sessions())
    assert found == sorted(found, key=lambda row: (row.tier, -row.score, row.session))
    counts: dict[int, int] = {}
    for hit in hits:
        counts[ranks[hit.part][1]] = counts.get(ranks[hit.part][1], 0) + 1
    assert {row.session: row.hits for row in found} == counts
    assert all(ranks[row.part][1] == row.session and expected[row.part] == row.doc for row in found)
    marked, scores = bytearray(parts), array("f", [-1.0] * parts)
    native.mark_hits(marked)
    native.write_scores(scores)
    assert list(marked) == [part in expected for part in range(parts)]
    assert {part: score for part, score in enumerate(scores) if marked[part]} == {hit.part: hit.score for hit in hits}
    native.extend_marked(bytes(parts))
    assert native.hit_count == len(hits)


def small(segments: int, docs: int = 3) -> list[SegmentSource]:
    """Segments of one session each, all of whose documents hold one term, 1 to 7 times."""
    held = [{b"a": 1 + k % 7} for k in range(docs)]
    return [
        SegmentSource(DocColumns(**flat(docs)), postings(columns(held))[0], docs * k, docs * k) for k in range(segments)
    ]


def one_each(segments: int) -> dict[str, Any]:
    """One group of the only term of each segment."""
    asked = one_group(0, 1)
    numbers = range(segments)
    asked |= {"starts": array("I", [0, segments]), "weights": array("f", [1.0] * segments)}
    return asked | {"firsts": array("I", numbers), "lasts": array("I", [number + 1 for number in numbers])}


def test_the_deadline_ends_all() -> None:
    several = Evidence(small(3))
    assert not several.accumulate(question(one_each(3)), 1)
    assert several.docs_done == 0
    assert several.fuse(**ALONE) == 0
    assert list(several.top(5)) == []


def test_large_segments_are_read_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_kernel, "LARGE", 40)
    several, plain = Evidence(small(8, 40), None, 4), Evidence(small(8, 39), None, 4)
    assert several.accumulate(question(one_each(8)))
    assert plain.accumulate(question(one_each(8)))
    assert (several.docs_done, plain.docs_done) == (320, 312)
    assert several.fuse(**ALONE) == 320
    assert len({hit.score for hit in several.top(320)}) == 7
    late = Evidence(small(8, 40), None, 4)
    assert not late.accumulate(question(one_each(8)), 1)


def test_several_threads_search_the_same_sources() -> None:
    sources = small(4, 40)
    barrier, found = Barrier(4), []

    def read() -> None:
        barrier.wait()
        several = Evidence(sources)
        several.accumulate(question(one_each(4)))
        several.fuse(**ALONE)
        found.append(list(several.top(160)))

    threads = [Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(one == found[0] and len(one) == 160 for one in found)


def test_what_does_not_fit_is_refused() -> None:
    sources = small(2)
    with pytest.raises(TypeError):
        Evidence([sources[0], None])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="segment 0 does not begin"):
        Evidence([sources[1]])
    with pytest.raises(ValueError, match="segment 1 does not begin"):
        Evidence([sources[0], sources[0]])
    with pytest.raises(ValueError, match="two segments"):
        Evidence(sources).accumulate(question(one_group(0, 2)))
    several = Evidence(sources)
    with pytest.raises(ValueError, match="do not exist"):
        several.accumulate(question(one_group(0, 3)))
    assert several.accumulate(question(one_each(2)))
    with pytest.raises(ValueError, match="once"):
        several.accumulate(question(one_each(2)))
    for first, last in ((-1, 1), (1, 0), (0, 3)):
        with pytest.raises(IndexError):
            several.accumulate_segments(first, last, 0, 1)
    with pytest.raises(ValueError, match="one byte a part"):
        several.fuse(**ALONE, only=b"\1")
    with pytest.raises(ValueError, match="negative"):
        several.top(-1)
    with pytest.raises(ValueError, match="same columns"):
        several.extend(Evidence(small(1)), 1.0)
    assert list(Evidence([]).top(3)) == []
