"""Times on a terminal are those of its user's zone, in every command; pipes, files and JSON have UTC."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.frontends.conftest import Run
from tests.support.frontends.terminal import PersonAtTerminal, rows_of

DEMO = ("--history", "demo")
ZONE = "Asia/Kolkata"  # five and a half hours before UTC
TIME = re.compile(r"20\d\d-\d\d-\d\d[ T]\d\d:\d\d")
COMMANDS = [
    ("search", "token bucket", *DEMO),
    ("search", "token bucket", "--session", "demo-10", "-n", "1", *DEMO),
    ("get", "demo-10", "demo-10-m1", *DEMO),
    ("context", "demo-10", "demo-10-m1", *DEMO),
    ("messages", "demo-10", *DEMO),
    ("sessions", *DEMO),
    ("chain", "demo-10", *DEMO),
    ("open", "demo-10", *DEMO),
    ("transcript", "demo-10", *DEMO),
    ("transcript", "demo-10", "--out", "-", *DEMO),
    ("export", "demo-10", *DEMO),
    ("session-search", "token bucket", *DEMO),
    ("session-search", *DEMO),
]
FIRST = "2026-11-18 18:43"  # of demo-10, in ZONE


def names(words: tuple[str, ...]) -> str:
    return "-".join(words[:4])


@pytest.mark.parametrize("words", COMMANDS, ids=names)
def test_a_terminal_shows_local_times(tmp_path: Path, words: tuple[str, ...]) -> None:
    with PersonAtTerminal(200, 60, tmp_path, TZ=ZONE) as person:
        status, written = person.run(*words)
    shown = "\n".join(rows_of(written))
    assert status == 0
    assert TIME.search(shown)
    assert "UTC" not in shown
    assert "+00:00" not in shown
    if words[0] in ("get", "context", "messages", "open", "transcript", "export"):
        assert FIRST in shown


@pytest.mark.parametrize("words", COMMANDS, ids=names)
def test_a_pipe_shows_utc(run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    monkeypatch.setenv("TZ", ZONE)
    shown = run(*words).stdout
    assert TIME.search(shown)
    assert "UTC" in shown or "+00:00" in shown
    assert FIRST not in shown


@pytest.mark.parametrize("words", [("transcript", "demo-10"), ("export", "demo-10")])
def test_a_file_that_is_written_from_a_terminal_has_utc(tmp_path: Path, words: tuple[str, ...]) -> None:
    with PersonAtTerminal(200, 60, tmp_path, TZ=ZONE) as person:
        assert person.run(*words, "--out", tmp_path / "page", *DEMO)[0] == 0
    page = (tmp_path / "page").read_text()
    assert "2026-11-18 13:13 UTC" in page
    assert FIRST not in page


def test_a_copy_for_an_editor_has_utc(tmp_path: Path) -> None:
    with PersonAtTerminal(200, 60, tmp_path, TZ=ZONE, EDITOR="cat") as person:
        _, written = person.run("open", "demo-10", "--editor", *DEMO)
    assert "2026-11-18 13:13 UTC" in "\n".join(rows_of(written))


def test_the_setting_of_the_zone_counts_in_transcripts(tmp_path: Path) -> None:
    settings = tmp_path / "settings" / "recall_rank"
    settings.mkdir(parents=True)
    (settings / "config.toml").write_text('[defaults]\ntime_zone = "America/New_York"\n')
    with PersonAtTerminal(200, 60, tmp_path, TZ=ZONE) as person:
        _, written = person.run("transcript", "demo-10", *DEMO)
    assert "2026-11-18 08:13" in "\n".join(rows_of(written))


def test_the_days_of_stats_say_their_zone(tmp_path: Path) -> None:
    with PersonAtTerminal(200, 60, tmp_path, TZ=ZONE) as person:
        _, written = person.run("stats", *DEMO)
    assert any(row.endswith("2026-10-07 to 2026-11-20 UTC") for row in rows_of(written))
