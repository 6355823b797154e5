"""Make a file look older, so that a database is read in place: one that was just written is copied by a process."""

from __future__ import annotations

import os
from pathlib import Path


def age(path: Path, seconds: int = 60) -> None:
    """Set the times of a file to `seconds` before its modification time."""
    when = path.stat().st_mtime - seconds
    os.utime(path, (when, when))
