"""An index that was built on disk batch by batch answers as one built in memory."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.corpus import Index
from recall_rank.index.segment.build_batches import build_batches
from recall_rank.index.storage.publish import open_generation, save_all
from recall_rank.model import Session
from tests.support.examples import examples
from tests.support.index.history import answers, history, told
from tests.support.search.samples import ask, message, session
from tests.support.search.strategies import histories, query


@examples(40)
@given(histories(), st.integers(1, 9), st.lists(query, min_size=1, max_size=3))
def test_batches_answer_as_one(
    tmp_path_factory: pytest.TempPathFactory, given: list[Session], batch: int, asked: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("index")
    save_all(build_batches(iter(given), batch), folder)
    with Index.open(folder) as opened:
        index = Index.build(given)
        assert len(opened) == len(index)
        for text in asked:
            assert told(ask(opened, text)) == told(ask(index, text))


def test_built_on_disk_is_built(tmp_path: Path) -> None:
    made = history()
    with Index.build(iter(made), folder=tmp_path / "index") as index:
        assert answers(index) == answers(Index.build(made))
    Index.build((), folder=tmp_path / "index")
    assert len(Index.open(tmp_path / "index")) == 0


def test_a_segment_a_batch(tmp_path: Path) -> None:
    said = [session(f"s{k}", message(f"{k}.1", "lantern"), message(f"{k}.2", "keel")) for k in range(5)]
    save_all(build_batches(said, 4), tmp_path)
    segments = open_generation(tmp_path).segments
    assert [[row.id for row in segment.sessions] for segment in segments] == [["s0", "s1"], ["s2", "s3"], ["s4"]]


def test_no_more_than_a_batch_is_held(tmp_path: Path) -> None:
    gone: list[int] = []
    most = 0

    class Watched(Session):
        """A session that can be watched: slots leave no room for weak references."""

        __slots__ = ("__weakref__",)

    def said() -> Iterator[Session]:
        nonlocal most
        for k in range(30):
            made = Watched(id=f"s{k}", messages=[message(f"{k}.1", "lantern")])
            weakref.finalize(made, gone.append, k)
            most = max(most, k + 1 - len(gone))
            yield made

    save_all(build_batches(said(), 3), tmp_path)
    assert most <= 3 + 2


def test_a_batch_that_fails_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    Index.build(history()).save(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())

    def said() -> Iterator[Session]:
        yield from (session(f"s{k}", message(f"{k}.1", "lantern")) for k in range(4))
        raise RuntimeError("the source is gone")

    with pytest.raises(RuntimeError, match="gone"):
        save_all(build_batches(said(), 2), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert answers(Index.open(tmp_path)) == answers(Index.build(history()))
