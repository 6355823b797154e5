"""A picker whose terminal vanishes without a signal ends soon, quietly, and uses no CPU meanwhile."""

from __future__ import annotations

import os
import pty
import resource
import select
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("textual")

from recall_rank.frontends.cli.output.console import DEFECT, HITS, HUNG_UP, USAGE
from recall_rank.frontends.demo.generate import history
from tests.support.frontends.process import ROOT

pytestmark = pytest.mark.posix
SECONDS = 3.0  # until the process must have ended; it looks at its terminal twice in a second
CPU_SECONDS = 1.0  # of those that it may use meanwhile


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "demo.jsonl"
    path.write_text(history(), encoding="utf-8")
    return path


class PickerProcess:
    """A process of the picker on a terminal that is not its controlling one, so that no signal tells of its end."""

    def __init__(
        self, words: list[object], home: Path, *, is_ignoring: bool = False, shell: str = "", code: str = "", **env: str
    ) -> None:
        own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "caches"), "XDG_CONFIG_HOME": str(home / "settings")}
        own |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LINES": "24", "COLUMNS": "80"}
        self.control, side = pty.openpty()
        self.side_name = os.ttyname(side)

        def prepare() -> None:
            if is_ignoring:  # as nohup does
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
            if is_ignoring or shell:
                os.close(os.open(self.side_name, os.O_RDWR))  # becomes the controlling terminal

        program = ["-c", code] if code else ["-m", "recall_rank"]
        command = [sys.executable, *program, "browse", *map(str, words)]
        if shell:  # with redirections
            command = ["sh", "-c", f"exec {shlex.join(command)} {shell}"]
        self.process = subprocess.Popen(
            command, stdin=side, stderr=side,
            stdout=subprocess.PIPE, env={**os.environ, **own, **env}, start_new_session=True, preexec_fn=prepare,  # noqa: PLW1509
        )  # fmt: skip
        os.close(side)
        self.drawn = b""

    def wait_for(self, text: str, seconds: float = 60.0, *, is_running: bool = True) -> None:
        end = time.monotonic() + seconds
        while text.encode() not in self.drawn:
            if time.monotonic() > end or (is_running and self.process.poll() is not None):
                self.vanish()
                raise AssertionError(f"no {text}: {self.drawn[-2000:]!r}")
            self._read()

    def _read(self) -> None:
        if select.select([self.control], [], [], 0.1)[0]:
            with suppress(OSError):  # the process has ended
                self.drawn += os.read(self.control, 65536)

    def ended(self) -> int:
        """Read until the process has ended by itself; return its exit status."""
        end = time.monotonic() + 20
        while self.process.poll() is None and time.monotonic() < end:
            self._read()
        self._read()
        self.vanish()
        return self.process.returncode

    def type(self, text: str) -> None:
        os.write(self.control, text.encode())

    def vanish(self) -> tuple[int, str, float]:
        """Close the terminal; return exit status, stdout and the CPU seconds of the process and its children."""
        before = _children_cpu()
        os.close(self.control)
        try:
            status = self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
            raise AssertionError(f"still there, after {_children_cpu() - before:.1f} s of CPU") from None
        finally:
            assert self.process.stdout is not None
            shown = self.process.stdout.read().decode()
            self.process.stdout.close()
        return status, shown, _children_cpu() - before


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("is_ignoring", [False, True])
@pytest.mark.parametrize("form", [[], ["--print", "id"]])
def test_a_picker_ends_with_its_terminal(own: Path, tmp_path: Path, form: list[str], is_ignoring: bool) -> None:
    picker = PickerProcess(["burst", *form, "--history", own], tmp_path, is_ignoring=is_ignoring)
    picker.wait_for("4 hits")
    status, shown, _ = picker.vanish()
    assert (status, shown) == (HUNG_UP, "")


def test_a_picker_that_has_not_drawn_yet_ends_with_its_terminal(own: Path, tmp_path: Path) -> None:
    picker = PickerProcess(["--history", own], tmp_path)
    picker.wait_for("opening the histories")
    assert picker.vanish()[:2] == (HUNG_UP, "")


def test_a_picker_whose_pager_is_open_ends_with_its_terminal(own: Path, tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ncat > {tmp_path}/paged; echo PAGED; sleep 60\n")
    pager.chmod(0o755)
    picker = PickerProcess(["burst", "--history", own], tmp_path, PAGER=str(pager))
    picker.wait_for("4 hits")
    picker.type("\t")
    picker.wait_for("copy")
    picker.type("o")
    picker.wait_for("PAGED")
    assert picker.vanish()[:2] == (HUNG_UP, "")


@pytest.mark.parametrize("screen", ["\t?", "\te", "\ta"])
def test_a_picker_with_a_question_ends_with_its_terminal(own: Path, tmp_path: Path, screen: str) -> None:
    picker = PickerProcess(["burst", "--history", own], tmp_path)
    picker.wait_for("4 hits")
    picker.type(screen)
    picker.wait_for({"\t?": "In the query", "\te": "Export to", "\ta": "any agent"}[screen])
    assert picker.vanish()[:2] == (HUNG_UP, "")


def test_a_resting_picker_uses_hardly_any_cpu(own: Path, tmp_path: Path) -> None:
    picker = PickerProcess(["burst", "--history", own], tmp_path)
    picker.wait_for("4 hits")
    for _ in range(10):  # on a busy machine it is at work for longer before it rests
        before = _cpu_of(picker.process.pid)
        time.sleep(2.0)
        used = _cpu_of(picker.process.pid) - before
        if used < 0.4:
            break
    assert used < 0.4
    assert picker.process.poll() is None
    picker.vanish()


def _cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("closed", ["<&-", "2>&-", ">&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_leave_the_picker_on_its_terminal(own: Path, tmp_path: Path, closed: str) -> None:
    picker = PickerProcess(["burst", "--history", own], tmp_path, shell=closed)
    picker.wait_for("4 hits")
    picker.type("\x03")
    assert picker.ended() == HITS


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_terminal_that_cannot_place_text_is_refused(own: Path, tmp_path: Path, kind: str) -> None:
    picker = PickerProcess(["burst", "--history", own], tmp_path, TERM=kind)
    picker.wait_for("a terminal that can place text", is_running=False)
    assert picker.ended() == USAGE
    assert b"\x1b" not in picker.drawn


def test_an_error_of_the_picker_ends_with_the_status_of_a_defect(own: Path, tmp_path: Path) -> None:
    picker = PickerProcess(["burst", "--print", "id", "--history", own], tmp_path, code=BROKEN)
    picker.wait_for("an error of this program", is_running=False)
    assert picker.ended() == DEFECT
    assert b"ZeroDivisionError" in picker.drawn


BROKEN = """
from recall_rank.frontends.cli.browse.app import PickerApp
from recall_rank.frontends.cli.main import main
PickerApp._show = lambda self, found: 1 / 0
main()
"""
