"""The regime itself: every promise has a proof, every proof exists, and the report counts what was tried."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.reliability.promises import PROMISES
from tests.reliability.report import Tally, promises_of

ROOT = Path(__file__).resolve().parents[2]


@cache
def functions(file: Path) -> frozenset[str]:
    return frozenset(
        node.name for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)
    )


def test_there_are_38_promises_each_with_a_proof() -> None:
    assert len(PROMISES) == 38
    own = "".join(path.read_text("utf-8") for path in (ROOT / "tests" / "reliability").glob("test_*.py"))
    marked = set(re.findall(r'mark\.promise\("(\w+)"\)', own))
    assert marked <= set(PROMISES)
    assert [key for key, promise in PROMISES.items() if not promise.proofs and key not in marked] == []


def test_every_proof_exists() -> None:
    for place in {place for promise in PROMISES.values() for place in promise.proofs}:
        file, _, test = place.partition("::")
        assert (ROOT / file).exists(), place
        assert not test or test in functions(ROOT / file), place


def test_a_test_belongs_to_the_promises_that_name_it() -> None:
    growing = "tests/loaders/formats/test_growing.py::test_every_view_equals_a_whole_reading"
    assert promises_of(growing, []) == ["S6"]
    assert promises_of(f"{growing}[x]", ["T3"]) == ["S6", "T3"]
    assert promises_of(f"{growing}_too", []) == []
    assert promises_of("tests/core/text/test_tokens.py::test_words", []) == ["Q1"]
    assert promises_of("tests/frontends/mcp/test_frames.py::TestProcess::test_x", []) == ["T7"]


def test_a_line_tells_what_was_tried_how_often_with_how_many_failures() -> None:
    words = Tally(tests=3, tried=12_000, failures=1, skipped=2, seconds=61.25).line("S6").split("  ")
    assert [word.strip() for word in words if word.strip()] == [
        *("S6", "steps of a writer, each view compared with a whole reading"),
        *("12,000 tried", "1 failures", "61.2 s", "3 tests, 2 skipped"),
    ]
    assert "not run" in Tally().line("S6")


@pytest.mark.parametrize("outcome", ["passed", "failed"])
def test_the_report_of_a_run(tmp_path: Path, outcome: str) -> None:
    """A run of pytest with the hooks: counts, failures and skipped tests come out."""
    (tmp_path / "conftest.py").write_text(
        "from tests.reliability.report import pytest_runtest_logreport, pytest_runtest_makereport\n"
        "from tests.reliability.report import pytest_terminal_summary\n"
    )
    (tmp_path / "test_x.py").write_text(
        "import pytest\nfrom tests.support.soak import tried\n"
        "@pytest.mark.promise('S6')\ndef test_a():\n    tried(40)\n    tried(2)\n"
        f"@pytest.mark.promise('S6')\ndef test_b():\n    assert {outcome == 'passed'}\n"
        "@pytest.mark.promise('T3')\ndef test_c():\n    pytest.skip('no')\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", ".", "."]
    environment = {"PYTHONPATH": str(ROOT), "RECALL_RANK_SOAK": "ci", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line[:3].strip() in PROMISES}
    assert len(lines) == len(PROMISES), done.stdout + done.stderr
    assert "43 tried" in lines["S6"]
    assert f" {int(outcome == 'failed')} failures" in lines["S6"]
    assert "1 skipped" in lines["T3"]
    assert "not run" in lines["C1"]


@pytest.mark.parametrize(("share", "parts"), [("1/1", [300]), ("1/3", [100]), ("3/7", [43])])
def test_shares_make_the_whole_and_share_no_seed(share: str, parts: list[int]) -> None:
    told = "import tests.support.soak as s; print(s.portion(9, 300), s.times(9, 300), s.first_seed())"
    environment = {
        "PYTHONPATH": str(ROOT),
        "RECALL_RANK_SOAK": "long",
        "RECALL_RANK_SEED": "2",
        "PATH": "/usr/bin:/bin",
    }

    def run(share: str) -> list[int]:
        variables = environment | {"RECALL_RANK_SHARE": share}
        done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, env=variables, check=True)
        return [int(word) for word in done.stdout.split()]

    assert run(share)[:2] == [*parts, 300]
    number = int(share.partition("/")[2])
    shares = [run(f"{at}/{number}") for at in range(1, number + 1)]
    assert sum(count for count, *_ in shares) == 300
    assert len({seed for *_, seed in shares}) == number
