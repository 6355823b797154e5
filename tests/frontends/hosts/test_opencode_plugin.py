"""The OpenCode plugin under Node: each tool against the real `recall-rank batch`, and everything that can go wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.tools.untrusted_text import NOTICE, TRUST
from recall_rank.loaders import open_sources
from recall_rank.model import Context
from recall_rank.recall import Recall
from tests.frontends.hosts import plugin_tools

HERE = Path(__file__).parent
DEMO = plugin_tools.PACKAGE / "frontends/demo/history.jsonl"
OLDEST_NODE = 18
BATCH = [sys.executable, "-m", "recall_rank"]
Drive = Callable[..., dict[str, Any]]


def _why_not() -> str:
    """Why no plugin can be run here; "" when it can."""
    node = shutil.which("node")
    if node is None:
        return "the plugin runs in Node, and there is no node here"
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False, timeout=60).stdout
    major = told.strip().lstrip("v").partition(".")[0]
    recent = major.isdigit() and int(major) >= OLDEST_NODE
    return "" if recent else f"the plugin needs Node {OLDEST_NODE}, here is {told.strip() or 'one that does not run'}"


WHY_NOT = _why_not()
needs_node = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are found through /proc")


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    """A function that runs a scenario of drive_plugin.mjs and returns what it printed."""
    plugin = tmp_path / "recall-rank.mjs"  # Node before 22.6 takes no .ts; the file is JavaScript all the same
    shutil.copy(plugin_tools.PLUGIN, plugin)
    history = tmp_path / "history.jsonl"
    shutil.copy(DEMO, history)

    def run(scenario: str, *, beside: str | None = None, environment: str = "", **options: Any) -> dict[str, Any]:
        if beside is not None:
            (tmp_path / "recall-rank.json").write_text(beside)
        given = {"command": BATCH, "history": [str(history)], **options}
        found = {name: value for name, value in given.items() if value is not None}
        done = subprocess.run(
            ["node", str(HERE / "drive_plugin.mjs"), str(plugin), scenario, json.dumps(found)],
            env={**os.environ, "RECALL_RANK_OPENCODE": environment, "RECALL_RANK_NO_CACHE": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.stdout, done.stderr
        return {**json.loads(done.stdout), "stderr": done.stderr}

    return run


def program(folder: Path, body: str) -> list[str]:
    """A program in place of recall-rank: `body` runs with `line`, the call on it as `call`, and `tell(value)`."""
    text = f"""
import json, sys, os, time, pathlib
def tell(value):
    print(value if isinstance(value, str) else json.dumps(value), flush=True)
for line in sys.stdin:
    call = json.loads(line)
    {body}
