"""Numbers of hits last: they name what the last search of this terminal showed, and hold no recalled text."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.cli import last_search
from recall_rank.frontends.cli.last_search import (
    DAYS,
    MOST,
    LastSearch,
    ShownHit,
    absolute_histories,
    forget_in_searches,
    remember,
    remove_searches,
)
from recall_rank.frontends.demo.generate import history
from tests.frontends.conftest import Run
from tests.support.frontends.terminal import PersonAtTerminal, rows_of, screen

SEARCH = LastSearch(1, (ShownHit("demo-10", "demo-10-m2", "p"), ShownHit("demo-06", "demo-06-m3", "q")), "token")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, folder in (("HOME", ""), ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "caches")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    return tmp_path


@pytest.fixture
def terminal(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A terminal of its own for this process, and the folder of the files of terminals."""
    monkeypatch.setattr(last_search, "terminal_name", lambda: "this.json")
    return home / "state" / "recall_rank" / "last-searches"


def test_the_file_is_private_and_has_no_recalled_text(terminal: Path) -> None:
    remember(SEARCH)
    (path,) = terminal.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(terminal.stat().st_mode) == 0o700
    kept = json.loads(path.read_text())
    assert set(kept) == {"version", "first", "hits", "query", "match", "histories", "cache", "time"}
    assert [set(hit) for hit in kept["hits"]] == [{"session_id", "message_id", "part_id"}] * 2
    found = last_search.last_search()
    assert found is not None
    assert (found.hits, found.query, found.first) == (SEARCH.hits, "token", 1)


def test_a_number_names_a_hit(terminal: Path, home: Path, run: Run) -> None:
    remember(LastSearch(11, SEARCH.hits, histories=(str(home / "history.jsonl"),)))
    assert "A fixed window lets a client" in run("get", "11").stdout
    assert "And why did the refresh token survive?" in run("context", "12").stdout
    assert json.loads(run("get", "11", "--json").stdout)["message"]["id"] == "demo-10-m2"
    assert "demo-06-m1" in run("messages", "12").stdout
    assert run("transcript", "11").stdout.startswith("# Rate limiting")
    assert "Rate limiting for the booking API" in run("chain", "11").stdout
    assert run("export", "11", "-f", "jsonl").stdout
    assert run("open", "11").stdout == run("transcript", "11").stdout
    for words in (("get", "1"), ("context", "13"), ("copy", "100"), ("open", "7"), ("reopen", "7")):
        result = run(*words)
        assert result.exit_code == 5
        assert f"there is no hit {words[1]}: the last search of this terminal shows 11 to 12" in result.stderr


def test_a_list_of_sessions_has_numbers_too(terminal: Path, home: Path, run: Run) -> None:
    remember(LastSearch(1, (ShownHit("demo-10"),), histories=(str(home / "history.jsonl"),)))
    assert "Partners hammer" in run("messages", "1").stdout
    result = run("get", "1")
    assert result.exit_code == 2
    assert "1 is a session, no message: `recall-rank messages 1` reads it." in result.stderr


def test_a_number_is_an_id_where_it_is_written_as_one(home: Path, run: Run, terminal: Path) -> None:
    path = home / "numbered.jsonl"
    path.write_text(history().replace('"demo-10', '"7'), encoding="utf-8")
    named = ("--history", path)
    assert "Partners hammer" in run("get", "7", "7-m1", *named).stdout  # with a message it is no number of a hit
    assert "Partners hammer" in run("messages", "id:7", *named).stdout
    result = run("messages", "7", *named)
    assert result.exit_code == 5
    assert "a session with this id is written id:7" in result.stderr


@pytest.mark.parametrize("number", ["0", "01", "1000", "12345", "1a"])
def test_longer_numbers_are_beginnings_of_ids(terminal: Path, home: Path, run: Run, number: str) -> None:
    remember(SEARCH)
    result = run("messages", number, "--history", home / "history.jsonl")
    assert f"no session '{number}'" in result.stderr


def test_more_hits_than_numbers_are_not_kept(terminal: Path) -> None:
    remember(LastSearch(MOST - 1, SEARCH.hits * 5))
    found = last_search.last_search()
    assert found is not None
    assert len(found.hits) == 2


def test_a_thousand_hits_are_kept(terminal: Path) -> None:
    hits = tuple(ShownHit(f"session-{n:0>100}", f"message-{n:0>100}", f"part-{n:0>100}") for n in range(MOST))
    remember(LastSearch(1, hits))
    found = last_search.last_search()
    assert found is not None
    assert found.hits == hits


def test_a_search_expires_and_its_file_goes(terminal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(SEARCH)
    later = time.time() + DAYS * 86_400 + 1
    monkeypatch.setattr(last_search.time, "time", lambda: later)
    assert last_search.last_search() is None
    monkeypatch.setattr(last_search, "terminal_name", lambda: "other.json")
    remember(SEARCH)
    assert [path.name for path in terminal.iterdir()] == ["other.json"]


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", "null", '{"version": 1}', '{"version": 2, "first": 1}', '{"version": 2, "hits": 3}']
)
def test_a_damaged_file_counts_as_none(terminal: Path, damage: str) -> None:
    remember(SEARCH)
    (terminal / "this.json").write_text(damage)
    assert last_search.last_search() is None
    remember(SEARCH)
    assert last_search.last_search() is not None


def test_a_file_that_others_may_read_counts_as_none(terminal: Path) -> None:
    remember(SEARCH)
    (terminal / "this.json").chmod(0o666)
    assert last_search.last_search() is None


