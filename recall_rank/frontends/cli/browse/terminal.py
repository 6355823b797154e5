"""The terminal of the picker: its descriptors, a first frame that is drawn before Textual is imported, the pager.

The choice of a picker goes to stdout, which a script reads; the picker itself is drawn on stderr. Where stdin or stderr
leads elsewhere, the controlling terminal stands in for it. A terminal can vanish without a signal: when the process
ignores SIGHUP, or when the terminal is not its controlling one. Reading from it then gives no text, for ever.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from typing import Final, NoReturn

from recall_rank.frontends.cli.output.console import HUNG_UP
from recall_rank.frontends.display_text import escape

try:
    import termios
except ImportError:  # Windows, where the command refuses to begin
    termios = None  # type: ignore[assignment]

_TERMINAL: Final = "/dev/tty"
_STDIN: Final = 0
_STDERR: Final = 2
_LOOK_SECONDS: Final = 0.5  # between two looks for the terminal
# Ends what Textual has switched on: keys in full, pasting, focus, mouse; then the other screen, and a hidden cursor.
_LEAVE: Final = b"\x1b[<u\x1b[?2004l\x1b[?1004l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?7h\x1b[?1049l\x1b[?25h"


@contextmanager
def on_terminal() -> Iterator[None]:
    """A context manager in which stdin and stderr are the terminal. Raises OSError where there is none.

    The process ends with HUNG_UP when the terminal vanishes meanwhile.
    """
    kept: list[tuple[int, int]] = []
    is_over = threading.Event()
    try:
        for descriptor in (_STDIN, _STDERR):
            if os.isatty(descriptor):
                continue
            opened = os.open(_TERMINAL, os.O_RDWR)
            kept.append((descriptor, os.dup(descriptor)))
            os.dup2(opened, descriptor)
            os.close(opened)
        for name, stream in (("__stdin__", sys.stdin), ("__stderr__", sys.stderr)):  # which Textual uses
            if getattr(sys, name) is None:  # it was closed when the process began
                setattr(sys, name, stream)
        threading.Thread(target=_watch, args=(is_over,), name="recall_rank terminal", daemon=True).start()
        try:
            yield
            sys.stderr.flush()
        except (OSError, termios.error):
            if not _is_there():
                hang_up()
            raise
    finally:
        is_over.set()
        for descriptor, before in kept:
            os.dup2(before, descriptor)
            os.close(before)


def hang_up() -> NoReturn:
    """End the process as SIGHUP would, whatever its threads do. A terminal that is still there gets its first screen
    back.
    """
    with suppress(OSError):
        os.write(_STDERR, _LEAVE)
    os._exit(HUNG_UP)


def _watch(is_over: threading.Event) -> None:
    while not is_over.wait(_LOOK_SECONDS):
        if not _is_there():
            hang_up()


def _is_there() -> bool:
    """Return whether stdin and stderr are still terminals: of one that has vanished the settings cannot be read."""
    try:
        for descriptor in (_STDIN, _STDERR):
            termios.tcgetattr(descriptor)
    except termios.error:
        return False
    return True


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
