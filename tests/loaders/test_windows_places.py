"""Stores, caches and settings where they lie on Windows, with a made-up environment: nothing here runs on Windows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import platformdirs
import pytest
from platformdirs import windows

from recall_rank.histories.cache import location
from recall_rank.histories.cache.location import default_cache, default_settings
from recall_rank.loaders import discover
from tests.fixtures import (
    make_chat_stores,
    make_codex,
    make_copilot,
    make_cursor,
    make_fixtures,
    make_gemini,
    make_hermes,
)


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The profile folder of a user of Windows, which the variables of Windows name."""
    home = tmp_path / "Users" / "mara"
    for variable, folder in (("USERPROFILE", ""), ("APPDATA", "AppData/Roaming"), ("LOCALAPPDATA", "AppData/Local")):
        (home / folder).mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv(variable, str(home / folder))
    return home


def test_stores_in_a_profile_are_found(profile: Path) -> None:
    roaming, local = profile / "AppData" / "Roaming", profile / "AppData" / "Local"
    make_fixtures.write_claude(profile)
    make_codex.write_codex(profile)
    make_gemini.write_gemini(profile)
    make_copilot.write_copilot(profile)
    make_fixtures.write_opencode(profile / ".local" / "share" / "opencode")
    make_fixtures.write_opencode(local / "opencode")
    make_cursor.write_cursor(roaming)
    make_chat_stores.write_goose(roaming / "Block" / "goose" / "data" / "sessions")
    make_hermes.write_hermes(local / "hermes")
    environ = {"USERPROFILE": str(profile), "APPDATA": str(roaming), "LOCALAPPDATA": str(local)}
    found = {
        (source.name, Path(source.location).relative_to(profile).parts[:3]) for source in discover(environ, profile)
    }
    assert found == {
        ("claude-code", (".claude", "projects")),
        ("codex", (".codex",)),
        ("gemini-cli", (".gemini", "tmp")),
        ("copilot-cli", (".copilot", "session-state")),
        ("opencode", (".local", "share", "opencode")),
        ("opencode", ("AppData", "Local", "opencode")),
        ("cursor", ("AppData", "Roaming", "Cursor")),
        ("goose", ("AppData", "Roaming", "Block")),
        ("hermes", ("AppData", "Local", "hermes")),
    }


def test_cache_and_settings_lie_in_the_local_folder_of_the_profile(
    profile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(location, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setattr(windows, "_RESOLVE_WIN_FOLDER", windows.get_win_folder_from_env_vars)
    monkeypatch.setattr(platformdirs, "PlatformDirs", windows.Windows)
    assert default_cache() == profile / "AppData" / "Local" / "recall_rank" / "Cache"
    assert default_settings() == profile / "AppData" / "Local" / "recall_rank"
