"""Look at, refuse or end with one of the calls by which an index is written."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

WRITING = ("open", "write", "fchmod", "lseek", "fsync", "rename", "link", "unlink", "mkdir", "chmod")

Before = Callable[[int, str, tuple[Any, ...]], None]


@contextmanager
def watched(before: Before) -> Iterator[None]:
    """Call `before` with the number, from 1, the name and the arguments of every such call, then make the call."""
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
    """The call with that number fails as on a full disk, and `for_ever` all that follow which need room."""

    def before(count: int, name: str, arguments: tuple[Any, ...]) -> None:
        if count == number or (for_ever and count > number and name in ("open", "write", "fsync", "link", "rename")):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return before
