"""Several segments in one go: what each of them by itself gives."""

from __future__ import annotations

from array import array
from random import Random
from threading import Barrier, Thread
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.search.evidence import Evidence
from recall_rank._core.search.together import Together
from tests.reference.search import together as reference
from tests.support.kernels.inputs import marks, seeds
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
def test_together_is_each_by_itself(chance: Random) -> None:
    segments = [some_segment(chance) for _ in range(chance.randint(0, 4))]
    eligible = [marks(chance, len(s.documents), 0.8) if chance.random() < 0.3 else None for s in segments]
    pairs = [segment.pairs(2, chosen) for segment, chosen in zip(segments, eligible, strict=True)]
    own = [two[1][0] for two in pairs]
    native = Together(two[0][0] for two in pairs)
    slow = reference.Together([two[0][1] for two in pairs])
    sizes = [len(two[0][1].frequencies) for two in pairs]
    asked = apart(some_members(chance, sizes))
    native.ask(question(asked))
    slow.ask(**asked)
    middle = chance.randint(0, len(segments))
    assert native.read(0, middle)
    assert native.read(middle, len(segments))
    session = array("f", [chance.choice([0.0, 0.2, 1.0, -0.1]) for _ in range(4)])
    around = array("f", [chance.choice([0.0, 0.1, 0.5]) for _ in range(12)])
    only = [marks(chance, len(s.doc_columns["part_message"])) if chance.random() < 0.3 else None for s in segments]
    total = native.fuse(around, session, only, 0.5, 0.1)
    assert total == slow.fuse(around, session, only, 0.5, 0.1)
    for evidence, members, chosen in zip(own, slow.split(**asked), only, strict=True):
        accumulate(evidence, apart(members))
        evidence.fuse(around, session, chosen, 0.5, 0.1)
    each = [list(evidence.top(total)) for evidence in own]
    every = sorted((tier, -score) for rows in each for *_, score, _, tier in rows)
    for count in sorted(chance.randint(0, total + 2) for _ in range(3)):
        found = native.top(count)
        assert sorted((tier, -score) for *_, score, _, tier in found)[:count] == every[:count]
        for number, rows in enumerate(each):
            mine = [row for place, *row in found if place == number]
            assert mine == [list(row) for row in rows[: len(mine)]]
            assert len(mine) <= count


def one_each(segments: int) -> dict[str, Any]:
    """One group of the only term of each segment."""
    asked = one_group(0, 1)
    numbers = range(segments)
    asked |= {"starts": array("I", [0, segments]), "weights": array("f", [1.0] * segments)}
    return asked | {"firsts": array("I", numbers), "lasts": array("I", [number + 1 for number in numbers])}


def test_the_deadline_ends_all() -> None:
    pairs = [Segment(flat(3), [{b"a": 1}] * 3).pair() for _ in range(3)]
    several = Together(native for native, _ in pairs)
    several.ask(question(one_each(3)))
    assert not several.read(0, 3, 1)
    assert [native.docs_done for native, _ in pairs] == [0, 0, 0]
    assert several.fuse(**ALONE, only=[None] * 3) == 0
    assert several.top(5) == []


def test_segments_are_read_at_the_same_time() -> None:
    pairs = [Segment(flat(40), [{b"a": 1 + k % 7} for k in range(40)]).pair() for _ in range(8)]
    several = Together(native for native, _ in pairs)
    several.ask(question(one_each(8)))
    barrier, whole = Barrier(4), []

    def read(number: int) -> None:
        barrier.wait()
        whole.append(several.read(2 * number, 2 * number + 2))

    threads = [Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert whole == [True] * 4
    assert several.fuse(**ALONE, only=[None] * 8) == 320
    assert len({tuple(row[2:]) for row in several.top(320)}) == 40


def test_what_does_not_fit_is_refused() -> None:
    (one, _), (two, _) = (Segment(flat(2), [{b"a": 1}] * 2).pair() for _ in range(2))
    with pytest.raises(TypeError):
        Together([one, None])  # type: ignore[list-item]
    several = Together([one, two])
    with pytest.raises(ValueError, match="nothing was asked"):
        several.read(0, 2)
    with pytest.raises(ValueError, match="two segments"):
        several.ask(question(one_group(0, 2)))
    with pytest.raises(ValueError, match="do not exist"):
        several.ask(question(one_group(0, 3)))
    for first, last in ((-1, 1), (1, 0), (0, 3)):
        with pytest.raises(IndexError):
            several.read(first, last)
    with pytest.raises(ValueError, match="marks of 1"):
        several.fuse(**ALONE, only=[None])
    with pytest.raises(ValueError, match="negative"):
        several.top(-1)
    assert Together([]).top(3) == []
    assert isinstance(one, Evidence)
