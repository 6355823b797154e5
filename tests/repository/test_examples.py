"""What a property fails on is kept, and tried first from then on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROPERTY = """
import os
from hypothesis import given, strategies as st

@given(st.integers())
def test_small(number):
    print("tried", number)
    assert number < int(os.environ["BOUND"])
"""


def pytest_in(folder: Path, profile: str, bound: int) -> subprocess.CompletedProcess[str]:
    """Run the one property of a project that has the settings of this suite."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-s", f"--hypothesis-profile={profile}"]
    environment = {**os.environ, "BOUND": str(bound), "RECALL_RANK_EXAMPLES": "500"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=99)


def test_a_failing_example_is_kept_and_tried_first(tmp_path: Path) -> None:
    for folder in ("support", "reliability"):
        (tmp_path / "tests" / folder).mkdir(parents=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    report = ("reliability/promises.py", "reliability/report.py")
    for settings in ("conftest.py", "support/soak.py", "support/examples.py", "support/simulated_windows.py", *report):
        shutil.copy(ROOT / "tests" / settings, tmp_path / "tests" / settings)
    (tmp_path / "tests" / "test_small.py").write_text(PROPERTY)

    found = pytest_in(tmp_path, "ci", bound=977)
    assert found.returncode == 1, found.stdout + found.stderr
    assert "number=977" in found.stdout
    kept = [path for path in (tmp_path / "tests" / "corpus").rglob("*") if path.is_file()]
    assert kept

    for profile in ("dev", "ci"):
        again = pytest_in(tmp_path, profile, bound=977)
        tried = [line for line in again.stdout.splitlines() if "tried" in line]
        assert tried[0].endswith("tried 977")
    assert pytest_in(tmp_path, "dev", bound=10**40).returncode == 0
