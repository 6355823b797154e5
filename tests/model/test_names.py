"""Names that are near to another one, and the names of projects."""

from __future__ import annotations

import pytest

from recall_rank.model import Session
from recall_rank.model.nearest_names import did_you_mean, nearest_names
from recall_rank.model.project_scope import is_named, projects_of, short_name


@pytest.mark.parametrize(
    ("wanted", "known", "near"),
    [
        ("bash", ["Bash", "Bath"], ["Bash", "Bath"]),
        ("acme", ["acme-api", "acme-web", "quay"], ["acme-api", "acme-web"]),
        ("serach", ["search", "sessions", "sources"], ["search"]),
        ("agent", ["last", "role", "project"], []),
        ("zebra", ["acme"], []),
        ("a", ["acme"], []),
        ("", ["acme"], []),
        ("same", ["same", "same"], ["same"]),
    ],
)
def test_nearest_names(wanted: str, known: list[str], near: list[str]) -> None:
    assert nearest_names(wanted, known) == near


def test_did_you_mean() -> None:
    assert did_you_mean("acme", ["acme-api", "acme-web"]) == "did you mean 'acme-api' or 'acme-web'?"
    assert did_you_mean("zebra", ["acme"]) == ""


def test_short_names() -> None:
    assert [short_name(place) for place in ("/srv/a b/", "C:\\work\\quay", "quay", "/", "")] == [
        "a b", "quay", "quay", "/", "",
    ]  # fmt: skip


def at(folder: str, **more: str) -> Session:
    return Session(folder, (), directory=folder, **more)  # type: ignore[arg-type]


def test_a_project_has_several_names() -> None:
    session = at("/srv/quay/web", worktree="/srv/quay/", project="p-17", repository="forge.example/mara/harbour")
    named = ("quay", "/srv/quay", "/srv//quay/", "p-17", "forge.example/mara/harbour")
    assert [name for name in named if not is_named(session, name)] == []
    others = ("web", "/srv", "/srv/quay/web", "harbour", "QUAY", "", "qua")
    assert [name for name in others if is_named(session, name)] == []
    assert not is_named(Session("bare", ()), "")


def test_sessions_of_one_project_are_told_by_any_common_name() -> None:
    one, two = at("/a/quay", repository="r"), at("/b/quay", repository="r")
    assert projects_of([one, two]) == ["/a/quay"]
    assert projects_of([at("/a/quay"), at("/b/quay")]) == ["/a/quay", "/b/quay"]
    assert projects_of([at("/a/quay"), at("/a/quay", project="p"), at("/b/quay", project="p")]) == ["/a/quay"]
    # the third shows that the first two are one
    assert projects_of([at("/a/quay"), at("/b/quay", project="p"), at("/a/quay", project="p")]) == ["/a/quay"]
    assert projects_of([]) == []
