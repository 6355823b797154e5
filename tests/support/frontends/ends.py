"""Wait until processes have ended, files are written and folders are empty."""

from __future__ import annotations

import time
from pathlib import Path


def ended(pid: int, within: float = 5.0) -> bool:
    """Whether a process ends within some seconds; a zombie has ended."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def soon(file: Path) -> str:
    """The text of a file, once it has a whole line."""
    until = time.monotonic() + 10
    while not (file.exists() and file.read_text().endswith("\n")):
        assert time.monotonic() < until
        time.sleep(0.01)
    return file.read_text()


def gone(folder: Path, within: float = 5.0) -> bool:
    """Whether a folder becomes empty within some seconds."""
    until = time.monotonic() + within
    while any(folder.iterdir()) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(folder.iterdir())
