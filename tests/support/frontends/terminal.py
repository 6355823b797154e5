"""A terminal that remembers what stays on its screen, for programs that draw and erase."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

from tests.support.frontends.process import ROOT

_PIECE: Final = re.compile(r"\x1b\[(\?)?([0-9;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+|\x1b")


def on_terminal(
    words: Sequence[object],
    *,
    kind: str = "xterm",
    columns: int = 80,
    cwd: object = None,
    stop: int | None = None,
    typed: str = "",
) -> tuple[int, str, str]:
    """Return (exit status, stdout, everything written to stderr) of `recall-rank WORDS` whose stdin and stderr are a
    terminal, on which `typed` was typed beforehand.

    With `stop` that signal is sent when the first bar is drawn. The status is the one that a shell tells.
    """
    control, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": kind, "COLUMNS": str(columns)}
    command = [sys.executable, "-m", "recall_rank", *map(str, words)]
    with subprocess.Popen(
        command,
        stdin=side,
        stdout=subprocess.PIPE,
        stderr=side,
        env=env,
        cwd=None if cwd is None else str(cwd),
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - these tests have one thread
    ) as process:
        os.close(side)
        os.write(control, typed.encode())
        written = b""
        while chunk := _read(control, process):
            written += chunk
            if stop is not None and b"reading" in written:
                process.send_signal(stop)
                stop = None
        assert process.stdout is not None
        shown = process.stdout.read().decode()
    os.close(control)
    return shell_status(process.returncode), shown, written.decode()


def shell_status(status: int) -> int:
    """Return what a shell tells for a status of subprocess, where -N is an end by signal N.

    CPython ends itself by SIGINT instead of with the status 130 where Ctrl-C came while a string was evaluated, as
    namedtuple() does on import, though the exception was caught later.
    """
    return status if status >= 0 else 128 - status


class PersonAtTerminal:
    """A terminal on which a person runs one command after another; stdin, stdout and stderr are the terminal.

    There is no pager unless `env` names one, so that no command waits.
    """

    def __init__(self, columns: int, rows: int, home: Path, **env: str) -> None:
        self._control, self._side = pty.openpty()
        fcntl.ioctl(self._side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "caches"), "XDG_CONFIG_HOME": str(home / "settings")}
        own |= {"XDG_STATE_HOME": str(home / "state"), "TERM": "xterm", "PYTHONPATH": str(ROOT), "PAGER": "cat"}
        self._env = {**kept, **own, **env}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._side)
        os.close(self._control)

    def run(self, *words: object, typed: str = "", env: Mapping[str, str] | None = None) -> tuple[int, str]:
        """Return the exit status of `recall-rank WORDS`, and everything it wrote to the terminal."""
        command = [sys.executable, "-m", "recall_rank", *map(str, words)]
        side = self._side
        with subprocess.Popen(
            command, stdin=side, stdout=side, stderr=side, env={**self._env, **(env or {})}
        ) as process:
            os.write(self._control, typed.encode())
            written = b""
            while chunk := _read(self._control, process):
                written += chunk
        return process.returncode, written.decode()


def rows_of(written: str) -> list[str]:
    """Return the rows that were written, without colours and without the blanks at their ends."""
    return [re.sub(r"\x1b\[[0-9;]*m", "", row).rstrip() for row in written.replace("\r\n", "\n").split("\n")]


def heed_interrupts() -> None:
    """Let SIGINT interrupt this process: a shell that runs the tests in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _read(control: int, process: subprocess.Popen[bytes]) -> bytes:
    """Return what the process wrote next; b"" when it has ended."""
    while True:
        ready, _, _ = select.select([control], [], [], 0.1)
        if ready:
            try:
                return os.read(control, 65536)
            except OSError:  # the other side is closed
                return b""
        if process.poll() is not None:
            return b""


def screen(written: str) -> list[str]:
    """Return the lines that stay on the screen, without blank ones."""
    lines, row, column = [""], 0, 0
    for found in _PIECE.finditer(written):
        text = found[0]
        if text == "\r":
            column = 0
        elif text == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif found[3] == "K" and found[2] == "2":
            lines[row] = ""
        elif found[3] == "A":
            row = max(0, row - int(found[2] or 1))
        elif not text.startswith("\x1b"):
            lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + len(text) :]
            column += len(text)
    return [line for line in lines if line.strip()]
