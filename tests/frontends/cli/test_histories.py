"""--history with the real loaders: a store, a folder of several, the name of an agent, a wrong path."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from recall_rank import loaders
from recall_rank.frontends.demo.generate import history
from recall_rank.model import Source
from tests.fixtures import make_fixtures
from tests.frontends.conftest import Run

ALL = {"history", "opencode", "claude-code"}


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    """A folder with stores of three agents at different depths, and other files."""
    folder = tmp_path / "backup"
    make_fixtures.write_claude(folder / "laptop")
    database = make_fixtures.write_opencode(folder / "desktop" / "opencode")
    os.utime(database, (1, 1))  # old enough to be read in place
    (folder / "demo.jsonl").write_text(history(), encoding="utf-8")
    (folder / "notes.txt").write_text("no history", encoding="utf-8")
    return folder


def agents(run: Run, *words: object) -> list[str]:
    result = run("sources", *words, "--json")
    assert result.exit_code == 0, result.output
    return [source["agent"] for source in json.loads(result.stdout)["sources"]]


def test_a_folder_stands_for_every_store_below_it(run: Run, stores: Path) -> None:
    assert set(agents(run, "--history", stores)) == ALL
    shown = run("search", "rate limit", "--history", stores)
    assert shown.exit_code == 0, shown.output
    assert "3 sources" in shown.stdout


def test_a_store_within_a_folder_can_be_named_alone(run: Run, stores: Path) -> None:
    assert agents(run, "--history", stores / "laptop") == ["claude-code"]
    assert agents(run, "--history", stores / "demo.jsonl", "--history", stores / "desktop") == ["history", "opencode"]


def test_a_store_named_twice_counts_once(run: Run, stores: Path) -> None:
    demo = stores / "demo.jsonl"
    answers = [
        json.loads(run("search", "rate limit", *words, "--json").stdout)["total"]
        for words in (["--history", demo], ["--history", demo, "--history", stores, "--project", "harborline"])
    ]
    assert answers[0] >= answers[1] > 0
    twice = json.loads(run("search", "rate limit", "--history", demo, "--history", demo, "--json").stdout)
    assert twice["total"] == answers[0]


def test_an_agents_name_stands_for_its_stores_on_this_machine(run: Run, stores: Path, empty_home: Path) -> None:
    place = empty_home / ".claude"
    place.symlink_to(stores / "laptop" / ".claude")
    try:
        assert agents(run, "--history", "claude-code") == ["claude-code"]
        assert agents(run, "--history", "Claude-Code", "--history", stores / "demo.jsonl") == ["claude-code", "history"]
        assert agents(run) == ["claude-code"]
    finally:
        place.unlink()
    result = run("search", "rate", "--history", "claude-code")
    assert result.exit_code == 2
    assert "no history of claude-code was found on this machine" in result.stderr


def test_a_folder_without_a_store_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    result = run("search", "rate", "--history", tmp_path)
    assert result.exit_code == 2
    assert "no history is recognised here" in result.stderr


def test_one_path_that_is_gone_does_not_hide_the_others(run: Run, stores: Path) -> None:
    shown = run("search", "rate limit", "--history", stores, "--history", stores / "gone.jsonl")
    assert shown.exit_code == 0, shown.output
    assert "3 of 4 sources" in shown.stdout
    assert f"not read: unreadable: {stores / 'gone.jsonl'}: no such file" in shown.stdout
    assert run("search", "rate limit", "--history", stores / "gone.jsonl").exit_code == 3


def test_a_folder_that_may_not_be_listed_is_a_source_that_failed(
    run: Run, stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(where: str) -> list[Source]:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), where)

    monkeypatch.setattr(loaders, "open_sources", refused)
    result = run("search", "rate limit", "--history", stores)
    assert result.exit_code == 3
    assert f"not read: unreadable: {stores}: {os.strerror(errno.EACCES)}" in result.stdout
