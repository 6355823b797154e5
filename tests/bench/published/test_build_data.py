"""`python -m bench data` reads a commit with git, from a checkout or by fetching, and writes a folder that the
benchmarks read.
"""

from __future__ import annotations

import dataclasses
import subprocess
from typing import TYPE_CHECKING

import pytest

from bench import command
from bench.datasets.history_files import read_history, read_queries
from bench.datasets.published import catalogue, nl2bash
from bench.datasets.published.repositories import Repository, RepositoryError, open_tree

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS, DESCRIPTIONS = "ls\ndf\n", "list the files\nshow free space\n"


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Sam", "-c", "user.email=sam@example.invalid")
    done = subprocess.run(["git", "-C", folder, *identity, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    for path, content in ((nl2bash.COMMANDS, COMMANDS), (nl2bash.DESCRIPTIONS, DESCRIPTIONS)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    git(folder, "init", "--quiet")
    git(folder, "config", "uploadpack.allowFilter", "true")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "data")
    return folder


def repository(checkout: Path, commit: str = "") -> Repository:
    return Repository(
        f"file://{checkout}", commit or git(checkout, "rev-parse", "HEAD"), "MIT", catalogue.NL2BASH.paths
    )


def test_the_commit_is_read_and_not_the_work_tree(checkout: Path, tmp_path: Path) -> None:
    wanted = repository(checkout)
    (checkout / nl2bash.COMMANDS).write_text("rm\n", encoding="utf-8")
    git(checkout, "commit", "--quiet", "-am", "later")
    tree = open_tree(wanted, [checkout], tmp_path)
    assert tree.commit == wanted.commit
    assert tree.read(nl2bash.COMMANDS).decode() == COMMANDS
    assert tree.paths("data/bash", ".nl") == [nl2bash.DESCRIPTIONS]


def test_a_checkout_without_the_commit_is_read_at_its_head(checkout: Path, tmp_path: Path) -> None:
    tree = open_tree(repository(checkout, "0" * 40), [checkout], tmp_path)
    assert tree.commit == git(checkout, "rev-parse", "HEAD")


def test_a_repository_that_no_checkout_has_is_fetched(checkout: Path, tmp_path: Path) -> None:
    tree = open_tree(repository(checkout), [], tmp_path / "work")
    assert tree.folder != checkout
    assert tree.read(nl2bash.DESCRIPTIONS).decode() == DESCRIPTIONS


def test_what_cannot_be_read_is_an_error(checkout: Path, tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="rev-parse"):
        open_tree(repository(checkout), [tmp_path], tmp_path / "work")
    with pytest.raises(RepositoryError, match="fetch"):
        open_tree(repository(checkout, "1" * 40), [], tmp_path / "other")
    with pytest.raises(RepositoryError, match="cat-file"):
        open_tree(repository(checkout), [checkout], tmp_path).read("absent")


def test_a_set_is_built_that_benchmarks_read(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = dataclasses.replace(
        catalogue.SETS["nl2bash"], repositories=(dataclasses.replace(catalogue.NL2BASH, licence="MIT"),), misspelt=True
    )
    monkeypatch.setitem(catalogue.SETS, "nl2bash", one)  # type: ignore[arg-type]
    assert command.main(["data", "nl2bash", str(tmp_path / "sets"), "--from", str(checkout)]) == 0
    assert "licence: MIT" in capsys.readouterr().out
    folder = tmp_path / "sets" / "nl2bash"
    (session,) = read_history(folder)
    assert session.messages[0].parts[0].input == {"command": "ls"}
    for name in ("queries.jsonl", "queries.typo1.jsonl", "queries.sep.jsonl"):
        (query,) = read_queries(folder / name)
        assert query.relevant == [("nb0", "nb0", None)]
    source = (folder / "SOURCE.md").read_text(encoding="utf-8")
    assert f"at {git(checkout, 'rev-parse', 'HEAD')}, licence: MIT" in source
    assert catalogue.NL2BASH.commit in source  # another one than that of the published figures


def test_the_sets_are_listed_with_size_licence_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["data"]) == 0
    listed = capsys.readouterr().out
    for one in catalogue.SETS.values():
        assert f"{one.name:<11} {one.holds}; licence: {one.licence}" in listed
        assert all(f"{repository.url} at {repository.commit}" in listed for repository in one.repositories)


def test_wrong_usage_is_answered_with_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["data", "nosuch", str(tmp_path)]) == 2
    assert "a set must be one of histories, honest, locomo" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        command.main(["data", "locomo"])
    assert ended.value.code == 2
    assert command.main(["data", "locomo", str(tmp_path / "sets"), "--from", str(tmp_path)]) == 2
    assert "give a checkout of the repository with --from" in capsys.readouterr().err
    assert not (tmp_path / "sets").exists()
