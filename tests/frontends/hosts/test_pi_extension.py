"""The extension for pi and tallow, run by node with a stand-in of the host and of recall-rank."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.hosts.every_host import HOSTS
from recall_rank.frontends.hosts.host import Launch
from recall_rank.frontends.hosts.install import install, plan_install

NODE = shutil.which("node")
CHILD = """import json, os, sys
assert sys.argv[1:] == ["batch", "--live", "--calls", "-", "--out", "-"]
for line in sys.stdin:
    call = json.loads(line)
    if "cancel" in call or call["args"]["query"] == "wait":
        continue
    if call["args"]["query"] == "die":
        os._exit(1)
    output = {"ok": True, "asked": call["tool"], "context": call["context"]}
    print(json.dumps({"id": call["id"], "output": output}), flush=True)
"""


needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def driven(home: Path, monkeypatch: pytest.MonkeyPatch, *command: str) -> dict[str, Any]:
    """Return what drive_pi.mjs prints with the extension installed in `home`, whose child is this command."""
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    host = HOSTS["pi"]
    install(plan_install(host, host.user({}, home), Launch(command), "1"))
    shutil.copy(home / ".pi/agent/extensions/recall-rank.ts", home / "extension.mjs")
    ran = subprocess.run(
        [str(NODE), str(Path(__file__).with_name("drive_pi.mjs")), str(home / "extension.mjs")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


@needs_node
def test_a_missing_program_is_one_line_for_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = driven(tmp_path, monkeypatch, str(tmp_path / "nowhere" / "recall-rank"))
    for call in ("first", "again"):
        assert told[call].startswith("error: recall-rank: ")
        assert "ENOENT" in told[call]
        assert "\n" not in told[call]


@needs_node
def test_the_extension_passes_the_session_and_starts_the_child_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "child.py").write_text(CHILD)
    told = driven(tmp_path, monkeypatch, sys.executable, str(tmp_path / "child.py"))
    assert told["tools"] == ["recall", "session_recall"]
    assert told["events"] == ["session_shutdown"]
    notice, _, answer = told["first"].partition("\n")
    assert "not instructions" in notice
    assert json.loads(answer)["context"] == {"session_id": "s-1", "directory": "/srv/quay"}
    assert told["lost"] == "error: recall-rank: it ended"
    assert '"asked":"recall"' in told["again"]
    assert told["cancelled"] == "error: recall-rank: cancelled"
