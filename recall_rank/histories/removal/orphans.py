"""Remove the indexes of histories that are gone as a whole: nothing refreshes them any more, so that their text would
stay for good.
"""

from __future__ import annotations

import os
from pathlib import Path

from recall_rank.histories.cache.purge import folders, remove_index
from recall_rank.histories.cache.state import CacheState
from recall_rank.histories.cache.store import find
from recall_rank.histories.records.left_out import is_unnamed
from recall_rank.index.errors import UnusableIndexError


def remove_orphans(cache: Path, used: Path | None = None) -> list[Path]:
    """Remove every index in the cache, except the one in the folder `used`, of which no source exists any more.

    An index that keeps vanished sessions stays, and so does one with a source whose location is no absolute path. An
    index that cannot be read or removed is left to the next call. Returns the folders of the removed indexes.
    """
    removed = []
    for folder in folders(cache):
        if folder == used:
            continue
        try:
            state = find(folder).state
            if state is not None and _is_orphan(state):
                remove_index(folder)
                removed.append(folder)
        except (UnusableIndexError, OSError):
            continue  # damaged, or replaced meanwhile by another process; its next reader reports that
    return removed


def _is_orphan(state: CacheState) -> bool:
    table = state.view.units()
    if table.keeping or state.view.missing():
        return False
    named = [source.location for source in table.sources if not is_unnamed(source)]
    return bool(named) and not any(not Path(place).is_absolute() or os.path.lexists(place) for place in named)
