"""`python -m bench` answers wrong usage with a sentence, whichever benchmark is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench import __main__ as command
from bench.engines import EngineError, create

ROOT = Path(__file__).resolve().parents[2]
WITH_ENGINES = ("known_item", "quality", "speed", "memory", "nonlatin", "scale")


@pytest.mark.parametrize("benchmark", WITH_ENGINES)
@pytest.mark.parametrize("engines", ["nosuch", "ours,nosuch", "nosuch:", ":Ours"])
def test_an_unknown_engine_is_wrong_usage(benchmark: str, engines: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["run", benchmark, "--engines", engines])
    assert ended.value.code == 2
    assert "engine must be one of ours, fts5" in capsys.readouterr().err


@pytest.mark.parametrize("engine", ["nosuch_module:Engine", "bench.engines:Nosuch"])
def test_an_engine_that_cannot_be_loaded_is_named(engine: str) -> None:
    with pytest.raises(EngineError, match=f"engine '{engine}'"):
        create(engine)


def test_no_benchmark_shows_a_traceback_for_an_engine() -> None:
    words = ("run", "known_item", "--engines", "nosuch_module:Engine", "--data", "nosuch.jsonl")
    ended = subprocess.run(
        [sys.executable, "-m", "bench", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False), ended.stderr


def test_an_interrupt_has_a_status_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_run", interrupt)
    assert command.main(["run", "speed"]) == 130
