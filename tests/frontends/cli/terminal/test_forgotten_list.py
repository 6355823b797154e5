"""`forget --list` shows what is kept of forgotten sessions, and `--undo` reads one again."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recall_rank import Recall
from recall_rank.frontends.demo.generate import history
from recall_rank.histories.records.forgotten import (
    FORGOTTEN,
    LARGEST,
    ForgottenSession,
    UnreadableListError,
    forget,
    forgotten,
    forgotten_sessions,
    take_back,
)
from recall_rank.histories.records.left_out import session_digest
from recall_rank.loaders import open_sources
from tests.frontends.conftest import Run


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, folder in (("HOME", ""), ("XDG_CACHE_HOME", "caches"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    made = tmp_path / "history.jsonl"
    made.write_text(history(), encoding="utf-8")
    return made


def test_the_list_shows_digest_day_and_agent(run: Run, path: Path, tmp_path: Path) -> None:
    assert run("forget", "--list").stdout == "nothing was forgotten\n"
    for name in ("demo-10", "demo-09"):
        assert run("forget", name, "--history", path).exit_code == 0
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    digests = [session_digest(name) for name in ("demo-10", "demo-09")]
    assert run("forget", "--list").stdout.splitlines() == [
        f"{digests[0][:12]}  {today}  opencode",
        f"{digests[1][:12]}  {today}  codex",
        "2 sessions forgotten",
    ]
    told = json.loads(run("forget", "--list", "--json").stdout)["forgotten"]
    assert told[0] == {"digest": digests[0], "day": today, "agent": "opencode"}
    kept = (tmp_path / "caches" / "recall_rank" / FORGOTTEN).read_text()
    assert "demo-" not in kept
    assert "Rate" not in kept


@pytest.mark.parametrize("by", ["id", "digest"])
def test_what_was_forgotten_can_be_read_again(run: Run, path: Path, by: str) -> None:
    named = ("--history", path)
    whole = run("search", "token bucket", *named, "-q").stdout
    run("forget", "demo-10", *named)
    assert "demo-10" not in run("search", "token bucket", *named, "-q").stdout
    wanted = "demo-10" if by == "id" else run("forget", "--list").stdout.split()[0]
    result = run("forget", "--undo", wanted, *named)
    assert (result.exit_code, result.stdout) == (0, "read again: demo-10\n")
    assert run("search", "token bucket", *named, "-q").stdout == whole
    assert run("forget", "--list").stdout == "nothing was forgotten\n"
    again = run("forget", "--undo", wanted, *named)
    assert again.exit_code == 5
    assert "give its whole id, or a digest" in again.stderr


def test_what_its_agent_has_deleted_does_not_come_back(run: Run, path: Path) -> None:
    run("forget", "demo-10", "--history", path)
    path.write_text("".join(line for line in history().splitlines(True) if '"demo-10' not in line), encoding="utf-8")
    result = run("forget", "--undo", "demo-10", "--history", path)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "none of the histories that were read has the session any more" in result.stderr
    assert json.loads(run("forget", "--list", "--json").stdout)["forgotten"] == []


@pytest.mark.parametrize("words", [("--list", "demo-10"), ("--list", "--undo"), (), ("--undo",)])
def test_wrong_usage(run: Run, path: Path, words: tuple[str, ...]) -> None:
    assert run("forget", *words).exit_code == 2


def test_a_beginning_of_an_id_is_not_enough(tmp_path: Path) -> None:
    forget(tmp_path, "a-long-session-id")
    assert take_back(tmp_path, "a-long-session") is None
    digest = session_digest("a-long-session-id")
    assert take_back(tmp_path, digest[:7]) is None
    assert take_back(tmp_path / "none", digest) is None
    assert take_back(tmp_path, digest[:8]) == ForgottenSession(digest)
    assert forgotten(tmp_path) == frozenset()


def test_a_list_without_days_is_read(tmp_path: Path) -> None:
    digest = session_digest("one")
    forget(tmp_path, "two", day="2026-05-01", agent="Odd Agent\n")
    file = tmp_path / FORGOTTEN
    file.write_text(f"blake2b:{digest}\n{file.read_text()}raw-id\n")
    assert forgotten_sessions(tmp_path) == [
        ForgottenSession(digest),
        ForgottenSession(session_digest("two"), "2026-05-01"),
        ForgottenSession(session_digest("raw-id")),
    ]
    forget(tmp_path, "one", day="2026-06-01")  # which it has already
    assert len(forgotten_sessions(tmp_path)) == 3


def test_the_number_of_a_hit_is_no_session_to_forget(run: Run, path: Path) -> None:
    result = run("forget", "1", "--history", path)
    assert result.exit_code == 5
    assert "no session '1': it takes an id, and no number of a hit" in result.stderr


def by_a_folder_of_others(cache: Path) -> None:
    cache.chmod(0o775)


def by_a_public_list(cache: Path) -> None:
    (cache / FORGOTTEN).chmod(0o644)


def by_a_link_in_place_of_the_list(cache: Path) -> None:
    (cache / FORGOTTEN).rename(cache / "elsewhere")
    (cache / FORGOTTEN).symlink_to(cache / "elsewhere")


def by_a_link_in_place_of_the_folder(cache: Path) -> None:
    cache.rename(cache.with_name("elsewhere"))
    cache.symlink_to(cache.with_name("elsewhere"), target_is_directory=True)


def by_a_folder_in_place_of_the_list(cache: Path) -> None:
    (cache / FORGOTTEN).unlink()
    (cache / FORGOTTEN).mkdir()


def by_a_list_that_is_too_long(cache: Path) -> None:
    with (cache / FORGOTTEN).open("ab") as file:
        file.truncate(LARGEST + 1)


def by_a_list_that_is_no_text(cache: Path) -> None:
    (cache / FORGOTTEN).write_bytes(b"\x80\x05")


UNREADABLE = [
    by_a_list_that_is_no_text,
    by_a_folder_of_others,
    by_a_public_list,
    by_a_link_in_place_of_the_list,
    by_a_link_in_place_of_the_folder,
    by_a_folder_in_place_of_the_list,
    by_a_list_that_is_too_long,
]


@pytest.mark.parametrize("spoil", UNREADABLE)
def test_a_list_that_cannot_be_read_does_not_count_as_empty(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    cache = tmp_path / "cache"
    assert forgotten(cache) == frozenset()
    forget(cache, "demo-10")
    spoil(cache)
    with pytest.raises(UnreadableListError, match=f"the list of forgotten sessions in {cache} cannot be read: "):
        forgotten(cache)


def test_where_no_list_can_be_there_is_none(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    (tmp_path / "open").mkdir(mode=0o777)
    for cache in (tmp_path / "none", file, file / "below", tmp_path / "open"):
        assert forgotten(cache) == frozenset()


COMMANDS = [
    ("push", "file://{out}", "--project", "*"),
    ("push", "file://{out}", "--project", "*", "--ignore", "project:zzz"),
    ("push", "file://{out}", "--project", "*", "--no-cache"),
    ("push", "file://{out}", "--project", "*", "--dry-run"),
    ("search", "token bucket"),
    ("search", "token bucket", "--no-cache"),
    ("search", "token bucket", "--ignore", "project:zzz"),
    ("get", "demo-10", "demo-10-m2"),
    ("sessions", "--json"),
    ("export", "demo-10", "--out", "{out}"),
    ("transcript", "demo-10"),
    ("refresh",),
]


@pytest.mark.parametrize("words", [*COMMANDS, ("build", "--out", "{out}")], ids=" ".join)
def test_nothing_is_kept_shown_or_sent_while_the_list_cannot_be_read(
    run: Run, path: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert run("forget", "demo-10", "--history", path).exit_code == 0
    by_a_folder_of_others(tmp_path / "caches" / "recall_rank")
    out = tmp_path / "out"
    named = ("--history", path) if words[0] != "build" else (path,)
    ended = run(*(each.format(out=out) for each in words), *named)
    assert ended.exit_code in (2, 4)
    assert "the list of forgotten sessions in " in ended.output
    assert "token bucket" not in ended.output
    assert not out.exists()


def test_an_open_index_goes_on_without_what_was_forgotten(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    forget(cache, "demo-10")
    by_a_folder_of_others(cache)
    with Recall(open_sources(path), cache) as recall:
        for ask in (lambda: recall.search("token bucket"), recall.sessions, recall.refresh):
            with pytest.raises(UnreadableListError):
                ask()
        cache.chmod(0o700)
        assert recall.search("token bucket").results
        assert "demo-10" not in {each.id for each in recall.sessions()}
