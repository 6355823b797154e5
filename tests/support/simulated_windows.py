"""Takes from `os` and the standard library what Windows does not have, for a run of the suite with
RECALL_RANK_SIMULATE_WINDOWS=1.

Signals stay, because subprocess of this system needs them, and so does what the file system of this system does:
this shows that no call is missing, not that recall_rank works on Windows.
"""

from __future__ import annotations

import asyncio  # noqa: F401 - what the standard library needs of these modules is imported before they go
import multiprocessing.context  # noqa: F401
import os
import pathlib  # noqa: F401
import shutil
import socket  # noqa: F401
import subprocess
import sys
import tempfile  # noqa: F401
from typing import Final

import numpy as np  # noqa: F401 - it asks os.uname for the kernel's version on this system

VARIABLE: Final = "RECALL_RANK_SIMULATE_WINDOWS"
SIMULATED: Final = os.environ.get(VARIABLE, "0") not in {"", "0"}
MODULES: Final = ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty")
NAMES: Final = (
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOATIME", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "SEEK_DATA", "SEEK_HOLE"),
    *("chown", "fchdir", "fchmod", "fchown", "fdatasync", "fork", "forkpty", "getegid", "geteuid", "getpgid", "killpg"),
    *("lchown", "link", "mkfifo", "nice", "posix_fadvise", "posix_spawn", "posix_spawnp", "pread", "preadv", "pwrite"),
    *("pwritev", "sched_getaffinity", "setpgid", "setsid", "sync", "uname", "wait3", "wait4", "waitid"),
)


def simulate() -> None:
    """Remove NAMES from os and MODULES from the interpreter, and let no function take a folder's descriptor."""
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    subprocess._USE_POSIX_SPAWN = False  # type: ignore[attr-defined]
    for name in NAMES:
        if hasattr(os, name):
            delattr(os, name)
    for module in MODULES:
        sys.modules[module] = None  # type: ignore[assignment]
    os.supports_dir_fd.clear()
    os.supports_fd.clear()
    os.supports_follow_symlinks.intersection_update({os.stat})
