"""The folders of recall_rank for the current user's caches and settings, and the folder of each index in a cache."""

from __future__ import annotations

import errno
import os
import re
import stat
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


def read_user_file(path: Path, most: int) -> bytes | None:
    """Return the content of a file of the user's settings; None when there is none.

    Raises OSError for a file that cannot be read, is no regular file or has more than `most` bytes, and where a link
    leads to nothing: what a file says that is not at hand now must not count as unsaid.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except (FileNotFoundError, NotADirectoryError) as error:
        if is_missing(path):
            return None
        raise OSError(error.errno, "it is behind a link that leads to nothing", str(path)) from error
    with os.fdopen(descriptor, "rb", closefd=True) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return data


def is_missing(path: Path) -> bool:
    """Return whether there is nothing at a path; False when that is not known: a folder on the way cannot be looked
    into, or a link leads to nothing, whose target may lie on a disk that is not there now.
    """
    for each in (path, *path.parents):
        try:
            found = each.lstat()
            return each != path and (not stat.S_ISLNK(found.st_mode) or each.exists())
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return False
    return True


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
