"""The cache on the command line: its place, its options, refresh, purge, ignored and forgotten sessions."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.demo.generate import history
from recall_rank.histories.cache.location import default_cache
from recall_rank.histories.settings import Settings, settings
from tests.conftest import state
from tests.fixtures import make_chat_stores, make_pi
from tests.frontends.conftest import Run


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder for one test, with its own cache and settings."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return tmp_path


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    path = tmp_path / "demo.jsonl"
    path.write_text(history(), encoding="utf-8")
    return path


def configure(home: Path, text: str) -> None:
    folder = home / "settings" / "recall_rank"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")


def found(run: Run, *words: object) -> dict[str, Any]:
    result = run("search", "rate limit", *words, "--json")
    assert result.exit_code in (0, 1), result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def parts(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """The part and the snippet of each hit; scores are left out, since they depend on the time of the search."""
    return [(hit["part_id"], hit["snippet"]) for hit in answer["results"]]


def caches(home: Path) -> set[str]:
    return {path.parent.parent.name for path in home.rglob("manifest-*")}


def test_searches_use_the_cache_of_this_user_unless_told_otherwise(run: Run, home: Path, demo: Path) -> None:
    memory = found(run, "--history", demo, "--no-cache")
    assert caches(home) == set()
    first = found(run, "--history", demo)
    assert caches(home) == {"recall_rank"}
    cache = default_cache()
    assert cache == home / "caches" / "recall_rank"
    there = {name: size for name, (size, _) in state(cache).items()}
    again = found(run, "--history", demo)
    assert {name: size for name, (size, _) in state(cache).items()} == there
    assert parts(memory) == parts(first) == parts(again)
    found(run, "--history", demo, "--cache", home / "elsewhere")
    assert caches(home) == {"recall_rank", "elsewhere"}


def test_transcript_commands_use_the_cache_and_show_new_sessions(run: Run, home: Path, demo: Path) -> None:
    sessions = json.loads(run("sessions", "--history", demo, "--json").stdout)["sessions"]
    with demo.open("a", encoding="utf-8") as file:
        file.write('{"t":"session","id":"brandnew","title":"Brand new","created":1900000000000}\n')
        part = '{"id":"p","type":"text","text":"the zeppelin has landed"}'
        file.write(f'{{"t":"message","session":"brandnew","id":"m","role":"user","parts":[{part}]}}\n')
    after = json.loads(run("sessions", "--history", demo, "--json").stdout)["sessions"]
    assert len(after) >= len(sessions)
    assert "Brand new" in run("sessions", "--history", demo).stdout
    assert run("search", "zeppelin", "--history", demo).exit_code == 0


def test_a_shortened_list_of_sessions_shows_the_total(run: Run, demo: Path) -> None:
    count = len(json.loads(run("sessions", "--history", demo, "--json").stdout)["sessions"])
    assert run("sessions", "--history", demo).stdout.endswith(f"\n{count} sessions\n")
    assert run("sessions", "--history", demo, "-n", "2").stdout.endswith(f"\n2 of {count} sessions\n")
    told = json.loads(run("sessions", "--history", demo, "--search", "rate", "-n", "1", "--json").stdout)
    assert (told["returned"], told["total"]) == (1, 1)


def test_sources_tell_where_and_when(run: Run, home: Path, demo: Path) -> None:
    shown = run("sources", "--history", demo).stdout
    assert "last refreshed just now, kept in" in shown
    told = json.loads(run("sources", "--history", demo, "--json").stdout)["cache"]
    assert Path(told["folder"]).parent == home / "caches" / "recall_rank"
    assert told["refreshed"] > 1_700_000_000_000
    assert "cache" not in json.loads(run("sources", "--history", demo, "--no-cache", "--json").stdout)


def test_refresh_says_what_changed(run: Run, demo: Path) -> None:
    first = json.loads(run("refresh", "--history", demo, "--json").stdout)
    assert (first["changed"], first["units"], first["removed"], first["warnings"]) == (True, 1, 0, [])
    assert first["indexed"] == first["sources"][0]["sessions"]
    assert run("refresh", "--history", demo).stdout.startswith("nothing changed, ")
    demo.write_text("".join(history().splitlines(keepends=True)[:-1]), encoding="utf-8")
    assert "sessions indexed" in run("refresh", "--history", demo).stdout
    demo.unlink()
    assert run("refresh", "--history", demo).exit_code == 3


def test_the_home_of_an_unknown_user_is_a_usage_error(run: Run, demo: Path) -> None:
    for words in (
        ("search", "x", "--history", demo),
        ("sources", "--history", demo),
        ("forget", "x"),
        ("purge",),
        ("refresh",),
        ("stats", "--json"),
    ):
        shown = run(*words, "--cache", "~nobody-here/x")
        assert shown.exit_code == 2, shown.exception
        assert "--cache ~nobody-here/x: " in shown.output
    shown = run("search", "x", "--history", "~nobody-here/x")
    assert shown.exit_code == 2
    assert "--history ~nobody-here/x: " in shown.stderr


def test_purge_removes_the_cache(run: Run, home: Path, demo: Path) -> None:
    assert run("purge").exit_code == 0
    found(run, "--history", demo)
    told = json.loads(run("purge", "--json").stdout)
    assert told["files"] == 3
    assert told["left"] == []
    assert caches(home) == set()
    for option in ("--no-cache", "--ignore", "--keep-vanished"):
        assert f"No such option '{option}'" in run("purge", option).stderr
    (home / "caches" / "recall_rank").mkdir(parents=True)
    (home / "caches" / "recall_rank" / "notes").touch()
    result = run("purge")
    assert (result.exit_code, "left: " in result.stderr) == (0, True)


def drop_lines(home: Path) -> tuple[Path, Callable[[], None]]:
    """A history file, and what makes one of its sessions vanish."""
    path = home / "demo.jsonl"
    path.write_text(history(), encoding="utf-8")
    first = json.loads(history().splitlines()[0])["id"]
    lines = [line for line in history().splitlines(keepends=True)
             if first not in (json.loads(line)["id"], json.loads(line).get("session"))]  # fmt: skip
    return path, lambda: path.write_text("".join(lines), encoding="utf-8") and None


def drop_file(home: Path) -> tuple[Path, Callable[[], None]]:
    """A folder of transcripts, and what deletes one of them."""
    folder = make_pi.write_pi(home)
    path = next(iter(sorted(folder.rglob("*.jsonl"))))
    return folder, path.unlink


def drop_last_file(home: Path) -> tuple[Path, Callable[[], None]]:
    """A folder of one transcript, and what deletes it: then no loader recognises the folder."""
    folder, unlink = drop_file(home)
    for path in sorted(folder.rglob("*.jsonl"))[1:]:
        path.unlink()
    return folder, unlink


def drop_row(home: Path) -> tuple[Path, Callable[[], None]]:
    """A database, and what deletes a session of it."""
    path = make_chat_stores.write_goose(home / "goose")

    def delete() -> None:
        with closing(sqlite3.connect(path / "sessions.db")) as database, database:
            database.execute("DELETE FROM messages WHERE session_id = '20260528_2'")
            database.execute("DELETE FROM sessions WHERE id = '20260528_2'")

    return path, delete


@pytest.mark.parametrize("seen", [False, True], ids=["not seen since", "seen since"])
@pytest.mark.parametrize("drop", [drop_lines, drop_file, drop_last_file, drop_row])
def test_purge_spares_sessions_that_are_nowhere_else(
    run: Run, home: Path, drop: Callable[[Path], tuple[Path, Callable[[], None]]], seen: bool
) -> None:
    path, vanish = drop(home)
    assert run("refresh", "--history", path, "--keep-vanished").exit_code == 0
    told = json.loads(run("refresh", "--history", path, "--json").stdout)
    assert told["sources"][0].get("kept", 0) == 0
    vanish()
    if seen:
        run("refresh", "--history", path)
    refused = run("purge")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "1 session" in refused.stderr
    assert "--kept" in refused.stderr
    told = json.loads(run("purge", "--forgotten", "--json").stdout)
    assert (told["ok"], told["kept"], told["unreadable"]) == (False, 1, [])
    assert caches(home) == {"recall_rank"}
    if drop is not drop_last_file:
        assert json.loads(run("refresh", "--history", path, "--json").stdout)["sources"][0]["kept"] == 1
    done = run("purge", "--kept")
    assert (done.exit_code, "1 session" in done.stdout) == (0, True)
    assert caches(home) == set()
    run("refresh", "--history", path)
    assert json.loads(run("purge", "--json").stdout)["kept"] == 0


def test_purge_says_which_index_cannot_be_read(run: Run, home: Path, demo: Path) -> None:
    found(run, "--history", demo)
    (table,) = home.rglob("table-*")
    table.write_bytes(table.read_bytes()[:-8] + bytes(8))
    told = json.loads(run("purge", "--json").stdout)
    assert (told["ok"], told["kept"], told["unreadable"]) == (False, 0, [str(table.parent)])
    told = json.loads(run("purge", "--kept", "--json").stdout)
    assert (told["ok"], told["kept"], told["unreadable"]) == (True, 0, [str(table.parent)])
    assert caches(home) == set()


def test_without_any_store_the_index_of_those_that_were_there_goes(run: Run, home: Path) -> None:
    folder = make_pi.write_pi(home)
    assert run("refresh").exit_code == 0
    assert caches(home) == {"recall_rank"}
    shutil.rmtree(folder)
    assert run("search", "x").exit_code == 3
    assert caches(home) == set()


def test_forget_says_which_index_it_had_to_remove(run: Run, home: Path, demo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(history(), encoding="utf-8")
    found(run, "--history", other)
    (table,) = home.rglob("table-*")
    session = found(run, "--history", demo)["results"][0]["session_id"]
    table.write_bytes(bytes(len(table.read_bytes())))
    told = json.loads(run("forget", session, "--history", demo, "--json").stdout)
    assert (told["others"], told["removed"]) == ([], [str(table.parent)])


def test_a_session_can_be_forgotten(run: Run, home: Path, demo: Path) -> None:
    before = found(run, "--history", demo)
    session = before["results"][0]["session_id"]
    assert run("forget", session, "--history", demo, "--no-cache").exit_code == 2
    assert run("forget", "nobody", "--history", demo).exit_code == 5
    told = json.loads(run("forget", session, "--history", demo, "--json").stdout)
    assert (told["session_id"], told["others"]) == (session, [])
    after = found(run, "--history", demo)
    assert session not in {hit["session_id"] for hit in after["results"]}
    for options in (("--no-cache",), ("--ignore", "store:nobody")):  # an index in memory leaves it out, too
        assert parts(found(run, "--history", demo, *options)) == parts(after)
    assert after["coverage"]["sessions"]["known"] == before["coverage"]["sessions"]["known"] - 1
    run("purge", "--forgotten")
    assert parts(found(run, "--history", demo)) == parts(before)


def test_ignored_sessions_are_never_read(run: Run, home: Path, demo: Path) -> None:
    session = found(run, "--history", demo)["results"][0]["session_id"]
    ignored = found(run, "--history", demo, "--ignore", f"session:{session}")
    assert session not in {hit["session_id"] for hit in ignored["results"]}
    assert found(run, "--history", demo)["results"][0]["session_id"] == session
    for wrong in ("session", "person:x", "session:"):
        assert run("search", "x", "--history", demo, "--ignore", wrong).exit_code == 2
    configure(home, f'[ignore]\nsessions = ["{session}"]\n')
    assert session not in {hit["session_id"] for hit in found(run, "--history", demo)["results"]}


def test_settings_name_the_cache_and_keep_vanished_sessions(run: Run, home: Path, demo: Path) -> None:
    configure(home, f'cache = "{home}/mine"\nkeep_vanished = true\n')
    session = found(run, "--history", demo)["results"][0]["session_id"]
    assert caches(home) == {"mine"}
    lines = [line for line in history().splitlines(keepends=True) if json.loads(line).get("session") != session]
    demo.write_text("".join(line for line in lines if json.loads(line)["id"] != session), encoding="utf-8")
    kept = found(run, "--history", demo)["results"][0]
    assert (kept["session_id"], kept["flags"]) == (session, ["source_missing"])
    assert run("messages", session, "--history", demo).exit_code == 0
    assert "gone at its source" in run("search", "rate limit", "--history", demo, "-n", "1").stdout
    assert "1 session is gone at the source and kept" in run("sources", "--history", demo).stdout
    assert json.loads(run("sources", "--history", demo, "--json").stdout)["sources"][0]["kept"] == 1
    listed = json.loads(run("sessions", "--history", demo, "--json").stdout)["sessions"]
    assert [entry["id"] for entry in listed if entry.get("source_missing")] == [session]
    assert run("sessions", "--history", demo).stdout.count("gone at its source") == 1
    gone = found(run, "--history", demo, "--no-keep-vanished")
    assert session not in {hit["session_id"] for hit in gone["results"]}
    assert run("search", "x", "--history", demo, "--cache", home / "a", "--no-cache").exit_code == 2


@pytest.mark.parametrize(
    "text",
    [
        "cache = ''",
        "cache = 'caches'",
        "cache = './x'",
        "cache = '~nobody-here/x'",
        "cache =",
        "cache = 7",
        "colour = 1",
        "ignore = 1",
        "[ignore]\nfolders = []",
        "[ignore]\npaths = [1]",
    ],
)
def test_wrong_settings_are_refused(run: Run, home: Path, demo: Path, text: str) -> None:
    configure(home, text)
    result = run("search", "x", "--history", demo)
    assert (result.exit_code, "config.toml" in result.stderr) == (2, True)


def test_without_settings_the_folders_are_those_of_the_platform(home: Path) -> None:
    assert settings() == Settings()
    configure(home, "cache = false\n")
    assert settings().cache is False
    (home / "settings" / "recall_rank" / "config.toml").unlink()
    (home / "settings" / "recall_rank" / "config.toml").mkdir()
    with pytest.raises(ValueError, match="cannot be read"):
        settings()


def test_the_demo_leaves_no_cache(run: Run, home: Path) -> None:
    assert run("demo", "rate limit").exit_code == 0
    assert caches(home) == set()
