"""A backend over the index on disk as it is: it reads no source, builds nothing and starts no refresh.

It is for callers that must answer within a fraction of a second, such as the hooks of a host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from recall_rank.histories.backend import IndexFactory, Inventory, Snapshot
from recall_rank.histories.cache.location import MACHINE
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.cache.state import CacheState
from recall_rank.histories.cache.store import checked, find
from recall_rank.index.errors import UnusableIndexError
from recall_rank.model import Context, RefreshReport, SourceReport, Unread
from recall_rank.model.progress import Progress


class StoredBackend:
    """The backend of a Recall that is searched as it was stored. It has no sources, so nothing can be read again."""

    def __init__(self, folder: Path, state: CacheState, factory: IndexFactory) -> None:
        self.folder = folder
        self._state = state
        index = factory.of_segments(state.segments, state.dead)
        # the stores are not looked at: nothing that is missing here can be denied
        self._snapshot = Snapshot(index, (), state.view.missing(), checked(folder, state), unread=Unread())

    def ready(self) -> Snapshot:
        return self._snapshot

    def look(self, since: float, seconds: float) -> None:
        """Do nothing: the stores are not looked at."""

    def unread(self) -> Unread | None:
        return self._snapshot.unread

    def inventory(self) -> Inventory:
        from recall_rank.histories.inventory import inventory_of

        return inventory_of(self._state, ())

    def prepare(
        self, progress: Progress | None, *, index: bool, soon: Callable[[], None] | None = None
    ) -> Sequence[SourceReport]:
        return ()

    def refresh(self, progress: Progress | None) -> RefreshReport:
        raise UnusableIndexError(f"{self.folder}: this index is searched as it is")

    def rebuild(self) -> None:
        raise UnusableIndexError(f"{self.folder}: this index is damaged, and is not read again here")

    def wait(self, seconds: float | None) -> bool:
        return True

    def only(self, context: Context) -> StoredBackend:
        raise UnusableIndexError(f"{self.folder}: this index is searched as it is: limit a search by scope 'project'")

    def close(self) -> None:
        """Do nothing: the index is released with the last reference to it."""


def stored_state(cache: Path, rules: RefreshRules, folder: Path | None = None) -> CacheState | None:
    """Return the newest generation of the index over all stores of this machine, in the folder `cache`, or of the index
    in `folder`, which lies there.

    None when there is none, or when it was made under other rules than `rules`, as before a session was forgotten.
    Raises OSError when the index or the list of forgotten sessions cannot be read.
    """
    state = find(folder or cache / MACHINE).state
    return state if state is not None and state.view.rules == rules.current().digest else None
