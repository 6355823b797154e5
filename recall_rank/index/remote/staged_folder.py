"""Private folders for files with recalled text that are on their way to a store. They lie in the cache, where the next
writer removes those of a process that was killed; in the system's folder for temporary files they would stay.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Self

from recall_rank.index.errors import MissingIndexError
from recall_rank.index.remote.store_url import STAGED, default_folder
from recall_rank.index.storage.folder import Folder, new_name


class StagedFolder:
    """A new folder that only this user may read. It is removed when it is closed."""

    __slots__ = ("path",)

    def __init__(self) -> None:
        """Create the folder, and remove those of killed processes. Raises OSError when the cache cannot be written."""
        remove_killed()
        for folder in (_place().parent, _place()):
            Folder.create(folder).close()
        with Folder(_place()) as place:
            self.path = place.path / new_name("temporary", place.machine)
        Folder.create(self.path).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.path)


def remove_killed() -> None:
    """Remove the staged folders of processes that have ended on this machine, and those that are a day old."""
    with suppress(MissingIndexError), Folder(_place()) as folder:
        for name in folder.leftovers():
            shutil.rmtree(folder.path / name, ignore_errors=True)  # another process may remove it, too


def _place() -> Path:
    return default_folder().with_name(STAGED)
