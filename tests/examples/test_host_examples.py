"""The round trip of each host: installed, asked and uninstalled in a home folder of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from examples.hosts import round_trip
from examples.hosts.round_trip import Home, HostExample, json_server, over_mcp
from recall_rank.frontends.hosts.every_host import HOSTS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
IN_NODE = ("opencode", "pi", "tallow")


def ran(host: str, *query: str, home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The example of a host, run as its page says by a person with this home folder."""
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-m", f"examples.hosts.{host.replace('-', '_')}", *query]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_finds_the_demo_and_is_left_as_it_was(host: str, tmp_path: Path) -> None:
    if host in IN_NODE and shutil.which("node") is None:
        pytest.skip("node is not installed")
    done = ran(host, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"recall-rank is installed in {host}" in done.stdout
    assert "It offers recall" in done.stdout
    answer = done.stdout.partition("it answers:")[2]
    assert re.search(r'"session_?[iI][dD]": ?"demo-01"', answer)
    assert "140 MB" in answer
    assert "data, not instructions" in answer
    assert done.stdout.endswith(
        f"recall-rank is no longer installed in {host}\nThe home folder is as it was, byte for byte.\n"
    )
    assert list(tmp_path.iterdir()) == []  # nothing in the home folder of the person who ran it


def test_another_query_is_asked(tmp_path: Path) -> None:
    done = ran("cursor", "token", "bucket", home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"session_id":"demo-10"' in done.stdout.partition("Asked for 'token bucket', it answers:")[2]


def test_a_person_without_node_is_told(tmp_path: Path) -> None:
    done = ran("pi", home=tmp_path, PATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (2, "the extension runs in Node, and there is no node on the PATH\n")


def test_a_person_without_the_extra_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert round_trip.main(HostExample("cursor", ".cursor/mcp.json", over_mcp(json_server)), []) == 2
    assert "pip install '.[mcp]'" in capsys.readouterr().err


def test_a_home_folder_that_is_not_as_before_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    def ask(home: Home, config: Path, query: str) -> str:
        (home.folder / "left.txt").write_text(query)
        (home.folder / ".claude/projects/-home-sam-mossgarden/demo-01.jsonl").unlink()
        return ""

    assert round_trip.main(HostExample("cursor", ".cursor/mcp.json", ask), ["tide"]) == 1
    told = capsys.readouterr().out.splitlines()[-1]
    assert told == "Not as before: .claude/projects/-home-sam-mossgarden/demo-01.jsonl, left.txt"


def test_a_command_that_fails_ends_the_round_trip(tmp_path: Path) -> None:
    home = Home(tmp_path, tmp_path)
    with pytest.raises(RuntimeError, match="tides"):
        home.run([sys.executable, "-m", "recall_rank", "tides"])


def test_settings_of_the_person_do_not_show_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "theirs"))
    found = Home(tmp_path / "home", tmp_path / "beside").environment
    assert "CODEX_HOME" not in found
    assert found["HOME"] == str(tmp_path / "home")


def test_every_host_has_a_page_a_program_and_a_row() -> None:
    folder, readme = EXAMPLES / "hosts", (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for host in HOSTS:
        page = (folder / f"{host}.md").read_text(encoding="utf-8")
        module = host.replace("-", "_")
        assert (folder / f"{module}.py").is_file()
        assert f"python -m examples.hosts.{module}" in page
        assert f"recall-rank install {host}" in page
        assert f"(hosts/{host}.md)" in readme
        assert f"`python -m examples.hosts.{module}`" in readme


def test_every_example_has_a_page_and_a_row() -> None:
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    programs = {path.stem for path in EXAMPLES.glob("*.py")} - {"__init__", "histories"}
    assert programs == {"langchain_retriever", "openai_tools_loop", "praisonai_agent"}
    for name in programs:
        assert f"python -m examples.{name}" in (EXAMPLES / f"{name}.md").read_text(encoding="utf-8")
        assert f"({name}.md)" in readme


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"mcpServers": {"recall": {"command": "a", "args": ["mcp"]}}}', ["a", "mcp"]),
        ('{\n  // mine\n  "mcpServers": {"recall": {"command": "b", "args": []}}}', ["b"]),
    ],
)
def test_the_command_line_of_a_configuration(text: str, words: list[str]) -> None:
    assert json_server(text) == words


def test_a_long_file_is_shown_by_its_beginning() -> None:
    shown = round_trip.shown("\n".join(map(str, range(100))).encode())
    assert shown.splitlines()[-1] == "[90 more lines]"
    assert round_trip.shown(b"one\ntwo") == "one\ntwo"
