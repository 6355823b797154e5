"""Run the command line as a process of its own, as a shell does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


def recall_rank(
    *words: object, before: tuple[object, ...] = (), python: tuple[str, ...] = (), **more: Any
) -> subprocess.CompletedProcess[str]:
    """Return the ended process `recall-rank WORDS`: exit status, stdout and stderr.

    `before` is a program that starts it, with its arguments; `python` are options of the interpreter. `more` goes to
    subprocess.run; the variables in `env` are added to those of this process. Coverage of a process that `preexec_fn`
    limits is not measured, since measuring needs memory and files of its own.
    """
    command = [*before, sys.executable, *python, "-m", "recall_rank", *words]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **more.pop("env", {})}
    if "preexec_fn" in more:
        env = {name: value for name, value in env.items() if not name.startswith("COVERAGE_PROCESS_")}
    given = {"capture_output": True, "text": True, "timeout": 120, **more}
    return subprocess.run([str(word) for word in command], check=False, env=env, **given)
