"""The extension for pi and tallow, run by node with a stand-in of the host and, mostly, of recall-rank."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.hosts.every_host import HOSTS
from recall_rank.frontends.hosts.host import Launch
from recall_rank.frontends.hosts.install import install, plan_install
from recall_rank.frontends.tools.untrusted_text import NOTICE, TRUST
from recall_rank.model.recalled_text import NUDGE
from tests.frontends.hosts import plugin_tools

NODE = shutil.which("node")
CHILD = """import json, os, sys
assert sys.argv[1:6] == ["batch", "--live", "--calls", "-", "--out"]
for line in sys.stdin:
    call = json.loads(line)
    if "cancel" in call:
        continue
    if call["tool"] == "hook:auto_recall":
        parts = call["args"]["parts"]
        if "last time" in parts[0]["text"]:
            parts.append({"type": "text", "text": "<recall-auto>found</recall-auto>"})
        output = {"ok": True, "parts": parts}
    else:
        if call["args"]["query"] == "die":
            os._exit(1)
        if call["args"]["query"] == "wait":
            continue
        output = {"ok": True, "asked": call["tool"], "context": call["context"], "options": call["options"]}
        output["curator"] = os.environ["RECALL_RANK_CURATOR"]
    print(json.dumps({"id": call["id"], "output": output}), flush=True)
"""
SILENT = "import sys\nfor line in sys.stdin: pass\n"
Drive = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.skipif(NODE is None, reason="the extension runs in Node, and there is no node here")


@pytest.fixture
def drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drive:
    """A function that installs the extension with a program, and runs a scenario of drive_pi.mjs."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("RECALL_RANK_PI", "RECALL_RANK_CURATOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RECALL_RANK_NO_CACHE", "1")

    def run(
        scenario: str,
        program: str | tuple[str, ...] = CHILD,
        *,
        families: tuple[str, ...] = (),
        hooks: bool = True,
        **options: Any,
    ) -> dict[str, Any]:
        if isinstance(program, str):
            (tmp_path / "child.py").write_text(program)
            program = (sys.executable, str(tmp_path / "child.py"))
        host = HOSTS["pi"]
        install(plan_install(host, host.user({}, tmp_path), Launch(program, families), "1", hooks=hooks))
        folder = tmp_path / ".pi/agent/extensions"
        shutil.copy(folder / "recall-rank.ts", folder / "extension.mjs")  # Node before 22.6 takes no .ts
        settings = folder / "recall-rank.json"
        settings.write_text(json.dumps({**json.loads(settings.read_text()), **options}))
        ran = subprocess.run(
            [str(NODE), str(Path(__file__).with_name("drive_pi.mjs")), str(folder / "extension.mjs"), scenario],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ran.returncode == 0, ran.stderr
        return {**json.loads(ran.stdout), "stderr": ran.stderr}

    return run


def test_the_extension_passes_the_session_and_starts_the_child_again(drive: Drive) -> None:
    told = drive("tools")
    assert told["tools"] == ["recall", "session_recall"]
    assert told["events"] == ["before_agent_start", "context", "session_shutdown"]
    first = json.loads(told["first"])
    assert (first["trust"], first["notice"]) == (TRUST, NOTICE)
    kept = ["kept", "c", "new"]
    assert first["context"] == {"session_id": "s-1", "directory": "/srv/quay", "in_context": kept}
    assert first["curator"] == "extractive"
    assert told["lost"] == "error: recall-rank: recall-rank is not running: it ended with 1"
    assert '"asked":"recall"' in told["again"]
    assert told["cancelled"] == "error: recall-rank: the call was cancelled"
    assert len(told["stderr"].splitlines()) == 1


def test_the_hooks_add_the_reminder_and_what_was_found(drive: Drive) -> None:
    told = drive("hooks", autoRecall=True)
    assert told["prompt"]["systemPrompt"] == f"You are an agent.\n\n{NUDGE}"
    assert told["again"] is None
    added = {"type": "text", "text": "<recall-auto>found</recall-auto>"}
    earlier, asking = told["found"]
    assert earlier["content"] == [{"type": "text", "text": "earlier"}]
    assert asking["content"] == [{"type": "text", "text": "as last time"}, added]
    # The model reads an earlier message in the next turn as it did before; the new one has nothing that was found.
    assert [len(each["content"]) for each in told["later"]] == [2, 0, 1]
    assert told["text"][0]["content"] == [{"type": "text", "text": "as last time"}, added]
    assert told["stderr"] == ""


def test_the_hooks_can_be_turned_off(drive: Drive) -> None:
    told = drive("one", hooks=False)
    assert told["prompt"] is None
    assert json.loads(told["answer"])["options"] == {"redact": True, "nudge": False, "autoRecall": False}


def test_families_choose_the_tools(drive: Drive) -> None:
    assert drive("one", families=("recall",))["tools"] == ["recall"]


def test_auto_recall_keeps_the_host_waiting_for_its_deadline_only(drive: Drive) -> None:
    told = drive("slow", SILENT, autoRecall=True, hookMs=5000)
    assert sorted(told["times"])[2] < 1000  # 35 ms, on a machine that does something else as well
    assert told["added"] is None


def test_a_child_that_says_nothing_is_a_told_failure(drive: Drive) -> None:
    assert drive("one", SILENT, callMs=200)["answer"] == "error: recall-rank: recall-rank took too long"


def test_a_missing_program_is_a_told_failure_and_one_line(drive: Drive) -> None:
    told = drive("one", ("/nowhere/recall-rank",))
    assert "ENOENT" in told["answer"]
    assert "ENOENT" in told["stderr"]
    assert len(told["stderr"].splitlines()) == 1
    assert told["prompt"]["systemPrompt"].endswith(NUDGE)


def test_nothing_that_a_host_hands_in_ends_its_turn(drive: Drive) -> None:
    told = drive("odd")
    assert told["answer"].startswith("error: recall-rank: ")
    assert len(told["stderr"].splitlines()) == 2  # a hook failed; and the stand-in of recall-rank ended


def test_after_the_session_ended_nothing_is_started(drive: Drive) -> None:
    assert drive("ended")["after"].startswith("error: recall-rank: recall-rank is not running")


def test_the_tools_answer_from_real_histories(drive: Drive, tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    shutil.copy(plugin_tools.PACKAGE / "frontends/demo/history.jsonl", history)
    told = drive("one", (sys.executable, "-m", "recall_rank"), history=str(history))
    answer = json.loads(told["answer"])
    assert answer["ok"] is True
    assert answer["coverage"]["sessions"]["known"] > 1
