"""The machine on which the hooks run: its folders, and the sessions that are never read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recall_rank.histories.ignore import Ignore
from recall_rank.histories.records.forgotten import forgotten_ids
from recall_rank.histories.records.left_out import session_digest


@dataclass(frozen=True, slots=True)
class HookMachine:
    """The machine of a hook: variables, home folder, the cache in which private copies lie (None: none is kept), the
    cache with the list of forgotten sessions, what is never read, and whether phrases in languages other than English
    refer to earlier work, too.
    """

    environ: Mapping[str, str]
    home: Path
    cache: Path | None
    forgetting: Path | None
    ignore: Ignore
    other_languages: bool = True

    def is_forgotten(self, session_id: str) -> bool:
        """Return whether a session with this id was forgotten. Raises OSError when the list cannot be read: nothing may
        be written then.
        """
        return self.forgetting is not None and session_digest(session_id) in forgotten_ids(self.forgetting)
