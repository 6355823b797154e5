"""Where the cache of this user lies, and the folder of an index in it."""

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
FORGOTTEN: Final = "forgotten"  # the ids of sessions that are never read again
INDEX_FOLDER: Final = re.compile(rf"{MACHINE}|index-[0-9a-f]{{16}}")


def default_cache() -> Path | None:
    """The platform's folder for this user's caches, ours in it; None without a home."""
    return user_folder("XDG_CACHE_HOME", ".cache", "user_cache_path")


def default_settings() -> Path | None:
    """Likewise its folder for this user's settings."""
    return user_folder("XDG_CONFIG_HOME", ".config", "user_config_path")


def user_folder(variable: str, below_home: str, elsewhere: str) -> Path | None:
    """Our folder in the one that a variable names, or else in that below the home. What is so on Linux alone, the
    function of platformdirs called `elsewhere` knows of other systems; loading it takes a while."""
    try:
        if sys.platform == "linux":
            named = Path(os.environ.get(variable, ""))
            found = (named if named.is_absolute() else Path.home() / below_home) / "recall_rank"
        else:
            import platformdirs

            found = getattr(platformdirs, elsewhere)("recall_rank", appauthor=False)
    except (RuntimeError, KeyError):
        return None
    return found if found.is_absolute() else None


def index_folder(cache: Path, sources: Sequence[Source], *, discovered: bool) -> Path:
    """The folder of the index of these sources: other sources have another."""
    if discovered:
        return cache / MACHINE
    names = "\0".join(f"{source.name}\0{Path(source.location).absolute()}" for source in sources)
    return cache / f"index-{xxhash.xxh3_64_hexdigest(names.encode('utf-8', 'surrogatepass'))}"
