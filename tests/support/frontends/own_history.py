"""The demo history as one of OpenCode on this machine, so that its sessions can be reopened."""

from __future__ import annotations

from pathlib import Path

from recall_rank.frontends.demo.generate import history

HOME = "/home/sam/harborline"  # the folder in which the demo's sessions ran


def write_own_history(folder: Path, project: Path) -> Path:
    """Write the history into `folder` and return its file; its sessions ran in `project`, which is made."""
    project.mkdir(exist_ok=True)
    path = folder / "own.jsonl"
    text = history().replace('"agent_app":', '"source": "opencode", "agent_app":')
    path.write_text(text.replace(HOME, str(project)), encoding="utf-8")
    return path