"""
    path = folder / "program.py"
    path.write_text(text)
    return [sys.executable, str(path)]


def test_the_table_of_tools_has_the_arguments_and_limits_of_the_tools() -> None:
    """Wording may differ for a while; what a model may pass may not."""
    written = plugin_tools.written_table(plugin_tools.PLUGIN.read_text(encoding="utf-8"))
    made = plugin_tools.tools_table()

    def limits(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: limits(each) for key, each in value.items() if not isinstance(each, str) or key == "type"}
        return value

    assert limits(written) == limits(json.loads(json.dumps(made)))
    assert all(entry["description"] for entry in written.values())
    every = [schema for entry in written.values() for schema in entry["properties"].values()]
    assert all(schema["description"] for schema in every)
    assert not any(isinstance(schema.get("type"), list) for schema in every)
    assert "sessionID" in written["recall_get"]["required"]


@needs_node
def test_each_tool_answers_as_the_tools_of_the_package_do(drive: Drive) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"query": "token bucket", "match": "smart", "group": "session", "results": 3}),
        ("recall_get", {"sessionID": "demo-10", "messageID": "demo-10-m2"}),
        ("recall_context", {"sessionID": "demo-10", "messageID": "demo-10-m2", "window": 1}),
        ("recall_messages", {"limit": 5, "role": "user"}),
        ("recall_sessions", {"scope": "global", "limit": 2}),
    ]
    answers = drive("tools", calls=calls)
    tools = RecallTools(Recall(open_sources(DEMO)))
    here = Context(session_id="demo-04", directory="/srv/harborline")
    for name, args in calls:
        expected = tools.call(name, args, context=here, wire="camel")
        assert expected["ok"]
        answer = answers[name]
        assert (answer.pop("trust"), answer.pop("notice")) == (TRUST, NOTICE)
        answer.pop("warnings", None)  # told while the first reading lasts
        assert answer == json.loads(json.dumps(expected)), name
    assert {each["message"]["role"] for each in answers["recall_messages"]["messages"]} == {"user"}
    assert answers["logged"] == []


@needs_node
def test_the_host_is_told_which_arguments_are_required_and_their_limits(drive: Drive) -> None:
    told = drive("definitions", maxResults=7, maxMessages=3, maxWindow=2)
    found = told["found"]
    assert list(found) == list(plugin_tools.NAMES)
    assert found["recall"]["schema"]["required"] == ["query"]
    properties = found["recall"]["schema"]["properties"]
    assert list(properties) == found["recall"]["args"]
    assert (properties["results"]["maximum"], properties["results"]["default"]) == (7, 7)
    assert properties["window"]["anyOf"][0]["maximum"] == 2
    assert found["recall_messages"]["schema"]["properties"]["limit"]["maximum"] == 3
    assert found["recall_sessions"]["schema"]["properties"]["limit"]["maximum"] == 100
    assert told["other"] == {"jsonSchema": "theirs"}
    assert told["primary"] == ["recall", "bash", *plugin_tools.NAMES[1:]]


@needs_node
def test_primary_can_be_turned_off(drive: Drive) -> None:
    assert drive("definitions", primary=False)["primary"] == ["recall", "bash"]


@needs_node
def test_the_three_hooks_add_their_text(drive: Drive) -> None:
    told = drive("hooks", autoRecall=True, compactionRecall=True)
    system, (back, plain), context = told["reminded"], told["texts"], told["context"]
    assert system[0] == "You are an agent."
    assert "recall" in system[1]
    assert len(system) == 2
    assert len(back) == 2
    assert back[1].startswith("<recall-auto>")
    assert "demo-08" in back[1]
    assert plain == ["Add a button to the page, please."]
    assert context[0].startswith("<recall-compaction>")
    assert len(context) == 1


@needs_node
def test_what_the_model_still_reads_is_left_out(drive: Drive) -> None:
    told = drive("context")
    shown = {each["messageID"] for each in told["after"]["results"]}
    assert told["ids"]
    assert not shown & set(told["ids"])
    assert "inContext" in told["after"]["coverage"]["limitedBy"]
    assert {each["sessionID"] for each in told["own"]["results"]} == {told["session"]}


@needs_node
@needs_proc
def test_a_killed_child_is_started_again_and_one_line_is_said(drive: Drive) -> None:
    told = drive("killed")
    assert (told["first"], told["second"]) == (True, True)
    assert len(told["logged"]) == 1
    assert "SIGKILL" in told["logged"][0]
    assert told["stderr"] == ""


@needs_node
@pytest.mark.parametrize(
    ("command", "words"),
    [(["/nowhere/recall-rank"], "ENOENT"), ([sys.executable, "-m", "recall_rank_that_is_not"], "No module named")],
)
def test_a_missing_program_is_an_answer_and_one_line(drive: Drive, command: list[str], words: str) -> None:
    told = drive("one", command=command, history=[])
    assert told["answer"]["ok"] is False
    assert words in told["answer"]["error"]
    assert len(told["logged"]) == 1
    assert words in told["logged"][0]
    assert told["system"] == ["You are an agent."]


@needs_node
def test_a_line_that_is_no_json_is_ignored(drive: Drive, tmp_path: Path) -> None:
    body = 'tell("{ torn"); tell("null"); tell({"id": call["id"], "output": {"ok": True, "results": []}})'
    told = drive("one", command=program(tmp_path, body))
    assert told["answer"]["ok"] is True
    assert told["logged"] == ["recall-rank wrote a line that is no JSON; it is ignored"]


@needs_node
def test_no_unseen_character_reaches_the_model(drive: Drive, tmp_path: Path) -> None:
    """An answer may hold escapes of them, which the plugin reads as the characters themselves."""
    unseen = "\\u202e \\u200b \\u001b \\u009b \\u2028 \\udb40\\udc41 \\ufeff"
    body = f"""tell('{{"id": %s, "output": {{"ok": true, "results": ["{unseen} word"]}}}}' % call["id"])"""
    told = drive("raw", command=program(tmp_path, body.replace("\\", "\\\\")))
    assert json.loads(told["raw"])["results"] == [f"{json.loads(chr(34) + unseen + chr(34))} word"]
    assert told["raw"].isascii()


@needs_node
def test_a_child_that_hangs_is_ended_and_the_call_is_asked_again(drive: Drive, tmp_path: Path) -> None:
    """The first process reads and never answers; the second one answers."""
    mark = tmp_path / "started"
    body = f"""first = not os.path.exists({str(mark)!r})
    pathlib.Path({str(mark)!r}).touch()
    while first:
        time.sleep(60)
    tell({{"id": call["id"], "output": {{"ok": True, "results": []}}}})"""
    told = drive("one", command=program(tmp_path, body), probeMs=600)
    assert told["answer"]["ok"] is True
    assert told["logged"][0] == "recall-rank does not answer and is started again"


@needs_node
def test_no_hook_keeps_the_host_waiting_for_a_child_that_hangs(drive: Drive, tmp_path: Path) -> None:
    body = "pass"
    told = drive("slow", command=program(tmp_path, body), autoRecall=True, compactionRecall=True, hookMs=5000)
    assert len(told["times"]) == 9
    # The deadline is 35 ms, whatever a setting says; a machine that does something else for a while is no fault.
    assert sorted(told["times"])[4] < 1000


@needs_node
def test_an_aborted_call_is_answered_at_once_and_cancelled_in_the_child(drive: Drive, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    body = f"open({str(seen)!r}, 'a').write(line)"
    told = drive("abort", command=program(tmp_path, body), nudge=False)
    assert told["answer"]["error"] == "the call was cancelled"
    assert told["already"]["error"] == "the call was cancelled"
    assert told["took"] < 10_000
    lines = [json.loads(line) for line in seen.read_text().splitlines()] if seen.exists() else []
    asked = [line["id"] for line in lines if line.get("tool") == "recall"]
    assert len(asked) <= 1
    if len(lines) > 1:  # the program had the time to read both
        assert lines[1] == {"cancel": asked[0]}


@needs_node
def test_nothing_that_a_host_hands_in_ends_its_turn(drive: Drive) -> None:
    told = drive("odd", autoRecall=True, compactionRecall=True)
    assert told["answer"]["ok"] is False
    assert len(told["logged"]) == 1


@needs_node
@pytest.mark.parametrize("bad", ["{ torn", "[1]"])
def test_bad_options_are_told_and_ignored(drive: Drive, bad: str) -> None:
    told = drive("definitions", beside=bad, environment=bad, maxResults=7)
    assert told["found"]["recall"]["schema"]["properties"]["results"]["maximum"] == 7
    assert len(told["logged"]) == (1 if bad.startswith("{") else 0)


@needs_node
def test_options_come_from_the_host_then_the_file_then_the_environment(drive: Drive) -> None:
    told = drive(
        "definitions",
        environment='{"maxResults": 9, "maxMessages": 9, "maxSessions": 9}',
        beside='{"maxResults": 8, "maxMessages": 8}',
        maxResults=7,
    )["found"]
    assert told["recall"]["schema"]["properties"]["results"]["maximum"] == 7
    assert told["recall_messages"]["schema"]["properties"]["limit"]["maximum"] == 8
    assert told["recall"]["schema"]["properties"]["sessions"]["maximum"] == 9


def ended(pid: int) -> bool:
    """Whether a process is gone, or waits to be collected, within 10 seconds."""
    for _ in range(1000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


@needs_node
@needs_proc
def test_the_child_ends_when_the_host_is_killed(drive: Drive) -> None:
    told = drive("leave")
    assert told["pids"]
    assert all(ended(pid) for pid in told["pids"])


@needs_node
@needs_proc
def test_dispose_ends_the_child(drive: Drive) -> None:
    told = drive("dispose")
    assert told["pids"]
    assert told["gone"] is True  # while the host still runs
    assert told["after"]["ok"] is False
