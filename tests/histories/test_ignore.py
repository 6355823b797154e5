"""Rules that ignore sessions compare folders and not their spellings."""

from __future__ import annotations

import pytest

from recall_rank.histories.ignore import Ignore
from recall_rank.model import Session, Unit


@pytest.mark.parametrize(
    ("pattern", "folder", "ignored"),
    [
        ("/w/secret", "/w/secret/api", True),
        ("/w/secret", "/w/acme/../secret", True),
        ("/w/secret", "/w//secret/./api/", True),
        ("/w/acme/../secret/", "/w/secret", True),
        ("/w/acme", "/w/acme/../secret", False),
        ("/w/acme/*", "/w/acme/../secret", False),
        ("/w/*/api", "/w/acme/api", True),
        ("/w/a?me", "/w/acme/..", False),
        ("C:\\w\\secret", "C:\\w\\acme\\..\\secret\\api", True),
        ("C:/w/acme", "C:\\w\\acme\\..\\secret", False),
        ("/", "/w", True),
        ("", "/w", False),
        ("forge.example/acme/*", "forge.example/acme/api", True),
        ("p-*", "p-17", True),
    ],
)
@pytest.mark.parametrize("field", ["directory", "worktree", "project", "repository"])
def test_a_folder_is_ignored_however_it_is_spelt(field: str, pattern: str, folder: str, ignored: bool) -> None:
    session = Session("s", **{field: folder})  # type: ignore[arg-type]
    assert Ignore(projects=(pattern,)).session(session) is ignored


def test_a_file_is_ignored_however_its_path_is_spelt() -> None:
    ignore = Ignore(paths=("/home/mara/old",))
    assert ignore.unit(Unit("u", "/home/mara/new/../old/a.jsonl"))
    assert not ignore.unit(Unit("u", "/home/mara/old/../new/a.jsonl"))
    assert ignore.warning("/home/mara/old/./a.jsonl: cannot be read")
