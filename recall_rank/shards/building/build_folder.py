"""The folder of a build: how it is known, and how folders in it that are needed no more are removed.

A folder that a build makes has a file MARK, written before anything else, so that the leftovers of a killed build are
known, too. Nothing else is ever removed: who builds may keep other files in the folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from recall_rank.histories.cache.purge import remove_index
from recall_rank.index.errors import MissingIndexError, UnusableIndexError
from recall_rank.index.storage.folder import Folder
from recall_rank.shards.manifest import read_manifest

MARK: Final = "made-by-recall-rank-build"
TOLD: Final = "told.json"  # what a reading tells, beside its index
SHARD_NAME: Final = re.compile(r"shard-[0-9]{4}-of-[0-9]{4}-[0-9a-f]{16}")
READ_NAME: Final = re.compile(r"[0-9a-f]{32}-[0-9]{1,4}")  # the name of a folder with what a task read


def claim(folder: Path) -> None:
    """Mark `folder`, which is created if it is missing, as that of a build.

    Raises ValueError for a folder that is not empty and that no build made, and OSError.
    """
    try:
        names = os.listdir(folder)  # noqa: PTH208
    except FileNotFoundError:
        names = []
    if names and MARK not in names and not _has_shards(folder):
        raise ValueError(f"{folder} is not empty, and no build made it: choose a folder that is new or empty")
    mark(folder)


def _has_shards(folder: Path) -> bool:
    try:
        return bool(read_manifest(folder))
    except (MissingIndexError, UnusableIndexError):
        return False


def mark(folder: Path) -> None:
    """Create a private folder unless it is there, and its mark, unless anything has that name. Raises OSError."""
    with Folder.create(folder) as opened:
        with suppress(FileExistsError):
            (folder / MARK).touch(mode=0o600, exist_ok=False)  # which does not follow a link of that name
        opened.sync()


def sweep(folder: Path, name: re.Pattern[str], used: Collection[str]) -> None:
    """Remove the folders in `folder` that tasks of builds made under a `name`, except those that are `used`.

    Errors are ignored: the next build tries again.
    """
    for path in folder.iterdir():
        if name.fullmatch(path.name) and path.name not in used:
            with suppress(OSError):
                _remove(path)


def _remove(path: Path) -> None:
    """Remove what a task wrote to a folder, and the folder if it is empty then; nothing where no task wrote."""
    with Folder(path) as opened:
        names = opened.names()
        if names and MARK not in names:
            return
        remove_index(path)
        opened.remove(TOLD)
        opened.remove(MARK)  # last: without it nothing of the folder would be removed another time
    with suppress(FileNotFoundError):
        path.rmdir()
