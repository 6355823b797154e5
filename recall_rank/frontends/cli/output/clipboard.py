"""Put text on the clipboard: by a program of the desktop, else through the terminal."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Final

SECONDS: Final = 5.0  # for a program that takes the text
MOST: Final = 74_994  # bytes that every terminal with OSC 52 takes: 100,000 with the sequence, in base64


class ClipboardError(Exception):
    """The text cannot be put on a clipboard. The message is one line for a person."""


def copy_to_clipboard(text: str) -> str:
    """Put a text on the clipboard and return what took it: the name of a program, or "the terminal".

    Over SSH the desktop is not that of this machine, and its terminal is asked. Raises ClipboardError.
    """
    data = text.encode("utf-8", "replace")
    program = copy_by_program(text)
    if program is not None:
        return program
    if not (sys.stdout.isatty() and os.environ.get("TERM") != "dumb"):
        raise ClipboardError("there is no clipboard here: no pbcopy, wl-copy, xclip or xsel, and no terminal")
    if len(data) > MOST:
        raise ClipboardError(f"{len(data):,} bytes are more than terminals take ({MOST:,}): use `recall-rank get`")
    sys.stdout.write(f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07")
    sys.stdout.flush()
    return "the terminal"


def copy_by_program(text: str) -> str | None:
    """Put a text on the clipboard by a program and return the name of that; None when none took it."""
    data = text.encode("utf-8", "replace")
    for words in _programs(os.environ):
        if shutil.which(words[0]) and _taken(words, data):
            return words[0]
    return None


def _programs(environ: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield the commands that may reach the clipboard of the person at the terminal, each reading it on stdin."""
    if environ.get("TMUX"):
        yield ("tmux", "load-buffer", "-w", "-")  # which hands it on to the terminal around it
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return
    if sys.platform == "darwin":
        yield ("pbcopy",)
    if environ.get("WAYLAND_DISPLAY"):
        yield ("wl-copy",)
    if environ.get("DISPLAY"):
        yield ("xclip", "-selection", "clipboard")
        yield ("xsel", "--clipboard", "--input")


def _taken(words: tuple[str, ...], data: bytes) -> bool:
    """Run a program with the text on its stdin; return whether it ended well. Its output goes nowhere: xclip stays in
    the background and would keep a pipe open.
    """
    try:
        ended = subprocess.run(  # noqa: S603
            words, input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0
