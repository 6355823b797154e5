"""The terminal of the picker: its descriptors, a first frame that is drawn before Textual is imported, the pager.

The choice of a picker goes to stdout, which a script reads; the picker itself is drawn on stderr. Where stdin or stderr
leads elsewhere, the controlling terminal stands in for it.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from typing import Final

from recall_rank.frontends.display_text import escape

_TERMINAL: Final = "/dev/tty"
_STDIN: Final = 0
_STDERR: Final = 2


@contextmanager
def on_terminal() -> Iterator[None]:
    """A context manager in which stdin and stderr are the terminal. Raises OSError where there is none."""
    kept: list[tuple[int, int]] = []
    try:
        for descriptor in (_STDIN, _STDERR):
            if os.isatty(descriptor):
                continue
            opened = os.open(_TERMINAL, os.O_RDWR)
            kept.append((descriptor, os.dup(descriptor)))
            os.dup2(opened, descriptor)
            os.close(opened)
        yield
    finally:
        sys.stderr.flush()
        for descriptor, before in kept:
            os.dup2(before, descriptor)
            os.close(before)


@contextmanager
def first_frame(query: str, rows: Sequence[str]) -> Iterator[None]:
    """A context manager that draws a frame with the query on the other screen of the terminal, and keeps what is typed
    for Textual, which draws over it. What is written to stderr meanwhile follows on the first screen.

    The terminal gets its settings back afterwards.
    """
    settings = termios.tcgetattr(_STDIN)
    quiet = termios.tcgetattr(_STDIN)
    quiet[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(_STDIN, termios.TCSANOW, quiet)
    shown = "\r\n".join((f"> {escape(query)}", *rows))
    os.write(_STDERR, f"\x1b[?1049h\x1b[H\x1b[2J{shown}\x1b[1;{len(query) + 3}H".encode("utf-8", "replace"))
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            yield
    finally:
        termios.tcsetattr(_STDIN, termios.TCSANOW, settings)
        os.write(_STDERR, b"\x1b[?1049l\x1b[?25h")
        sys.stderr.write(said.getvalue())


def page(lines: Sequence[str], words: Sequence[str]) -> str:
    """Show lines in a pager on the terminal. Return why that was not possible, else ""."""
    command = [*words]
    if not command:
        return "there is no pager: set $PAGER to a command"
    program = shutil.which(command[0])
    if program is None:
        return f"the pager {command[0]} is not installed"
    if os.path.basename(program) == "less":  # noqa: PTH119 - a name, not a path
        command += ["-R", "-+F", "-+X"]  # F would end at once for what fits on the screen
    text = "".join(f"{escape(line)}\n" for line in lines).encode("utf-8", "replace")
    try:
        ended = subprocess.run([program, *command[1:]], input=text, stdout=_STDERR, check=False)  # noqa: S603 - the user's
    except OSError as error:
        return f"the pager {command[0]} cannot be started: {error.strerror or error}"
    return f"the pager {command[0]} ended with {ended.returncode}" if ended.returncode else ""
