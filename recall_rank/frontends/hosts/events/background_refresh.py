"""Refresh the index of this machine in a process of its own, which outlives the hook that starts it.

It is bounded in time, runs with low priority, and only one runs at a time for a cache.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recall_rank.histories.cache.location import MACHINE, default_cache

if TYPE_CHECKING:
    from recall_rank.histories.settings import Settings

SECONDS: Final = 1800  # after which the process is ended; what it has not published is swept by the next refresh
_NICE: Final = 10
_WAIT: Final = "wait"


def start_refresh(cache: Path, environ: Mapping[str, str], older: float = 0.0, *, wait: bool = False) -> int | None:
    """Start a refresh of the index of this machine in the folder `cache`, and return at once with the id of its
    process.

    None is started, and None returned, when the index was compared with its sources in the last `older` seconds. With
    `wait` the process begins when a refresh that runs already is done, and so reads what was just written; without, it
    then ends. It has no stdin, stdout or stderr, so that the host does not wait for it. Raises OSError when it cannot
    be started.
    """
    if _age(cache / MACHINE) < older:
        return None
    words = [_WAIT] if wait else []
    command = [sys.executable, "-P", "-m", __name__, *words]  # -P: nothing of the agent's folder is imported
    if not hasattr(os, "posix_spawn"):
        return _start_detached(command, environ)
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    return os.posix_spawn(sys.executable, command, dict(environ), file_actions=nothing, setsid=True)


def _start_detached(command: list[str], environ: Mapping[str, str]) -> int:
    """Start a command on Windows without a console and without stdin, stdout and stderr; return its process id."""
    import subprocess

    flags: int = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    none = subprocess.DEVNULL
    started = subprocess.Popen(  # noqa: S603 - this interpreter and a module of this package
        command, env=dict(environ), stdin=none, stdout=none, stderr=none, creationflags=flags, start_new_session=True
    )
    return started.pid


def _age(folder: Path) -> float:
    """Return the seconds since the index in a folder was last published or compared with its sources; infinite when
    there is none.
    """
    try:
        with os.scandir(folder) as entries:
            newest = max((entry.stat().st_mtime for entry in entries), default=0.0)
    except OSError:
        return float("inf")
    return max(0.0, time.time() - newest)


def refresh_once(*, wait: bool = False) -> int:
    """Refresh the index that the settings name, after another process that does, or, without `wait`, unless there is
    one. Returns 0, or 1 when there may be no index.
    """
    from recall_rank.histories.settings import settings
    from recall_rank.recall import Recall

    known = settings()
    cache = default_cache() if known.cache is True else Path(known.cache) if isinstance(known.cache, str) else None
    if known.problem is not None or cache is None:
        return 1
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with (
            _locked(cache, wait=wait),
            Recall.discover(cache, ignore=known.ignore, keep_vanished=known.keep_vanished) as recall,
        ):
            recall.refresh()
    except BlockingIOError:
        return 0
    if known.embedder is not None:
        _embed(cache, known)
    return 0


@contextmanager
def _locked(cache: Path, *, wait: bool) -> Iterator[None]:
    """Hold the lock of a cache folder, which is released with the process, however it ends. Raises BlockingIOError
    when another process holds it, unless `wait`. Windows has no such lock: two refreshes may do equal work there.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    held = os.open(cache, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(held)


def _embed(cache: Path, known: Settings) -> None:
    """Make the vectors that the index in `cache` lacks, unless another process does. SECONDS bounds this, too; what was
    stored until then is kept, and the next run goes on.
    """
    from recall_rank.recall import Recall
    from recall_rank.semantic.adapters.choose import open_embedder

    model = open_embedder(known.embedder or "")
    with Recall.discover(cache, ignore=known.ignore, keep_vanished=known.keep_vanished, embedder=model) as recall:
        recall.embed()


def main() -> int:
    """Run refresh_once() as a process of low priority that SIGALRM ends after SECONDS; return its status. On Windows it
    has the usual priority, and a thread ends it.
    """
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, SECONDS)  # nobody handles the signal here
    else:
        import threading

        ending = threading.Timer(SECONDS, os._exit, (1,))
        ending.daemon = True
        ending.start()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    os.chdir("/")  # the folder of the agent may be removed
    return refresh_once(wait=_WAIT in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
