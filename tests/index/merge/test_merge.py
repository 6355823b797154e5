"""Segments that are merged are the segment that would have been built."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from recall_rank.corpus import Index, index_of_segments
from recall_rank.index.merge import postings as merge_postings
from recall_rank.index.merge.merge import merge
from recall_rank.index.segment.build import build
from recall_rank.index.segment.columns import COLUMNS
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.segment_file import SegmentFile
from recall_rank.index.storage.segment_writer import columns_of
from recall_rank.model import Session
from tests.support.examples import examples
from tests.support.index.cutting import Cut, cut_up, cuts
from tests.support.index.history import answers, history
from tests.support.search.samples import NOW, message, part, session
from tests.support.search.strategies import histories


def written(segment: Segment) -> dict[str, bytes]:
    """Every column, as bytes."""
    return {name: bytes(memoryview(column)) for name, _, column in columns_of(segment)}  # type: ignore[arg-type]


@examples(200)
@given(histories(), cuts)
def test_merged_equals_built(history: list[Session], cut: Cut) -> None:
    merged, built = merge(*cut_up(history, cut)), build(history)
    wanted, found = written(built), written(merged)
    for name in COLUMNS:
        assert found[name] == wanted[name], name
    assert list(merged.sessions) == list(built.sessions)
    assert merged.names.values == built.names.values
    for name in ("message_time", "part_start", "doc_words", "doc_class"):
        assert getattr(merged, name).format == getattr(built, name).format


def test_names_are_numbered_in_the_order_of_their_first_use() -> None:
    sessions = [
        session(f"s{n}", message(f"m{n}", part(f"p{n}", tool=tool, output="keel")), updated=NOW - n)
        for n, tool in enumerate(("bash", "grep", "edit"))
    ]
    merged, built = merge([build([sessions[0], sessions[2]]), build([sessions[1]])], [(), ()]), build(sessions)
    assert merged.names.values == built.names.values
    assert written(merged) == written(built)


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 2, 5])
def test_blocks_end_elsewhere_than_they_did(step: int) -> None:
    # more documents than a block has, so that those of a segment go to several
    told = [session(f"s{n}", *[f"w{n} {k} keel"] * 900, updated=NOW - n) for n, k in enumerate(range(150))]
    cut = [told[k::step] for k in range(step)]
    merged = merge([build(some) for some in cut], [{3}, *[()] * (step - 1)])
    built = build([each for each in told if each is not cut[0][3]])
    assert built.docs > merge_postings.BLOCK
    assert written(merged) == written(built)


def test_nothing_makes_a_segment_of_nothing() -> None:
    empty = build([])
    for segments, dead in (([], []), ([empty], [()]), ([build([session("s", "said")])], [{0}])):
        assert written(merge(segments, dead)) == written(empty)


def test_joining_reads_nothing_that_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Index.build(history()).save(tmp_path)
    segment = Index.open(tmp_path)._merged()
    assert isinstance(segment, Segment)
    read: list[str] = []
    real = SegmentFile.column
    monkeypatch.setattr(SegmentFile, "column", lambda file, name: (read.append(name), real(file, name))[1])
    index_of_segments([segment, segment], [{0}, {1}])
    assert set(read) <= {"session_first_message"}


def test_segments_on_disk_are_searched_together(tmp_path: Path) -> None:
    left, gone = history(), history(1)
    opened = []
    for number, some in enumerate((left[::2], [*left[1::2], *gone[:2]])):
        Index.build(some).save(tmp_path / str(number))
        opened.append(Index.open(tmp_path / str(number))._merged())
    segments = [segment for segment in opened if isinstance(segment, Segment)]
    keys = {session.id for session in gone}
    dead = [{number for number, row in enumerate(segment.sessions) if row.id in keys} for segment in segments]
    assert answers(index_of_segments(segments, dead)) == answers(Index.build(left))


def test_an_index_of_several_segments_is_saved_as_one(tmp_path: Path) -> None:
    left, gone = history(), history(1)
    mixed = build([*left[:2], *gone[:1]])
    number = [row.id for row in mixed.sessions].index(gone[0].id)
    several = index_of_segments([mixed, build(left[2:])], [{number}, ()])
    several.save(tmp_path / "index")
    with Index.open(tmp_path / "index", verify=True) as opened:
        assert isinstance(opened._merged(), Segment)
        assert answers(opened, modes=("literal", "smart")) == answers(Index.build(left), modes=("literal", "smart"))
    mapped = Index.open(tmp_path / "index")._merged()
    assert isinstance(mapped, Segment)
    again = merge([mapped, build(gone)], [(), range(len(gone))])
    assert written(again) == written(build(left))
