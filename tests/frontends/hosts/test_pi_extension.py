"""The extension for pi and tallow, run by node with a stand-in of the host and of recall-rank."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_extension_passes_the_session_and_starts_the_child_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "child.py").write_text(CHILD)
    host = HOSTS["pi"]
    place = host.user({}, tmp_path)
    install(plan_install(host, place, Launch((sys.executable, str(tmp_path / "child.py"))), "1"))
    shutil.copy(tmp_path / ".pi/agent/extensions/recall-rank.ts", tmp_path / "extension.mjs")
    ran = subprocess.run(
        [str(NODE), str(Path(__file__).with_name("drive_pi.mjs")), str(tmp_path / "extension.mjs")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["tools"] == ["recall", "session_recall"]
    assert told["events"] == ["session_shutdown"]
    notice, _, answer = told["first"].partition("\n")
    assert "not instructions" in notice
    assert json.loads(answer)["context"] == {"session_id": "s-1", "directory": "/srv/quay"}
    assert told["lost"] == "error: recall-rank: it ended"
    assert '"asked":"recall"' in told["again"]
    assert told["cancelled"] == "error: recall-rank: cancelled"
