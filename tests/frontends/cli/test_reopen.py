"""The command that reopens a session: for known agents only, and safe to paste into a shell."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.transcripts.reopen import _COMMANDS, reopen
from recall_rank.loaders.registry import LOADERS
from recall_rank.model import Flag


@pytest.mark.parametrize(
    ("store", "command"),
    [
        ("claude-code", "claude --resume a-1"),
        ("codex", "codex resume a-1"),
        ("copilot-cli", "copilot --resume=a-1"),
        ("cursor-cli", "cursor-agent --resume a-1"),
        ("gemini-cli", "gemini --resume a-1"),
        ("goose", "goose session --resume --session-id a-1"),
        ("hermes", "hermes --resume a-1"),
        ("opencode", "opencode --session a-1"),
        ("pi", "pi --session a-1"),
        ("tallow", "tallow --resume a-1"),
        ("memo-agent", None),
        ("history", None),
        ("aider", None),
        (None, None),
    ],
)
def test_the_command_of_each_agent(store: str | None, command: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_dir", lambda path: str(path) == "/srv/sea port")
    assert reopen(store, "a-1", None) == command
    assert reopen(store, "a-1", "/srv/sea port") == (command and f"cd '/srv/sea port' && {command}")


@pytest.mark.parametrize(
    ("place", "profile"),
    [
        ("/home/ana/.memo-agent/sessions.db", ""),
        ("/home/ana/.memo-agent/profiles/harbor/sessions.db", " --profile harbor"),
        ("/home/ana/.memo-agent/profiles/-x; rm/sessions.db", None),
        ("/home/ana/.memo-agent/profiles/.hidden/sessions.db", None),
        ("/home/ana/profiles/deeper/still/sessions.db", ""),
        ("C:\\Users\\ana\\.memo-agent\\profiles\\harbor\\sessions.db", " --profile harbor"),
    ],
)
def test_a_session_of_memo_agent_is_reopened_in_its_profile(place: str, profile: str | None) -> None:
    """Where the profile is wrong, memo-agent begins a new session: there is no command without a known profile."""
    command = None if profile is None else f"memo --resume a-1{profile}"
    assert reopen("memo-agent", "a-1", None, places=(place, "/elsewhere/profiles/other/sessions.db")) == command
    assert reopen("memo-agent", "a-1", None) is None


def test_every_agent_with_a_command_has_a_loader() -> None:
    assert set(_COMMANDS) <= {loader.name for loader in LOADERS}


def test_a_session_whose_folder_is_gone_has_no_command(tmp_path: Path) -> None:
    folder = tmp_path / "sea"
    assert reopen("codex", "a-1", str(folder)) is None
    folder.touch()
    assert reopen("codex", "a-1", str(folder)) is None
    folder.unlink()
    folder.mkdir()
    assert reopen("codex", "a-1", str(folder)) == f"cd {folder} && codex resume a-1"


def test_a_subagent_has_no_command() -> None:
    assert reopen("codex", "a-1", "/srv", Flag.SUBAGENT | Flag.ERROR) is None


def test_a_deleted_session_has_no_command() -> None:
    assert reopen("codex", "a-1", "/srv", Flag.SOURCE_MISSING) is None


@pytest.mark.parametrize("key", ["", "-rf", "--yolo", "a b", "a;b", "$(id)", "a\nb", "a`b", "ä", "a/b", "x" * 300])
def test_an_unusual_id_has_no_command(key: str) -> None:
    assert reopen("codex", key, None) is None


@pytest.mark.parametrize("folder", ["relative", "/a\nb", "/a\x1b[2J", "/a\u202eb", "C:\\x"])
def test_a_directory_with_unsafe_characters_has_no_command(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_dir", lambda _: True)
    assert reopen("codex", "a-1", folder) is None


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_shell_reads_id_and_directory_as_single_words(key: str, folder: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "is_dir", lambda _: True)
        command = reopen("claude-code", key, "/" + folder)
    if command is not None:
        assert shlex.split(command) == ["cd", "/" + folder, "&&", "claude", "--resume", key]
        assert "\n" not in command
