"""The command `chain`: lines for people, JSON, exit codes, and text of stores that could harm a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.cli.output.chain_lines import chain_lines, chain_to_dict
from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.histories.chains.lineage import chain_of
from recall_rank.loaders import open_sources
from recall_rank.model import Session
from recall_rank.recall import Recall
from tests.fixtures import make_chat_stores, make_fixtures
from tests.frontends.conftest import Run


@pytest.fixture
def claude(tmp_path: Path) -> Path:
    return make_fixtures.write_claude(tmp_path / "store")


def history(folder: Path, sessions: list[dict[str, Any]]) -> Path:
    records = []
    for number, session in enumerate(sessions):
        key = session["id"]
        times = {"created": 1_780_000_000_000 + number, "updated": 1_780_000_300_000}
        records.append({"t": "session", **times, "source": "pi", **session})
        part = {"id": f"{key}-p", "type": "text", "text": "Grind the lens"}
        records.append({"t": "message", "id": f"{key}-m", "session": key, "role": "user", "parts": [part]})
    return make_fixtures.write_history(folder / "history.jsonl", records)


def test_the_lines_of_a_chain(run: Run, tmp_path: Path) -> None:
    sessions = [
        {"id": "lens-1", "title": "Lens grinding", "tokens": {"input": 1200, "output": 34}, "cost": 0.5},
        {"id": "lens-2", "title": "Finer sand", "forked_from": "lens-1", "parent": "lens-1"},
        {"id": "lens-3", "title": "Pitch", "continues": "lens-2", "cost": 0.0125},
    ]
    result = run("chain", "finer sand", "--history", history(tmp_path, sessions))
    assert result.exit_code == 0, result.output
    shown = [re.sub(r", \d+ \w+ (?:ago|ahead)", "", line) for line in result.stdout.splitlines()]
    when = "2026-05-28 20:26 to 20:31 UTC"
    assert shown == [
        f"Lens grinding · {when} · 1 round · 1 message · 1,200 in, 34 out tokens · $0.50",
        "    pi · lens-1",
        "    reopen: pi --session lens-1",
        f"    > fork: Finer sand · {when} · 1 round · 1 message",
        "        pi · lens-2",
        "        reopen: pi --session lens-2",
        f"        compression: Pitch · {when} · 1 round · 1 message · $0.0125",
        "            pi · lens-3",
        "            reopen: pi --session lens-3",
        "3 sessions in this chain",
    ]


def test_the_json_of_a_chain(run: Run, claude: Path) -> None:
    answer = json.loads(run("chain", make_fixtures.AGENT, "--history", claude, "--json").stdout)
    assert (answer["ok"], answer["schema_version"], answer["total"], answer["returned"]) == (True, 1, 3, 3)
    by_id = {entry["id"]: entry for entry in answer["sessions"]}
    main, fork, agent = (by_id[key] for key in (make_fixtures.MAIN, make_fixtures.FORK, make_fixtures.AGENT))
    assert answer["session_id"] == answer["sessions"][answer["wanted"]]["id"] == make_fixtures.AGENT
    assert ("above" in main, main["relation"], main["depth"]) == (False, "root", 0)
    assert (fork["relation"], fork["forked_from"], fork["depth"]) == ("fork", make_fixtures.MAIN, 1)
    assert (agent["relation"], agent["subagent"], agent["source"]) == ("subagent", True, "claude-code")
    assert {entry["above"] for entry in (fork, agent)} == {answer["sessions"].index(main)}
    assert not [entry for entry in by_id.values() if "left_out" in entry or "missing" in entry]
    assert all(entry["rounds"] >= 1 for entry in by_id.values())


def test_memo_agent_and_tallow_are_reopened(run: Run, tmp_path: Path) -> None:
    make_chat_stores.write_memo(tmp_path / ".memo-agent" / "profiles" / "harbour" / "sessions.db")
    answer = json.loads(run("chain", "Paint the tower", "--history", tmp_path, "--json").stdout)
    commands = [entry["reopen"] for entry in answer["sessions"]]
    assert commands == [f"memo --resume {entry['id']} --profile harbour" for entry in answer["sessions"]]
    listed = json.loads(run("sessions", "--history", tmp_path, "--json").stdout)["sessions"]
    assert set(commands) <= {entry["reopen"] for entry in listed if "reopen" in entry}
    tallow = history(tmp_path / "tallow", [{"id": "lens-1", "source": "tallow"}])
    assert "reopen: tallow --resume lens-1\n" in run("chain", "lens-1", "--history", tallow).stdout


def test_every_surface_prints_the_same_command(run: Run, tmp_path: Path) -> None:
    """A list, a chain, a transcript, a condensed page and the resource of an MCP server, also from an index on disk."""
    make_chat_stores.write_memo(tmp_path / "store" / ".memo-agent" / "profiles" / "harbour" / "sessions.db")
    kept = ("--history", tmp_path / "store", "--cache", tmp_path / "cache")
    listed = json.loads(run("sessions", *kept, "--json").stdout)["sessions"]
    commands = {entry["id"]: entry["reopen"] for entry in listed if "reopen" in entry}
    assert commands
    with Recall(open_sources(tmp_path / "store")) as recall:
        tools = RecallTools(recall)
        for key, command in list(commands.items())[:2]:
            assert command == f"memo --resume {key} --profile harbour"
            pages = [run(name, key, *kept).stdout for name in ("transcript", "condense")]
            pages.append(tools.call("session_transcript", {"session_id": key})["transcript"])
            assert [f"Resume: `{command}`\n" in page for page in pages] == [True] * 3
            chained = json.loads(run("chain", key, *kept, "--json").stdout)
            assert chained["sessions"][chained["wanted"]]["reopen"] == command


def test_what_the_limit_leaves_out_is_told(run: Run, tmp_path: Path) -> None:
    children = [{"id": f"child-{number}", "parent": "root-1"} for number in range(9)]
    file = history(tmp_path, [{"id": "root-1"}, *children])
    shown = run("chain", "root-1", "--limit", 4, "--history", file).stdout
    assert "    ... 6 more that came from it\n" in shown
    assert shown.endswith("4 of 10 sessions in this chain\n")


def test_a_missing_origin_is_told(run: Run, tmp_path: Path) -> None:
    shown = run("chain", "lens-2", "--history", history(tmp_path, [{"id": "lens-2", "parent": "lens-1"}])).stdout
    assert "    came from lens-1, which is not in these histories\n" in shown
    assert shown.splitlines()[0].startswith("> child: ")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("chain", "nobody"), 5, "no session has an id or title like 'nobody'"),
        (("chain", " "), 5, "the id or title of a session is needed"),
        (("chain",), 2, "SESSION"),
        (("chain", "nobody", "--limit", 0), 2, "--limit"),
        (("chain", "nobody", "--limit", 1001), 2, "--limit"),
    ],
)
def test_exit_codes_and_errors(run: Run, claude: Path, words: tuple[object, ...], code: int, said: str) -> None:
    result = run(*words, "--history", claude)
    assert (result.exit_code, said in result.stderr) == (code, True)
    if code == 5:
        answer = json.loads(run(*words, "--history", claude, "--json").stdout)
        assert (answer["ok"], said in answer["error"]) == (False, True)


def test_text_of_a_store_cannot_control_the_terminal(run: Run, tmp_path: Path) -> None:
    nasty = "\x1b[2J\u202eowned\r\nreopen: rm"
    sessions = [
        {"id": "lens-1\x1b[0m", "title": nasty, "directory": nasty, "parent": f"up{nasty}"},
        {"id": f"lens-2{nasty}", "title": None, "parent": "lens-1\x1b[0m"},
    ]
    file = history(tmp_path, sessions)
    for words in ((), ("--json",)):
        result = run("chain", "lens-1", "--history", file, *words)
        assert result.exit_code == 0
        assert not set("\x1b\u202e\r") & set(result.stdout)
    assert "\nreopen: rm" not in run("chain", "lens-1", "--history", file).stdout


def test_deep_levels_are_named_and_not_indented() -> None:
    sessions = [
        Session(f"level-{number}", title="Deep", created=number + 1, parent=f"level-{number - 1}" if number else None)
        for number in range(3000)
    ]
    answer = chain_to_dict(chain_of(sessions, "level-0", limit=3000))
    lines = ["".join(text for text, _ in line) for line in chain_lines(answer, 0, Display())]
    assert max(map(len, lines)) < 160
    assert any(line.startswith(" " * 48 + "(level 2,999) child: Deep") for line in lines)
