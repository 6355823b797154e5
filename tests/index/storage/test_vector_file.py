"""The file with the vectors of a segment: what was written is read, what is damaged is none, and none is left over."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recall_rank.corpus import Index
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage.folder import Folder, vectors_name
from recall_rank.index.storage.mapped_segment import MappedSegment
from recall_rank.index.storage.publish import open_generation
from recall_rank.index.storage.vector_file import load_vectors, read_vectors, save_vectors, write_vectors
from recall_rank.index.vectors.segment_vectors import SegmentVectors
from tests.index.vectors.test_segment_vectors import embedded
from tests.support.search.samples import NOW, message, session
from tests.support.semantic.word_embedder import WordEmbedder

TEXTS = ("the boat is green today", "a car in the rain", "we sail at noon then")


def saved(folder: Path, *texts: str) -> MappedSegment:
    """The only segment of an index in `folder`, with a session for each of the texts."""
    said = texts or TEXTS
    Index.build(
        [session(text[:9], message(f"m{at}", text), created=NOW - at) for at, text in enumerate(said)], folder=folder
    )
    return only(folder)


def only(folder: Path) -> MappedSegment:
    (segment,) = open_generation(folder).segments
    return segment


def same(one: SegmentVectors | None, other: SegmentVectors | None) -> bool:
    if one is None or other is None:
        return one is other
    arrays = ("docs", "digests", "scales", "values", "skipped")
    equal = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    return equal and (one.model, one.dimension) == (other.model, other.dimension)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    segment = saved(tmp_path)
    assert load_vectors(segment) is None
    made = embedded(segment, WordEmbedder("größe", 33))
    assert save_vectors(segment, made)
    assert same(load_vectors(only(tmp_path)), made)
    assert [path.stat().st_mode & 0o777 for path in tmp_path.glob("vectors-*")] == [0o600]


def test_a_segment_in_memory_has_no_file() -> None:
    index = IndexReader([open_segment()])
    segment = index.views[0].segment
    assert load_vectors(segment) is None
    assert not save_vectors(segment, embedded(segment))


def open_segment() -> Segment:
    from recall_rank.index.segment.build import build

    return build([session("s", message("m", TEXTS[0]))])


@pytest.mark.parametrize("at", [0, 9, 13, 17, 21, 29, 40, 70, -1, -100])
def test_a_damaged_file_is_the_same_as_none(tmp_path: Path, at: int) -> None:
    segment = saved(tmp_path)
    save_vectors(segment, embedded(segment))
    (path,) = tmp_path.glob("vectors-*")
    data = bytearray(path.read_bytes())
    data[at] ^= 0x55
    path.write_bytes(data)
    assert load_vectors(segment) is None


@pytest.mark.parametrize("size", [0, 1, 63, 64, 200])
def test_a_cut_file_is_the_same_as_none(tmp_path: Path, size: int) -> None:
    segment = saved(tmp_path)
    save_vectors(segment, embedded(segment))
    (path,) = tmp_path.glob("vectors-*")
    path.write_bytes(path.read_bytes()[:size])
    assert load_vectors(segment) is None


def test_vectors_of_another_segment_are_none(tmp_path: Path) -> None:
    segment = saved(tmp_path)
    with Folder(tmp_path) as folder:
        write_vectors(folder, segment.path.name, segment.docs + 1, embedded(segment))
        assert load_vectors(segment) is None
        assert read_vectors(folder, segment.path.name) is not None


def test_vectors_of_a_segment_that_is_gone_are_not_left(tmp_path: Path) -> None:
    """Another process replaced the segment while its vectors were made."""
    segment = saved(tmp_path)
    made = embedded(segment)
    saved(tmp_path, "another text of some words")
    assert not save_vectors(segment, made)
    assert not list(tmp_path.glob("vectors-*"))
    assert not list(tmp_path.glob("temporary-*"))


def test_a_new_generation_carries_the_vectors_of_texts_that_stay_and_drops_all_others(tmp_path: Path) -> None:
    segment = saved(tmp_path)
    save_vectors(segment, embedded(segment))
    again = saved(tmp_path, *TEXTS[1:], "something new is said here")
    (path,) = tmp_path.glob("vectors-*")
    assert path.name == vectors_name(again.path.name)
    kept, made = load_vectors(again), embedded(again)
    assert kept is not None
    assert set(kept.digests.tolist()) == set(made.digests.tolist()) & set(embedded(segment).digests.tolist())
    assert len(kept) == 2
    at = np.searchsorted(made.docs, kept.docs)
    assert np.array_equal(made.values[at], kept.values)
    last = saved(tmp_path, "nothing of all that is left")
    assert load_vectors(last) is None
    assert not list(tmp_path.glob("vectors-*"))


def test_a_removed_session_leaves_no_vector(tmp_path: Path) -> None:
    segment = saved(tmp_path)
    save_vectors(segment, embedded(segment))
    gone = embedded(segment).values[0].tobytes()
    with Index.open(tmp_path) as index:
        index.remove([segment.sessions[0].id])
    assert all(gone not in path.read_bytes() for path in tmp_path.iterdir())
    assert len(load_vectors(only(tmp_path)) or ()) == 2


@pytest.mark.posix
def test_a_folder_is_locked_once(tmp_path: Path) -> None:
    with Folder.create(tmp_path / "index") as one, Folder(tmp_path / "index") as other:
        assert one.try_lock()
        assert not other.try_lock()
    with Folder(tmp_path / "index") as later:
        assert later.try_lock()
