"""`python -m bench` answers wrong usage with a sentence, whichever benchmark is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench import command

ROOT = Path(__file__).resolve().parents[2]
WITH_ENGINES = ("known_item", "quality", "speed", "memory", "nonlatin", "scale")


@pytest.mark.parametrize("benchmark", WITH_ENGINES)
@pytest.mark.parametrize("engines", ["nosuch", "ours,nosuch", "nosuch:", ":Ours"])
def test_an_unknown_engine_is_wrong_usage(benchmark: str, engines: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["run", benchmark, "--engines", engines])
    assert ended.value.code == 2
    assert "engine must be one of ours, fts5" in capsys.readouterr().err


@pytest.mark.parametrize("benchmark", WITH_ENGINES)
@pytest.mark.parametrize("engine", ["nosuch_module:Engine", "bench.engines:Nosuch"])
def test_an_engine_that_cannot_be_loaded_is_named_before_anything_is_measured(
    benchmark: str, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["run", benchmark, "--engines", engine])
    assert ended.value.code == 2
    assert f"engine '{engine}'" in capsys.readouterr().err


def test_an_interrupt_has_a_status_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_run", interrupt)
    assert command.main(["run", "speed"]) == 130


INTERRUPTING = """
import importlib.abc, runpy, sys
class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "bench.reporting":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
sys.argv = ["bench", "list"]
runpy.run_module("bench", run_name="__main__")
"""


def test_an_interrupt_while_modules_are_imported_shows_no_traceback() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTING], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
