"""The rules of a refresh: which sessions are ignored, and whether sessions that vanished from their source are
kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from recall_rank.model import Session


@dataclass(frozen=True, slots=True)
class RefreshRules:
    """Rules that say which sessions a refresh leaves out, and whether it keeps sessions that their source no longer
    has.
    """

    digest: str = ""  # of what the sources leave out; when it changes, everything is read again
    ignores: Callable[[Session], bool] | None = None  # sessions that are not kept when they vanish
    keep_vanished: bool | None = None  # None: as in the last refresh, at first False
