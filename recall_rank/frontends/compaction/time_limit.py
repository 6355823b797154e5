"""A time limit for the main thread, for hooks that must end before their host ends them."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # the module signal imports enum first
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_AGAIN_SECONDS: Final = 5.0  # the time limit strikes again, should the first exception have been swallowed


class TimeLimitError(BaseException):
    """The time of a hook is over. No handler of ordinary errors catches it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError in the block once `seconds` are over; for the main thread only. Windows has no such
    alarm: there the host alone ends a hook that takes too long.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(_: int, __: FrameType | None) -> None:
        raise TimeLimitError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
