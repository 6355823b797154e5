"""Answers given while a grown or a new history is still being read deny nothing, and say how much is unread."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.histories import cached_backend
from recall_rank.histories.cached_backend import FRESH_SECONDS
from recall_rank.model import BaseSource, Context, Message, Part, Reading, Session, Unit
from recall_rank.recall import Recall

NOW = 1_780_000_000_000
QUAY = Context(project="quay", directory="/home/ana/quay")
OLD, NEW = "old-heron", "new-heron"


class GrowingShelf(BaseSource):
    """Files of one session each; those that are put in after the gate was closed are read once it is opened."""

    name, resolves = "shelf", False

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.location = folder, str(folder)
        self.gate, self.begun = threading.Event(), threading.Event()
        self.gate.set()

    def put(self, key: str, text: str, size: int = 100) -> None:
        (self.folder / key).write_text(f"{text} ".ljust(size, "."), encoding="utf-8")

    def units(self) -> list[Unit]:
        return [Unit(path.name, str(path)) for path in sorted(self.folder.iterdir())]

    def signature(self, unit: Unit) -> bytes:
        return str(Path(unit.location).stat().st_size).encode()

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        self.begun.set()
        assert self.gate.wait(30)
        text = Path(unit.location).read_text(encoding="utf-8").rstrip(". ")
        said = Message(f"{unit.key}m", "user", NOW, (Part(f"{unit.key}p", "text", text),))
        return Reading([Session(unit.key, (said,), directory=QUAY.directory, project="quay", updated=NOW)])


@pytest.fixture
def shelf(tmp_path: Path) -> GrowingShelf:
    made = GrowingShelf(tmp_path / "shelf")
    made.put(OLD, "the heron sleeps at the pier")
    return made


@pytest.fixture(params=["cached", "cached project", "memory", "memory project"])
def growing(request: Any, shelf: GrowingShelf, tmp_path: Path) -> Iterator[Recall]:
    """Histories of which a new file, with the word newcomer, is being read."""
    kind = request.param.split()
    with Recall([shelf], cache=tmp_path / "cache" if kind[0] == "cached" else None) as recall:
        recall.prepare()
        shelf.put(NEW, "a newcomer feeds the heron", 5_000)
        shelf.gate.clear()
        shelf.begun.clear()
        threading.Thread(target=recall.refresh, daemon=True).start()
        assert shelf.begun.wait(10)
        yield recall.only(QUAY) if kind[1:] else recall
        shelf.gate.set()
        assert recall.wait(30)


@pytest.mark.parametrize("options", [{}, {"match": "literal"}, {"match": "fuzzy"}, {"group": "session"}])
@pytest.mark.parametrize("query", ["newcomer", "newcomer heron", "heron", "newcomer harbor:x"])
def test_nothing_is_denied_while_something_is_unread(growing: Recall, query: str, options: dict[str, Any]) -> None:
    """Regression: "nobody wrote 'newcomer'", exact totals and no limit, of a history of which a half was read."""
    answer = growing.search(query, budget_ms=100, **options)
    assert "not_read_yet" in answer.coverage.limited_by
    assert answer.coverage.unread is not None
    assert not answer.total_exact
    assert (answer.suggestions, answer.near_misses) == ((), ())
    assert "nobody" not in str(answer.to_dict())
    assert answer.warnings[0] == str(answer.coverage.unread)


def test_the_answer_says_how_much_is_unread(shelf: GrowingShelf, tmp_path: Path) -> None:
    with Recall([shelf], cache=tmp_path / "cache") as recall:
        recall.prepare()
        sure = recall.search("heron pier").answerable
        shelf.put(NEW, "a newcomer feeds the heron", 5_000)
        shelf.gate.clear()
        time.sleep(FRESH_SECONDS)
        answer = recall.search("heron pier", budget_ms=500)
        unread = answer.coverage.unread
        assert unread is not None
        assert (unread.units, unread.bytes) == (1, 5_000)
        assert answer.to_dict()["coverage"]["unread"] == {"units": 1, "bytes": 5_000}
        assert answer.answerable == pytest.approx(sure * 100 / 5_100)
        shelf.gate.set()
        assert recall.wait(30)
        whole = recall.search("newcomer")
        assert (whole.total, whole.total_exact, whole.coverage.limited_by) == (1, True, ())


@pytest.mark.parametrize("options", [{}, {"match": "literal"}])
@pytest.mark.parametrize("query", ["newcomer", "a newcomer feeds"])
def test_what_was_written_just_after_a_look_is_not_denied(
    shelf: GrowingShelf, tmp_path: Path, query: str, options: dict[str, Any]
) -> None:
    """Regression: within two seconds of a look at the disk, the words of a subagent that had ended were not there."""
    with Recall([shelf], cache=tmp_path / "cache") as recall:
        recall.refresh()
        shelf.put(NEW, "a newcomer feeds the heron")
        assert recall.search(query, **options).results[0].session_id == NEW
        shelf.put("newest", "an egret feeds as well")
        assert recall.session("newest").id == "newest"


CALLS: dict[str, dict[str, Any]] = {
    "recall": {"query": "newcomer", "match": "smart", "budget_ms": 100},
    "recall_sessions": {"scope": "global", "search": "newcomer"},
    "session_search": {"query": "newcomer", "budget_ms": 100},
    "session_recall": {"query": "newcomer", "looking_for": "what it eats", "budget_ms": 100},
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("growing", ["cached"], indirect=True)
def test_every_tool_says_that_not_everything_is_read(growing: Recall, name: str) -> None:
    answer = RecallTools(growing, context=QUAY).call(name, CALLS[name])
    assert answer["ok"]
    assert answer.get("coverage", answer)["limited_by"] == ["not_read_yet"]
    assert any("not everything is read yet" in text for text in answer["warnings"])
    assert not answer.get("suggestions")
    assert not answer.get("near_misses")
    assert answer.get("total_exact") is not True
    for denial in ("nobody", "No past conversation", "No session"):
        assert denial not in str(answer)


@pytest.mark.parametrize("growing", ["cached"], indirect=True)
def test_an_unknown_session_may_be_among_what_is_unread(growing: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_rank.recall.MISS_SECONDS", 0.1)
    for name, args in (("recall_get", {"message_id": "m"}), ("recall_messages", {}), ("recall", {"query": "egret"})):
        answer = RecallTools(growing, context=QUAY).call(name, {"session_id": NEW, **args})
        assert "no session has this id" not in str(answer)
        assert "not everything is read yet" in str(answer)


@pytest.mark.parametrize(
    "words", [("search", "newcomer"), ("session-search", "newcomer"), ("sessions", "--search", "x")]
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_shell_ends_with_3_where_not_everything_is_read(
    shelf: GrowingShelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], form: tuple[str, ...]
) -> None:
    """Regression: it printed "No hits" and ended with 1 while the words that were asked for were being read."""
    monkeypatch.setattr("recall_rank.loaders.open_source", lambda _: shelf)
    monkeypatch.setattr("recall_rank.loaders.open_sources", lambda _: [shelf])
    monkeypatch.setattr("recall_rank.recall.BUDGET_MS", 100.0)
    monkeypatch.setattr(cached_backend, "PATIENCE_SECONDS", 0.1)
    there = ("--history", str(tmp_path / "shelf"), "--cache", str(tmp_path / "cache"))
    assert CliRunner().invoke(cli, ["refresh", *there]).exit_code == 0
    shelf.put(NEW, "a newcomer feeds the heron", 5_000)
    shelf.gate.clear()
    threading.Timer(2.0, shelf.gate.set).start()
    shown = CliRunner().invoke(cli, [*words, *form, *there])
    assert shown.exit_code == 3, shown.output
    assert ("not_read_yet" in shown.output) if form else ("not everything is read yet" in shown.output)
    assert "nobody" not in shown.output
    shelf.gate.set()
    if words[0] != "sessions":
        again = CliRunner().invoke(cli, [*words, *form, *there])
        assert again.exit_code == 0, again.output


@pytest.mark.parametrize("cached", [False, True])
def test_a_denial_after_the_budget_waits_for_nothing(shelf: GrowingShelf, tmp_path: Path, cached: bool) -> None:
    """What is left of the budget is less than nothing then."""
    with Recall([shelf], tmp_path / "cache" if cached else None) as recall:
        recall.prepare()
        response = recall.search("nobody wrote this", budget_ms=1e-6)
        assert not response.results
        assert response.degrade_kind == "time"
