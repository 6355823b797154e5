"""Watches, refuses or interrupts the system calls that write an index."""

from __future__ import annotations

import errno
import os
import re
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

WRITING = ("open", "write", "fchmod", "lseek", "fsync", "rename", "replace", "link", "unlink", "mkdir", "chmod")

Before = Callable[[int, str, tuple[Any, ...]], None]


@contextmanager
def watched(before: Before) -> Iterator[None]:
    """Call `before` with the number (from 1), the name and the arguments of every such call, then make the call."""
    given = {name: getattr(os, name) for name in WRITING}
    count = 0

    def make(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            before(count, name, arguments)
            return given[name](*arguments, **options)

        return call

    try:
        for name in WRITING:
            setattr(os, name, make(name))
        yield
    finally:
        for name, call in given.items():
            setattr(os, name, call)


def refuse(number: int, *, for_ever: bool) -> Before:
    """Let one call fail as on a full disk; with `for_ever`, all later calls that need space fail too."""

    def before(count: int, name: str, arguments: tuple[Any, ...]) -> None:
        if count == number or (for_ever and count > number and name in ("open", "write", "fsync", "link", "rename")):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return before


def survives(act: Callable[[], object], kill_at: int) -> bool:
    """Return whether a process that acts survives its call number `kill_at`, which is half done when the process is
    killed.
    """
    child = os.fork()
    if child == 0:
        write = os.write

        def before(count: int, name: str, arguments: tuple[Any, ...]) -> None:
            if count == kill_at:
                if name == "write":
                    write(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)

        with watched(before):
            act()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def looking(look: Callable[[], object]) -> int:
    """Start a process that checks until its first error."""
    child = os.fork()
    if child == 0:
        try:
            while True:
                look()
        finally:
            traceback.print_exc()
            os._exit(1)
    return child


def lives_still(child: int) -> bool:
    """Return whether a process has not ended by itself."""
    return os.waitpid(child, os.WNOHANG) == (0, 0)


def kill(child: int) -> None:
    """Kill a process that the test started, and wait for its end."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def has_files_half_made(folder: Path, child: int) -> bool:
    """Return whether a process that was killed left a file in an index folder that no manifest names yet."""
    writer = re.compile(rf"(?:temporary|segment|table)-\d+-[0-9a-f]{{8}}-{child}-[0-9a-f]{{16}}")
    mine = {name for name in os.listdir(folder) if writer.fullmatch(name)}  # noqa: PTH208
    for manifest in folder.glob("manifest-*"):
        with suppress(FileNotFoundError):  # another writer has replaced it meanwhile
            said = manifest.read_text("ascii", "replace")
            mine = {name for name in mine if name not in said}
    return bool(mine)


def stopped_with_files_half_made(folder: Path, children: Sequence[int], seconds: float = 0.5) -> int | None:
    """Stop the first of some processes that has written a file of an index which no manifest names yet, and return it.

    A process that is stopped stays as it is until it is killed, however busy the machine is. None when none writes
    within `seconds`.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for child in children:
            if has_files_half_made(folder, child):
                os.kill(child, signal.SIGSTOP)
                os.waitpid(child, os.WUNTRACED)
                if has_files_half_made(folder, child):
                    return child
                os.kill(child, signal.SIGCONT)
        time.sleep(0)
    return None


def plant(victim: Path, what: str, aside: Path) -> None:
    """Replace a file by an object that another user could have put there; `aside` is a free path."""
    match what:
        case "link":
            victim.rename(aside)
            victim.symlink_to(aside)
        case "pipe":
            victim.unlink()
            os.mkfifo(victim, 0o600)
        case "second name":
            aside.hardlink_to(victim)
            aside.with_suffix(".third").hardlink_to(victim)  # two a manifest has for a moment by itself
        case "open to others":
            victim.chmod(0o644)
        case _:
            raise ValueError(what)
