"""A machine with Claude Code for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.frontends.claude_machine import ClaudeMachine


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeMachine:
    """A home folder and a project of its own; the process works in the project."""
    machine = ClaudeMachine(tmp_path)
    monkeypatch.setenv("HOME", str(machine.home))
    monkeypatch.setenv("PATH", machine.path_with_program())
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.delenv("RECALL_RANK_CURATING", raising=False)
    monkeypatch.chdir(machine.project)
    return machine
