"""Store hints exclude a loader only where the loader itself finds nothing."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from recall_rank.histories.cache.location import default_cache, default_settings
from recall_rank.loaders import discover, read_all
from recall_rank.loaders.builtin import LOADERS
from tests.fixtures import (
    make_chat_stores,
    make_codex,
    make_copilot,
    make_cursor,
    make_fixtures,
    make_gemini,
    make_hermes,
    make_markdown_stores,
    make_opencode_json,
    make_pi,
)
from tests.support.privileges import modes_bind

MODULES = {
    **{loader.name: f"{loader.name.replace('-', '_')}.source" for loader in LOADERS},
    "opencode-json": "opencode.json_tree",
    "opencode-export": "opencode.export",
    "gemini-cli": "gemini.source",
    "copilot-cli": "copilot.source",
    "cursor-cli": "cursor.cli_source",
    "tallow": "pi.tallow",
    "praisonai": "praisonai",
    "history": "history_jsonl",
}


def itself(name: str) -> Any:
    return importlib.import_module(f"recall_rank.loaders.{MODULES[name]}")


def furnish(home: Path) -> Path:
    """A home with stores of every agent."""
    project = home / "lamp"
    data = home / ".local" / "share"
    make_fixtures.write_claude(home)
    made = make_fixtures.write_history(home / "plain.jsonl")
    (home / "wide.jsonl").write_bytes(made.read_text("utf-8").encode("utf-16"))
    make_fixtures.write_history(home / "history.jsonl.xz")
    make_opencode_json.write_tree(data / "opencode")
    make_fixtures.write_opencode(data / "opencode")
    make_codex.write_codex(home)
    make_gemini.write_gemini(home)
    make_copilot.write_copilot(home)
    make_hermes.write_hermes(home / ".hermes")
    make_pi.write_pi(home)
    make_pi.write_tallow(home)
    make_chat_stores.write_praison(home)
    make_chat_stores.write_memo(home / ".memo-agent" / "sessions.db")
    make_chat_stores.write_goose(data / "goose" / "sessions")
    make_chat_stores.write_goose_files(home / "older goose")
    make_cursor.write_cursor(home / ".config")
    make_cursor.write_cursor_cli(home)
    make_markdown_stores.write_aider(project)
    make_markdown_stores.write_specstory(project)
    exported = home / "exports" / "session.json"
    make_opencode_json.write(exported, {"info": {"id": "ses_1"}, "messages": []})
    (home / "odd").mkdir()
    os.mkfifo(home / "odd" / "pipe.jsonl")
    (home / "odd" / "empty.jsonl").touch()
    (home / "odd" / "link.jsonl").symlink_to(home / "odd" / "empty.jsonl")
    return home


def recognised(loader: Any, path: Path) -> tuple[str, str] | None:
    try:
        source = loader.recognise(path)
    except OSError:
        return None
    return None if source is None else (source.name, source.location)


def test_hints_exclude_no_path_that_the_loader_recognises(tmp_path: Path) -> None:
    home = furnish(tmp_path)
    found = set()
    for path in [home, *sorted(home.rglob("*")), home / "nowhere.jsonl"]:
        for loader in LOADERS:
            wanted = recognised(itself(loader.name), path)
            assert recognised(loader, path) == wanted, (loader.name, path)
            if wanted is not None:
                found.add(loader.name)
            insist = getattr(itself(loader.name), "named", getattr(itself(loader.name), "unreadable", None))
            if insist is not None and path.is_file() and insist(path) is not None:
                assert loader.insist(path) is not None, (loader.name, path)
    assert found == set(MODULES)


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("claude-code", '{"type": "user", "sessionId": "s"}'),
        ("claude-code", '{"type": "user", "uuid": "u"}'),
        ("claude-code", '{"type": "summary", "leafUuid": "u"}'),
        ("claude-code", '{"type": "user", "messageId": "m"}'),
        ("copilot-cli", '{"type": "session.start", "data": {}}'),
        ("copilot-cli", '{"type": "user.message", "data": {}}'),
        ("copilot-cli", '{"type": "assistant.message", "data": {}}'),
    ],
)
def test_one_word_in_a_file_is_enough_to_ask_its_loader(tmp_path: Path, name: str, record: str) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(record + "\n", encoding="utf-8")
    (loader,) = [each for each in LOADERS if each.name == name]
    assert itself(name).recognise(path) is not None
    assert loader.recognise(path) is not None


def environments(home: Path) -> list[Mapping[str, str]]:
    moved = {
        "CLAUDE_CONFIG_DIR": ".claude", "CODEX_HOME": ".codex", "GEMINI_CLI_HOME": "", "COPILOT_HOME": ".copilot",
        "HERMES_HOME": ".hermes", "TALLOW_CODING_AGENT_DIR": ".tallow", "PI_CODING_AGENT_DIR": ".pi/agent",
        "PRAISONAI_HOME": ".praisonai", "CURSOR_STATE_DB": ".config/Cursor/User/globalStorage/state.vscdb",
        "CURSOR_CONFIG_DIR": ".cursor", "GOOSE_PATH_ROOT": ".local/share/goose",
        "AIDER_CHAT_HISTORY_FILE": "lamp/.aider.chat.history.md", "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share", "APPDATA": ".config", "LOCALAPPDATA": ".local/share",
    }  # fmt: skip
    named = {name: str(home / place) for name, place in moved.items()}
    return [{}, {"PWD": str(home / "lamp")}, named, *({name: value} for name, value in named.items())]


PLACES = {
    "claude-code": ".claude", "codex": ".codex", "gemini-cli": ".gemini", "copilot-cli": ".copilot", "pi": ".pi",
    "hermes": ".hermes", "tallow": ".tallow", "praisonai": ".praisonai", "memo-agent": ".memo-agent",
    "opencode": ".local/share/opencode", "goose": ".local/share/goose", "cursor": ".config/Cursor",
    "cursor-cli": ".cursor",
}  # fmt: skip


@pytest.mark.parametrize("agent", PLACES)
def test_a_store_that_may_not_be_read_is_a_failure(tmp_path: Path, agent: str) -> None:
    """Regression: some agents were passed over, and of others the interpreter printed a warning with a line of code."""
    home = furnish(tmp_path)
    place = home / PLACES[agent]
    place.chmod(0)
    with modes_bind():
        sources = [source for source in discover({}, home) if source.name == agent]
        reports = read_all(sources)[1]
    place.chmod(0o700)
    assert [error for report in reports for error in report.errors] == [f"{place}: Permission denied"]
    assert len(reports) == 1


@pytest.mark.parametrize("elsewhere", [False, True], ids=["in the home", "where variables say"])
def test_hints_exclude_no_store_that_the_loader_finds(tmp_path: Path, elsewhere: bool) -> None:
    home = furnish(tmp_path / "furnished")
    empty = tmp_path / "empty"
    empty.mkdir()
    found = set()
    for environ in environments(home):
        for loader in LOADERS:
            where = empty if elsewhere else home
            wanted = [(source.name, source.location) for source in itself(loader.name).stores(environ, where)]
            assert [(source.name, source.location) for source in loader.stores(environ, where)] == wanted, loader.name
            if wanted:
                found.add(loader.name)
    assert found >= set(MODULES) - {"opencode-export", "history"} - ({"memo-agent"} if elsewhere else set())


LIBRARY = "Library/Application Support"
ALONE = [  # where a store may lie, the variable that says so, and which one it is
    (".claude", "", ".claude"),
    (".config/claude", "", ".claude"),
    (".codex", "", ".codex"),
    (".gemini", "", ".gemini"),
    (".copilot", "", ".copilot"),
    (".hermes", "", ".hermes"),
    ("local/hermes", "LOCALAPPDATA", ".hermes"),
    (".tallow", "", ".tallow"),
    (".pi", "", ".pi"),
    (".praisonai", "", ".praisonai"),
    (".praison", "", ".praisonai"),
    (".memo-agent", "", ".memo-agent"),
    (".cursor", "", ".cursor"),
    (".config/cursor", "", ".cursor"),
    (".config/Cursor", "", ".config/Cursor"),
    (f"{LIBRARY}/Cursor", "", ".config/Cursor"),
    ("AppData/Roaming/Cursor", "", ".config/Cursor"),
    ("roaming/Cursor", "APPDATA", ".config/Cursor"),
    (".local/share/opencode", "", ".local/share/opencode"),
    (f"{LIBRARY}/opencode", "", ".local/share/opencode"),
    ("roaming/opencode", "APPDATA", ".local/share/opencode"),
    ("local/opencode", "LOCALAPPDATA", ".local/share/opencode"),
    ("data/opencode", "XDG_DATA_HOME", ".local/share/opencode"),
    (".local/share/goose", "", ".local/share/goose"),
    (f"{LIBRARY}/goose", "", ".local/share/goose"),
    (f"{LIBRARY}/Block/goose", "", ".local/share/goose"),
    (f"{LIBRARY}/Block.goose", "", ".local/share/goose"),
    ("roaming/Block/goose/data", "APPDATA", ".local/share/goose"),
]


def test_a_store_alone_is_found_wherever_it_may_lie(tmp_path: Path) -> None:
    home = furnish(tmp_path / "furnished")
    for number, (place, variable, which) in enumerate(ALONE):
        alone = tmp_path / str(number)
        shutil.copytree(home / which, alone / place)
        environ = {variable: str(alone / place.split("/")[0])} if variable else {}
        found = 0
        for loader in LOADERS:
            wanted = [source.location for source in itself(loader.name).stores(environ, alone)]
            assert [source.location for source in loader.stores(environ, alone)] == wanted, (loader.name, place)
            found += len(wanted)
        assert found, place


def test_loaders_of_absent_agents_are_not_imported(tmp_path: Path) -> None:
    make_fixtures.write_claude(tmp_path)
    code = """
import sys
from pathlib import Path
from recall_rank.loaders import discover
print([source.name for source in discover({}, Path(sys.argv[1]))])
print(sorted(name for name in sys.modules if name.removeprefix("recall_rank.loaders.") in %r))
"""
    done = subprocess.run(
        [sys.executable, "-c", code % (set(MODULES.values()),), str(tmp_path)],
        capture_output=True, text=True, check=True, cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    assert done.stdout.splitlines() == ["['claude-code']", "['recall_rank.loaders.claude_code.source']"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs is asked")
@pytest.mark.parametrize("value", [None, "", "/srv/kept", "not/absolute", "~/x"])
def test_folders_of_this_user_are_those_that_platformdirs_names(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    import platformdirs

    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert default_cache() == platformdirs.user_cache_path("recall_rank", appauthor=False)
    assert default_settings() == platformdirs.user_config_path("recall_rank", appauthor=False)
