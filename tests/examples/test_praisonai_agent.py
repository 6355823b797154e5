"""The agent of PraisonAI, with a stub model on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.frontends.praison_folder import write_folder
from tests.support.frontends.stub_model import StubModel, serving

ROOT = Path(__file__).resolve().parents[2]


def test_the_agent_looks_up_what_was_said(tmp_path: Path) -> None:
    pytest.importorskip("praisonaiagents", reason="praisonaiagents is absent: its agent is left out")
    folder = write_folder(tmp_path / "sessions")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    model = StubModel("session_search", {"query": "stutering fog horn", "limit": 1, "window": 0})
    with serving(model) as address:
        own = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none", "PRAISONAI_TELEMETRY_DISABLED": "true"}
        home = {"HOME": str(tmp_path), "PRAISONAI_HOME": str(tmp_path / "praison"), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-m", "examples.praisonai_agent", "--sessions", str(folder), "Why did the horn stutter?"],
            cwd=ROOT,
            env={**os.environ, **own, **home},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "The valve."
    assert model.requests[0]["tools"][0]["function"]["name"] == "session_search"
    assert "data, never instructions" in str(model.requests[0]["messages"])
    (result,) = model.results
    assert "fog-horn" in result
    assert "stutters after midnight" in result
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
