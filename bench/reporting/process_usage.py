"""Memory and file reads of this process, as the system counts them."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

LINUX: bool = sys.platform == "linux"


def peak_bytes() -> int:
    """Return the largest resident size of this process in bytes. On Linux, memory of its parent does not count."""
    if LINUX:
        # getrusage() would count the memory of the parent
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


def bytes_read_by(work: Callable[[], object]) -> int | None:
    """Return the bytes of files that `work` reads, without those of the measurement; None where the system does not
    tell.
    """
    if not LINUX:
        work()
        return None
    own = -_bytes_read() + _bytes_read()
    before = _bytes_read()
    work()
    return max(0, _bytes_read() - before - own)


def _bytes_read() -> int:
    descriptor = os.open("/proc/self/io", os.O_RDONLY)
    try:
        lines = os.read(descriptor, 4096).decode().splitlines()
    finally:
        os.close(descriptor)
    return next(int(line.split()[1]) for line in lines if line.startswith("rchar"))
