"""What a refresh has to follow besides the sources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recall_rank.model import Session


@dataclass(frozen=True, slots=True)
class RefreshRules:
    """What a refresh has to follow besides the sources."""

    digest: str = ""  # of what the sources leave out; when it changes, everything is read again
    ignores: Callable[[Session], bool] | None = None  # sessions that are not kept when they vanish
    keep_vanished: bool | None = None  # None: as it was, at first not
