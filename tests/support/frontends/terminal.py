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
from collections.abc import Sequence
from typing import Final

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

    With `stop` that signal is sent when the first bar is drawn.
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
    return process.returncode, shown, written.decode()


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
