"""Before everything was read for the first time, the newest part answers and says so; then nothing is left of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.histories.cache import first_part as module
from recall_rank.histories.cache.first_part import STILL_READING, first_part
from recall_rank.model import Context
from recall_rank.recall import Recall
from tests.support.histories.shelf import SIZE, OpenShelf, Shelf


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.first_part, "__defaults__", (3 * SIZE,))


def ids(recall: Recall, **options: Any) -> list[str]:
    return [hit.session_id for hit in recall.search("lantern", results=50, **options).results]


def test_the_newest_files_are_the_part(tmp_path: Path) -> None:
    one, other = Shelf(tmp_path / "one", 10), OpenShelf(tmp_path / "other", 10)
    os.utime(other.paths[4], (2_000_000_000, 2_000_000_000))
    found = first_part([one, other], 4 * SIZE)
    assert found is not None
    assert (other.depth, other.deepest) == (0, 1)
    with found.sources[1]:
        assert other.depth == 1
    assert [[unit.key for unit in source.units()] for source in found.sources] == [["s08", "s09"], ["s04", "s09"]]
    assert (found.units, found.of, found.bytes, found.total) == (4, 20, 4 * SIZE, 20 * SIZE)
    assert "newest 4 of 20 files" in str(found)


def test_a_file_too_large_is_left_for_later(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "one", 10)
    shelf.paths[9].write_bytes(b"x" * 9 * SIZE)
    os.utime(shelf.paths[9], (2_000_000_000, 2_000_000_000))
    found = first_part([shelf], 2 * SIZE)
    assert found is not None
    assert [unit.key for unit in found.sources[0].units()] == ["s07", "s08"]


@pytest.mark.parametrize(("count", "most"), [(11, 3 * SIZE), (10, SIZE - 1), (0, SIZE)])
def test_a_part_that_is_not_worth_it_is_none(tmp_path: Path, count: int, most: int) -> None:
    assert first_part([Shelf(tmp_path / "one", count)], most) is None


def test_what_is_not_there_has_no_size(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "one", 10)
    shelf.paths[3].unlink()
    found = first_part([shelf], 2 * SIZE)
    assert found is not None
    assert found.total == 9 * SIZE


@pytest.mark.parametrize("kind", [Shelf, OpenShelf])
@pytest.mark.parametrize("cached", [True, False])
def test_the_part_answers_until_everything_does(
    tmp_path: Path, small_parts: None, kind: type[Shelf], cached: bool
) -> None:
    shelf = kind(tmp_path / "shelf", 16)
    place = tmp_path / "cache"
    if not cached:
        place.touch()  # a file: nothing can be kept there
    seen: list[list[str]] = []

    def soon() -> None:
        response = recall.search("lantern", results=50)
        seen.append(ids(recall))
        assert response.coverage.limited_by == ("not_read_yet",)
        assert response.warnings[0].startswith(STILL_READING)
        assert "newest 3 of 16" in response.warnings[0]
        assert {each.id for each in recall.sessions()} == set(seen[0])
        assert recall.transcript("s15").messages[0].id == "s15m"
        assert recall.folder is None or not recall.folder.exists()  # no other process takes a part for everything

    with Recall([shelf], place) as recall, Recall([shelf]) as plain:
        recall.prepare(soon=soon)
        assert [sorted(each) for each in seen] == [["s13", "s14", "s15"]]
        whole, expected = recall.search("lantern", results=50), plain.search("lantern", results=50)
        assert whole.results == expected.results
        assert whole.coverage.limited_by == ()
        assert not any(STILL_READING in text for text in whole.warnings)
        assert recall.sessions() == plain.sessions()
        recall.refresh()
        assert ids(recall) == ids(plain)


def test_an_index_that_is_there_needs_no_part(tmp_path: Path, small_parts: None) -> None:
    shelf = Shelf(tmp_path / "shelf", 16)
    Recall([shelf], tmp_path / "cache").prepare()
    called: list[int] = []
    with Recall([shelf], tmp_path / "cache") as recall:
        recall.prepare(soon=lambda: called.append(1))
        assert len(ids(recall)) == 16
    assert not called


def test_how_much_lies_in_other_projects_is_not_told(tmp_path: Path, small_parts: None) -> None:
    recall = Recall([Shelf(tmp_path / "shelf", 16)], tmp_path / "cache")
    tools = RecallTools(recall, options=host_options({"global": False}))
    here = Context(directory="/home/ana/odd", worktree="/home/ana/odd", project="/odd")
    seen: list[dict[str, Any]] = []

    def soon() -> None:
        seen.append(tools.call("recall", {"query": "lantern", "scope": "project"}, context=here))

    recall.prepare(soon=soon)
    (answer,) = seen
    assert answer["ok"], answer
    assert answer["warnings"] == [STILL_READING]
    assert {hit["session_id"] for hit in answer["results"]} <= {"s15", "s13"}
    assert "not_read_yet" in answer["coverage"]["limited_by"]
