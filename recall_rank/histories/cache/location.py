"""The folders of recall_rank for the current user's caches and settings, and the folder of each index in a cache."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import xxhash

from recall_rank.model import Source

MACHINE: Final = "machine"  # the index of every store that is found here
INDEX_FOLDER: Final = re.compile(rf"{MACHINE}|index-[0-9a-f]{{16}}")


def default_cache() -> Path | None:
    """Return the folder of recall_rank among the current user's caches; None when the user has no home folder."""
    return user_folder("XDG_CACHE_HOME", ".cache", "user_cache_path")


def default_settings() -> Path | None:
    """Return the folder of recall_rank among the current user's settings; None when the user has no home folder."""
    return user_folder("XDG_CONFIG_HOME", ".config", "user_config_path")


def user_folder(variable: str, below_home: str, elsewhere: str) -> Path | None:
    """Return the folder of recall_rank below the folder that the environment variable `variable` names, else below
    `below_home` in the home folder.

    None without a home folder. On systems other than Linux, the function of platformdirs named `elsewhere` decides;
    importing that package takes a while.
    """
    try:
        if sys.platform == "linux":
            named = Path(os.environ.get(variable, ""))
            if not named.is_absolute() and os.environ.get("HOME") == "":
                return None  # Path.home() would take the root of the file system
            found = (named if named.is_absolute() else Path.home() / below_home) / "recall_rank"
        else:
            import platformdirs

            found = getattr(platformdirs, elsewhere)("recall_rank", appauthor=False)
    except (RuntimeError, KeyError):
        return None
    return found if found.is_absolute() else None


def index_folder(cache: Path, sources: Sequence[Source], *, discovered: bool) -> Path:
    """Return the folder, inside the cache, of the index over these sources. It depends on the list of sources; with
    `discovered` it is one fixed folder for all stores of this machine.
    """
    if discovered:
        return cache / MACHINE
    from recall_rank.loaders.unrecognised import NAME as UNRECOGNISED  # a hook needs no loader

    read = [source for source in sources if source.name != UNRECOGNISED]  # which come and go
    names = "\0".join(f"{source.name}\0{Path(source.location).absolute()}" for source in read)
    return cache / f"index-{xxhash.xxh3_64_hexdigest(names.encode('utf-8', 'surrogatepass'))}"