def test_forgetting_takes_a_session_and_its_query_out_of_every_file(
    terminal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(SEARCH)
    monkeypatch.setattr(last_search, "terminal_name", lambda: "other.json")
    remember(LastSearch(1, SEARCH.hits[1:], "cookie"))
    (terminal / "damaged.json").write_text("{")
    forget_in_searches("demo-10")
    texts = {path.name: path.read_text() for path in terminal.iterdir()}
    assert set(texts) == {"this.json", "other.json"}
    assert "demo-10" not in texts["this.json"] + texts["other.json"]
    assert "token" not in texts["this.json"]
    assert "cookie" in texts["other.json"]
    monkeypatch.setattr(last_search, "terminal_name", lambda: "this.json")
    left = last_search.last_search()
    assert left is not None
    assert left.hits == (None, SEARCH.hits[1])


def test_the_command_forget_and_purge_clear_the_files(terminal: Path, home: Path, run: Run) -> None:
    remember(LastSearch(1, SEARCH.hits, histories=(str(home / "history.jsonl"),)))
    assert run("forget", "demo-10", "--history", home / "history.jsonl").exit_code == 0
    assert "demo-10" not in (terminal / "this.json").read_text()
    result = run("get", "1")
    assert (result.exit_code, result.stderr) == (5, "recall-rank: the session of hit 1 was forgotten\n")
    assert run("purge").exit_code == 0
    assert list(terminal.iterdir()) == []
    assert remove_searches() == 0


def test_histories_mean_the_same_in_every_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    (home / "demo").mkdir()
    assert absolute_histories(("history.jsonl", "demo", "codex", "~")) == (
        str(home / "history.jsonl"),
        "demo",
        "codex",
        str(home),
    )


# --- on a terminal of the system -------------------------------------------------------------------------------


@pytest.fixture
def person(tmp_path: Path) -> Iterator[PersonAtTerminal]:
    with PersonAtTerminal(80, 24, tmp_path) as there:
        yield there


def files(home: Path) -> dict[str, Any]:
    folder = home / "state" / "recall_rank" / "last-searches"
    return {path.name: json.loads(path.read_text()) for path in folder.glob("*.json")} if folder.exists() else {}


def test_each_terminal_has_its_own_numbers(tmp_path: Path, person: PersonAtTerminal) -> None:
    person.run("demo", "token bucket", "-n", "1")
    with PersonAtTerminal(80, 24, tmp_path) as other:
        assert "no search was made in this terminal" in " ".join(screen(other.run("get", "1")[1]))
        other.run("demo", "umlauts", "-n", "1")
        assert len(files(tmp_path)) == 2
    status, written = person.run("get", "1")
    assert status == 0
    assert "bucket" in written
    assert "\x1b[1;33mbucket\x1b[0m" in written  # the words of the search are marked
    assert not any("smooths" in json.dumps(kept) for kept in files(tmp_path).values())


def test_a_search_that_leaves_no_trace_leaves_no_numbers(tmp_path: Path, person: PersonAtTerminal) -> None:
    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    named = ("--history", tmp_path / "history.jsonl")
    person.run("search", "token", *named)
    (kept,) = files(tmp_path).values()
    assert kept["histories"] == [str(tmp_path / "history.jsonl")]
    person.run("search", "umlauts", *named, "--no-cache")
    assert files(tmp_path) == {}
    assert person.run("get", "1")[0] == 5


def test_the_cache_of_the_search_is_used_again(tmp_path: Path, person: PersonAtTerminal) -> None:
    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    own = tmp_path / "own"
    person.run("search", "token", "--history", tmp_path / "history.jsonl", "--cache", own)
    before = sorted(path.name for path in own.iterdir())
    assert person.run("get", "1")[0] == 0
    assert sorted(path.name for path in own.iterdir()) == before
    assert not (tmp_path / "caches").exists()


def test_json_and_columns_change_no_numbers(tmp_path: Path, person: PersonAtTerminal) -> None:
    person.run("demo", "token")
    before = files(tmp_path)
    for form in ("--json", "--tsv", "-q"):
        person.run("demo", "umlauts", form)
    assert files(tmp_path) == before
    assert rows_of(person.run("demo", "umlauts", "--oneline")[1])[0].startswith(" 1. ")
    assert files(tmp_path) != before


def test_the_sessions_of_session_search_have_numbers(tmp_path: Path, person: PersonAtTerminal) -> None:
    person.run("demo", "umlauts")
    _, written = person.run("session-search", "token bucket", "--history", "demo")
    assert max(map(len, screen(written))) <= 80
    first = next(row for row in screen(written) if row.startswith(" 1. "))
    assert "Rate limiting for the booking API" in first
    assert "# Rate limiting for the booking API" in screen(person.run("open", "1")[1])


def test_a_place_that_cannot_be_written_is_told_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with PersonAtTerminal(80, 24, tmp_path) as there:
        status, written = there.run("demo", "token")
    assert status == 0
    assert "the numbers of these hits cannot be kept for later commands" in " ".join(rows_of(written))


def test_operators_of_the_query_are_not_marked(tmp_path: Path, person: PersonAtTerminal) -> None:
    person.run("demo", "role:assistant bucket", "-n", "1")
    (kept,) = files(tmp_path).values()
    assert kept["query"] == "bucket"
    written = person.run("get", "1")[1]
    assert "\x1b[1;33mbucket\x1b[0m" in written
    assert "\x1b[1;33massistant" not in written
