"""The cache on the command line: its place, its options, refresh, purge, ignored and forgotten sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.demo.generate import history
from recall_rank.histories.cache.location import default_cache
from recall_rank.histories.settings import Settings, settings
from tests.conftest import state
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
    assert run("purge").exit_code == 1
    found(run, "--history", demo)
    told = json.loads(run("purge", "--json").stdout)
    assert told["files"] == 3
    assert told["left"] == []
    assert caches(home) == set()
    assert run("purge", "--no-cache").exit_code == 2
    (home / "caches" / "recall_rank").mkdir(parents=True)
    (home / "caches" / "recall_rank" / "notes").touch()
    result = run("purge")
    assert (result.exit_code, "left: " in result.stderr) == (1, True)


def test_a_session_can_be_forgotten(run: Run, home: Path, demo: Path) -> None:
    before = found(run, "--history", demo)
    session = before["results"][0]["session_id"]
    assert run("forget", session, "--history", demo, "--no-cache").exit_code == 2
    assert run("forget", "nobody", "--history", demo).exit_code == 1
    told = json.loads(run("forget", session, "--history", demo, "--json").stdout)
    assert (told["session_id"], told["others"]) == (session, [])
    after = found(run, "--history", demo)
    assert session not in {hit["session_id"] for hit in after["results"]}
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
