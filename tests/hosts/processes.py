"""The processes of recall-rank below a host, found through /proc."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path


def recall_children(pid: int) -> list[int]:
    """The processes of recall-rank below a process."""
    found = []
    for place in Path("/proc").glob(f"{pid}/task/*/children"):
        for child in map(int, place.read_text().split()):
            words = Path(f"/proc/{child}/cmdline").read_bytes()
            found += [child] if b"recall_rank" in words or b"/recall-rank" in words else recall_children(child)
    return found


def left_of(pids: Iterable[int]) -> list[int]:
    """Those of the processes that are still there after 10 seconds."""
    until = time.monotonic() + 10
    left = list(pids)
    while left and time.monotonic() < until:
        left = [pid for pid in left if _runs(pid)]
        time.sleep(0.02)
    return left


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
