"""Shards of a build that stay open, or are opened, while a later build replaces them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from recall_rank.index.errors import MissingIndexError
from recall_rank.shards import shard_folders
from recall_rank.shards.building.build import build_shards
from recall_rank.shards.process_shard import ProcessShard
from recall_rank.shards.shards import Shards
from tests.support.search.samples import ENOUGH_MS, NOW
from tests.support.shards.inline_workers import InlineWorkers
from tests.support.shards.lanterns import wait_until_reached
from tests.support.shards.small_histories import write_session

WORDS = ("", "amber", "cedar")  # of each build


class Builder:
    """Builds shards of six sessions, of which each build changes one."""

    def __init__(self, folder: Path) -> None:
        self.source, self.out, self.builds = folder / "histories", folder / "shards", 0
        self.source.mkdir()
        for number in range(1, 6):
            write_session(self.source / f"{number}.jsonl", f"s{number}", f"the lantern of {number}")

    def build(self, shards: int = 2) -> None:
        self.builds += 1
        write_session(self.source / "0.jsonl", "s0", f"the lantern of {WORDS[self.builds]}")
        build_shards([str(self.source)], self.out, shards, InlineWorkers())


@pytest.fixture
def builder(tmp_path: Path) -> Builder:
    made = Builder(tmp_path)
    made.build()
    return made


def found(shards: Shards, query: str = "lantern") -> set[str]:
    response = shards.search(query, now=NOW, budget_ms=ENOUGH_MS, results=50)
    assert response.coverage.not_reached == ()
    return {result.session_id for result in response.results}


ALL = {f"s{number}" for number in range(6)}


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_open_shards_go_on_after_a_later_build(builder: Builder, workers: Any) -> None:
    with Shards.open(builder.out, workers=workers) as shards:
        builder.build()
        assert found(shards) == ALL


def test_a_process_that_ends_after_a_later_build_makes_a_search_read_that(builder: Builder) -> None:
    with Shards.open(builder.out, workers="processes") as shards:
        builder.build()
        (shard, *_) = shards._current.group.shards
        assert isinstance(shard, ProcessShard)
        assert shard.pid is not None
        os.kill(shard.pid, signal.SIGKILL)
        time.sleep(0.1)
        wait_until_reached(shards)
        assert found(shards) == ALL
        assert found(shards, "cedar") == {"s0"}
        assert shard.pid is None, "the shards of the build before are closed"


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_reload_finds_the_shards_of_a_later_build(builder: Builder, workers: Any) -> None:
    with Shards.open(builder.out, workers=workers) as shards:
        builder.build(shards=3)
        shards.reload()
        assert shards.names == ("shard 1 of 3", "shard 2 of 3", "shard 3 of 3")
        assert found(shards) == ALL
        assert found(shards, "cedar") == {"s0"}


@pytest.mark.parametrize("before_it", [True, False])
def test_shards_that_are_replaced_while_they_are_opened_are_whole(
    builder: Builder, before_it: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = shard_folders.group_of_folders

    def replaced(*given: Any) -> Any:
        monkeypatch.setattr(shard_folders, "group_of_folders", made)
        if before_it:
            builder.build()
            return made(*given)
        group = made(*given)
        last = group.shards[-1]
        contents = last.contents

        def late() -> Any:
            builder.build()  # which removes this one
            return contents()

        last.contents = late  # type: ignore[method-assign]
        return group

    monkeypatch.setattr(shard_folders, "group_of_folders", replaced)
    with Shards.open(builder.out) as shards:
        assert not shards._current.absent
        assert found(shards) == ALL
        assert found(shards, "cedar") == {"s0"}


def test_a_folder_without_a_manifest_is_no_build(tmp_path: Path) -> None:
    with pytest.raises(MissingIndexError):
        Shards.open(tmp_path)
