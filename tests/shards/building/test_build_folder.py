"""A build removes what builds have made, and nothing else; it writes to no folder of somebody else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recall_rank.corpus import Index
from recall_rank.index.storage.folder import Folder
from recall_rank.shards.building import unit_tasks
from recall_rank.shards.building.build import build_shards
from recall_rank.shards.building.build_folder import MARK
from recall_rank.shards.manifest import NAME, read_manifest
from tests.support.shards.inline_workers import InlineWorkers
from tests.support.shards.small_histories import write_session

if TYPE_CHECKING:
    from collections.abc import Iterable

HASH = "0123456789abcdef"


@pytest.fixture
def history(tmp_path: Path) -> Path:
    write_session(tmp_path / "one.jsonl", "one", "the lantern of one")
    return tmp_path / "one.jsonl"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def build(history: Path, out: Path, shards: int = 1) -> None:
    build_shards([str(history)], out, shards, InlineWorkers())


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_no_build_made_stays_beside_what_builds_make(history: Path, out: Path) -> None:
    build(history, out)
    foreign = [
        "shard-00001-of-00002/model.bin",
        "shard-0001-of-0002/model.bin",
        f"shard-0001-of-0002-{HASH}/model.bin",
        f"shard-0001-of-0002-{HASH}/told.json",
        f"shard-0001-of-0002-{HASH}-more/manifest-7-1",
        "units/mine/thesis.txt",
        f"units/{HASH * 2}-3/thesis.txt",
        f"units/{HASH * 2}-3/segment-of-a-circle.txt",
        "notes.txt",
    ]
    for name in foreign:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("mine", encoding="utf-8")
    (out / f"shard-0002-of-0002-{HASH}").symlink_to(history.parent, target_is_directory=True)
    write_session(history, "one", "the lantern of another day")
    build(history, out, 2)
    assert {name: (out / name).read_text(encoding="utf-8") for name in foreign} == dict.fromkeys(foreign, "mine")
    assert history.exists()
    assert len(list(out.glob("shard-*-of-0001-*"))) == 0


def test_a_file_that_was_put_into_a_folder_of_a_build_stays(history: Path, out: Path) -> None:
    build(history, out)
    (shard,) = read_manifest(out)
    (unit,) = (path for path in (out / "units").iterdir() if path.is_dir())
    for folder in (out / shard.folder, unit):
        (folder / "thesis.txt").write_text("mine", encoding="utf-8")
    write_session(history, "one", "a quiet morning")
    build(history, out, 2)
    for folder in (out / shard.folder, unit):
        assert contents(folder) == {"thesis.txt": b"mine"}


@pytest.mark.parametrize("shards", [None, "{}", '{"weights": ["shard-00001-of-00002"]}'])
def test_a_folder_that_is_not_empty_and_that_no_build_made_is_refused(
    history: Path, out: Path, shards: str | None
) -> None:
    (out / "units" / "mine").mkdir(parents=True)
    (out / "units" / "mine" / "thesis.txt").write_text("mine", encoding="utf-8")
    if shards is not None:
        (out / NAME).write_text(shards, encoding="utf-8")
    before = contents(out)
    with pytest.raises(ValueError, match="is not empty, and no build made it"):
        build(history, out)
    assert contents(out) == before


def test_an_index_that_was_saved_is_no_folder_of_a_build(history: Path, out: Path) -> None:
    Index.from_texts(["the lantern"], folder=out).close()
    with pytest.raises(ValueError, match="no build made it"):
        build(history, out)


def test_a_folder_that_is_empty_or_has_shards_is_taken(history: Path, out: Path) -> None:
    out.mkdir()
    build(history, out)
    (out / MARK).unlink()
    build(history, out)
    (out / NAME).write_text("damaged", encoding="utf-8")
    build(history, out)  # the mark tells
    assert len(read_manifest(out)) == 1


@pytest.mark.parametrize("where", ["read", "merge"])
def test_what_a_build_left_that_was_killed_while_it_wrote_is_removed(
    history: Path, out: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(segments: Iterable[Any], folder: Path) -> None:
        (folder / "temporary-7-01234567-1-0123456789abcdef").write_bytes(b"the lantern of one")
        raise KeyboardInterrupt

    def killed_in(folder: Folder, segments: Iterable[Any]) -> None:
        killed(segments, folder.path)

    with monkeypatch.context() as patch:
        if where == "read":
            patch.setattr(unit_tasks, "save_in", killed_in)
        else:
            patch.setattr(unit_tasks, "save_all", killed)
        with pytest.raises(KeyboardInterrupt):
            build(history, out)
    write_session(history, "one", "a quiet morning")
    build(history, out)
    left = contents(out)
    assert not any(b"lantern" in data for data in left.values())
    assert len({name.partition("/")[0] for name in left if name.startswith("shard-")}) == 1
    assert len({name.split("/")[1] for name in left if name.startswith("units/")}) == 1


def test_an_index_without_a_mark_stays_whatever_its_name_is(history: Path, out: Path) -> None:
    build(history, out)
    saved = out / f"shard-0001-of-0009-{HASH}"
    Index.from_texts(["mine"], folder=saved).close()
    before = contents(saved)
    build(history, out)
    assert contents(saved) == before


@pytest.mark.posix
@pytest.mark.parametrize("there", [True, False])
def test_a_mark_that_is_a_link_changes_nothing_elsewhere(history: Path, out: Path, tmp_path: Path, there: bool) -> None:
    elsewhere = tmp_path / "elsewhere"
    if there:
        elsewhere.write_text("mine", encoding="utf-8")
        os.utime(elsewhere, (1, 1))
    out.mkdir()
    (out / MARK).symlink_to(elsewhere)
    build(history, out)
    assert elsewhere.exists() == there
    assert not there or elsewhere.stat().st_mtime == 1
    assert len(read_manifest(out)) == 1


def test_a_folder_that_was_made_and_not_marked_yet_is_removed(history: Path, out: Path) -> None:
    build(history, out)
    (out / f"shard-0001-of-0001-{HASH}").mkdir()
    build(history, out)
    assert not (out / f"shard-0001-of-0001-{HASH}").exists()
