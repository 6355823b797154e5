"""Write home folders in paths and commands as "~", so that a transcript names no user."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from recall_rank.model import Session

# The home folder in front of a session's folder, as Linux, macOS and Windows name it.
_HOME: Final = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:[\\/]Users[\\/][^\\/]+)(?=[\\/]|\Z)")
_BEFORE: Final = r"(?<![\w./\\~-])"
_AFTER: Final = r"(?![\w-]|\.\w)"


def own_homes() -> tuple[str, ...]:
    """Return the home folder of the user who runs this program; empty where it is unknown."""
    try:
        return (str(Path.home()),)
    except RuntimeError:
        return ()


class HomeFolders:
    """Home folders that are written as "~": those that are named, and the one in which a session's folder lies."""

    def __init__(self, homes: Iterable[str] = ()) -> None:
        known = (home.rstrip("/\\") for home in homes)
        self._homes = tuple(sorted({home for home in known if len(home) > 1}, key=len, reverse=True))
        pattern = "|".join(map(re.escape, self._homes))
        self._pattern = re.compile(f"{_BEFORE}(?:{pattern}){_AFTER}") if pattern else None

    def with_home_of(self, session: Session) -> HomeFolders:
        """Return these home folders and, if the session's folder lies in another one, that one."""
        found = _HOME.match(session.directory or "")
        return self if found is None or found[0] in self._homes else HomeFolders([*self._homes, found[0]])

    def shortened(self, text: str) -> str:
        """Return a text with each home folder in it written as "~". A longer name that begins like one stays."""
        return text if self._pattern is None else self._pattern.sub("~", text)
