"""With global off: what could not be read of one's own project is told, and nothing of the others'."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.model import Malformed, Reading, Session, Unit
from recall_rank.recall import Recall
from tests.support.frontends.harbor import BEES, FERRIES, HERE, NOW, TIDES

LOCKED = OSError(11, "locked by zephyrcanary")


class Files:
    """A file a session; a value that is an error is a file that cannot be read."""

    def __init__(self, name: str, files: dict[str, Any], bad: tuple[str, ...] = (), listing: Any = None) -> None:
        self.name, self.location = name, f"/home/ana/.{name}"
        self._files, self._bad, self._listing = files, bad, listing

    def units(self) -> Iterable[Unit]:
        if self._listing:
            raise self._listing
        return [Unit(place, place) for place in self._files]

    def signature(self, unit: Unit) -> bytes:
        return unit.key.encode()

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        found = self._files[unit.key]
        if isinstance(found, Exception):
            raise found
        bad = [Malformed(place, "line 3 zephyrcanary", "torn") for place in self._bad if place == unit.location]
        sessions = found if isinstance(found, list) else [found]
        return Reading(sessions, bad, ["zephyrcanary lost"])


def asked(*sources: Any, closed: bool = True, cache: Any = None) -> dict[str, Any]:
    tools = RecallTools(Recall(sources, cache), options=host_options({"global": not closed}), context=HERE)
    answer = tools.call("recall", {"query": "noon", "scope": "project"}, now=NOW)
    assert not closed or "zephyr" not in str(answer).lower()
    return answer


def errors(*sources: Any) -> list[str]:
    return asked(*sources).get("load_errors", [])


def of(session: Session) -> dict[str, Any]:
    return {f"/home/ana/.agent/{session.id}.jsonl": session}


@pytest.mark.parametrize(
    "place",
    [
        "/home/ana/quay/.chats/1.md",
        "/home/ana/.claude/projects/-home-ana-quay/1.jsonl",
        "/home/ana/.pi/sessions/--home-ana-quay--/1.jsonl",
    ],
)
def test_a_file_of_the_project_is_told(place: str) -> None:
    told = errors(Files("agent", {**of(TIDES), place: OSError(13, "Permission denied")}))
    assert told == [f"{place}: Permission denied"]


@pytest.mark.parametrize(
    "place",
    [
        "/home/ana/hives/.chats/1.md",
        "/home/ana/quayside/1.md",
        "/home/ana/.claude/projects/-home-ana-hives/1.jsonl",
        "/home/ana/.claude/projects/-home-ana-quay-zephyrcanary/1.jsonl",
        "/home/ana/.codex/sessions/2026/01/01/rollout-zephyrcanary.jsonl",
        "home-ana-quay/1.jsonl",
    ],
)
def test_a_file_of_who_knows_whom_is_not(place: str) -> None:
    assert errors(Files("agent", {**of(TIDES), place: LOCKED})) == []


def test_malformed_records_are_counted_in_files_that_are_all_ones_own() -> None:
    own, shared, other = "/home/ana/.a/1.jsonl", "/home/ana/.a/2.db", "/home/ana/.a/3.jsonl"
    files = {own: [TIDES], shared: [FERRIES, BEES], other: []}
    source = Files("agent", files, bad=(own, shared, other))
    assert asked(source)["warnings"] == ["1 note about sources: see recall-rank sources"]
    (report,) = Recall([source]).only(HERE).sources()
    assert report.malformed_count == 1


def test_a_store_of_everybody_that_gave_nothing_is_told_without_its_place() -> None:
    good = Files("agent", of(TIDES))
    assert errors(good, Files("other", {}, listing=LOCKED)) == ["nothing of the other history could be read"]
    assert errors(good, Files("other", {"/home/ana/.other/zephyrcanary": LOCKED})) == [
        "nothing of the other history could be read"
    ]


def test_a_store_of_one_project_that_gave_nothing_is_not() -> None:
    good = Files("agent", of(TIDES))
    assert errors(good, Files("aider", {"/home/ana/hives/.aider.chat.history.md": LOCKED})) == []
    own = Files("aider", {"/home/ana/quay/.aider.chat.history.md": OSError(13, "Permission denied")})
    assert errors(good, own) == ["/home/ana/quay/.aider.chat.history.md: Permission denied"]


def test_what_others_hold_changes_nothing() -> None:
    alone = asked(Files("agent", of(TIDES)))
    among = asked(Files("agent", {**of(TIDES), **of(BEES), "/home/ana/hives/2": LOCKED}), Files("bees", of(BEES)))
    for answer in (alone, among):
        for name in ("elapsed_ms", "cpu_ms"):
            answer.pop(name)
    assert among == alone


def test_with_global_on_everything_is_told() -> None:
    answer = asked(Files("agent", {**of(TIDES), "/home/ana/hives/2": LOCKED}), closed=False)
    assert answer["load_errors"] == ["/home/ana/hives/2: locked by zephyrcanary"]


def test_from_a_cache_too(tmp_path: Path) -> None:
    own, other = "/home/ana/.a/1.jsonl", "/home/ana/quay/2.jsonl"
    files = {own: TIDES, other: OSError(13, "Permission denied"), "/home/ana/hives/2": LOCKED, "/home/ana/.a/3": BEES}
    for _ in range(2):
        answer = asked(Files("agent", files, bad=(own, "/home/ana/.a/3")), cache=tmp_path / "cache")
        assert answer["load_errors"] == [f"{other}: Permission denied"]
        assert any(
            "note about sources" in warning or "notes about sources" in warning for warning in answer["warnings"]
        )
        assert answer["coverage"]["sessions_searched"] == 1
