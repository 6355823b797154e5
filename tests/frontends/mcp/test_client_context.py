"""The context of an MCP client: options of the command, then roots, then the working directory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from recall_rank.frontends.mcp.client_context import (
    context_of_command,
    context_with_roots,
    path_of,
    percent_decoded,
    percent_encoded,
    with_named_project,
)
from recall_rank.model import Context
from tests.support.frontends.harbor import BEES, FERRIES, TIDES


def test_the_directory_of_the_command_precedes_the_roots(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "deep").mkdir()
    command = context_of_command("s1", "quay", str(tmp_path / "deep"))
    assert command == Context("s1", "quay", str(tmp_path / "deep"), str(tmp_path))
    assert context_with_roots(command, ["file:///elsewhere"]) == command


def test_the_roots_precede_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = context_of_command("s1", None, None)
    assert context_with_roots(command, ["https://x", "file:///home/ana/the%20quay/"]).directory == "/home/ana/the quay"
    assert context_with_roots(command, []).directory == str(tmp_path)


def test_the_home_folder_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert context_with_roots(Context(project="quay"), []) == Context(project="quay")


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b", "/a/b"),
        ("file://localhost/a%2Fb/", "/a/b"),
        ("file:///", "/"),
        ("file://host/a", None),
        ("vscode-remote://x/a", None),
        ("file:///caf%C3%A9%", "/café%"),
    ],
)
def test_path_of(uri: str, path: str | None) -> None:
    assert path_of(uri) == path


def test_ids_survive_a_uri() -> None:
    for text in ("ses_1", "a/b?c#d%20", "漢字 é", ""):
        assert percent_decoded(percent_encoded(text)) == text
        assert "/" not in percent_encoded(text)


QUAY = Context(project="quay")


class TestNamedProject:
    """The project that the command names, by any of the names that a filter takes."""

    def test_the_name_that_lists_show(self) -> None:
        found = with_named_project(QUAY, [TIDES, FERRIES, BEES])
        assert (found.project, found.directory, found.worktree) == (None, "/home/ana/quay", "/home/ana/quay")

    def test_its_folder(self) -> None:
        found = with_named_project(Context("s", project="/home/ana/quay/"), [TIDES, BEES])
        assert (found.session_id, found.worktree) == ("s", "/home/ana/quay")

    def test_what_its_agent_calls_it_stays(self) -> None:
        here = Context(project="p-quay")
        assert with_named_project(here, [TIDES, BEES]) is here

    def test_a_name_of_several_projects_names_none(self) -> None:
        other = replace(BEES, id="b2", project="p-2", worktree="/srv/quay", directory="/srv/quay")
        assert with_named_project(QUAY, [TIDES, other]) is QUAY

    def test_an_unknown_name_stays(self) -> None:
        assert with_named_project(QUAY, [BEES]) is QUAY
        assert with_named_project(Context(), [BEES]) == Context()
