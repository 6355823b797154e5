"""The rules of a refresh: which sessions are left out, what is indexed of the others, and whether sessions that
vanished from their source are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from recall_rank.histories.ignore import Ignore
from recall_rank.histories.records.forgotten import forgotten, list_state
from recall_rank.model import Session

NOTHING: Final = Ignore()


@dataclass(frozen=True, slots=True)
class RefreshRules:
    """Rules that say which sessions a refresh leaves out, what it indexes of the others, and whether it keeps sessions
    that their source no longer has.

    `prepare` gets each session after copies and references among sessions were resolved, when its folder and its
    repository are known, and returns what is indexed of it, or None for nothing. `reading` must identify it.
    """

    ignore: Ignore = NOTHING
    keep_vanished: bool | None = None  # None: as in the last refresh, at first False
    cache: Path | None = None  # a folder whose list of forgotten sessions counts, too
    reading: str = ""  # what else decides what is read of a session, such as rules of redaction
    prepare: Callable[[Session], Session | None] | None = None  # None: sessions are indexed as they are

    def current(self) -> RefreshRules:
        """Return a copy of these rules with the sessions that are forgotten now, since another process may have added
        to the list.

        Raises OSError when the list cannot be read.
        """
        if self.cache is None:
            return self
        return replace(self, ignore=self.ignore.also(Ignore(forgotten=forgotten(self.cache))), cache=None)

    def prepared(self, session: Session) -> Session | None:
        """Return what is indexed of a resolved session; None for nothing."""
        return session if self.prepare is None else self.prepare(session)

    def list_state(self) -> tuple[int, int, int] | None:
        """Return a value that differs after each change of the list of forgotten sessions; None when there is none."""
        return None if self.cache is None else list_state(self.cache)

    @property
    def digest(self) -> str:
        """A text that differs for different patterns, forgotten sessions and `reading`; when it changes, everything is
        read again.
        """
        return f"{self.ignore.digest()} {self.reading}" if self.reading else self.ignore.digest()
