"""Remove a cache. Only files with names that recall_rank gives are removed, and folders that are empty afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from recall_rank.histories.cache.location import INDEX_FOLDER
from recall_rank.histories.records.forgotten import FORGOTTEN
from recall_rank.histories.records.session_copies import COPIES, COPY_NAME
from recall_rank.index.errors import MissingIndexError
from recall_rank.index.remote.staged_folder import remove_killed
from recall_rank.index.remote.store_url import STAGED, STORES
from recall_rank.index.storage.folder import Folder
from recall_rank.index.storage.format import FORMAT

_CHANCE: Final = r"[0-9a-f]{8}-[0-9]+-[0-9a-f]{16}"
_OURS: Final = re.compile(
    rf"(?:temporary|segment|table|vectors)-(?P<file>[0-9]+)-{_CHANCE}(?:-[0-9a-f]{{32}})?"  # blocks have a hash behind
    r"|manifest-(?P<manifest>[0-9]{1,9})-[0-9]{1,18}"
)


@dataclass(slots=True)
class Purged:
    """The counts of what was removed from a cache, and the paths that were not removed."""

    files: int = 0
    bytes: int = 0
    left: list[str] = field(default_factory=list)  # paths of other programs, or that could not be removed
    closed: bool = False  # whether a folder could not be opened safely


def purge(cache: Path, *, everything: bool = False) -> Purged:
    """Remove every index in the cache, of any version, the blocks of indexes in stores, and the copies of condensed
    sessions; with `everything` also the list of forgotten sessions.

    Processes that have an index open can still read it. Links are never followed. Raises OSError for a folder that is
    not safe to read; a missing cache is not an error.
    """
    done = Purged()
    try:
        with Folder(cache) as folder:
            for name in sorted(folder.names()):
                ours = name in (COPIES, STORES) or INDEX_FOLDER.fullmatch(name)
                if ours and _is_folder(cache / name):
                    _purge_folder(cache / name, done)
                elif _OURS.fullmatch(name) or (everything and name == FORGOTTEN):
                    _remove(folder, name, done)
                elif name == STAGED:
                    _remove_staged(cache / name, done)
                elif name != FORGOTTEN:
                    done.left.append(str(cache / name))
    except MissingIndexError:
        return done
    with suppress(OSError):
        cache.rmdir()
    return done


def folders(cache: Path) -> Iterator[Path]:
    """Yield the folders of the indexes in a cache."""
    with suppress(OSError):
        for path in sorted(cache.iterdir()):
            if INDEX_FOLDER.fullmatch(path.name) and _is_folder(path):
                yield path


def remove_index(path: Path) -> None:
    """Remove the index in a folder, of any version. Raises OSError when one of its files cannot be removed."""
    done = Purged()
    _purge_folder(path, done)
    _check_gone(path, done)


def remove_blocks(cache: Path) -> None:
    """Remove what the cache holds of indexes in stores; searches fetch it again. Its folders stay, since a process that
    has such an index open uses them. Raises OSError when a file cannot be removed.
    """
    place = cache / STORES
    for path in sorted(place.iterdir()) if _is_folder(place) else ():
        if _is_folder(path):
            done = Purged()
            _purge_files(path, done)
            _check_gone(path, done)


def remove_other_versions(path: Path) -> None:
    """Remove the files that other versions of this package wrote in the folder of an index: nobody reads or rewrites
    them. Raises OSError when one cannot be removed.
    """
    with Folder(path) as folder:
        for name in folder.names():
            found = _OURS.fullmatch(name)
            if found and (found["file"] or found["manifest"]) != str(FORMAT):
                folder.unlink(name)


def _check_gone(path: Path, done: Purged) -> None:
    """Raise OSError when one of our files in the folder `path` could not be removed."""
    failed = [left for left in done.left if _OURS.fullmatch(Path(left).name) and not Path(left).is_dir()]
    if failed or done.closed:
        raise OSError(f"{', '.join(failed) or path} cannot be removed")


def _purge_folder(path: Path, done: Purged) -> None:
    """Remove our files in a folder of the cache; then the folder if it is empty."""
    _purge_files(path, done)
    try:
        path.rmdir()
    except OSError:
        if path.is_dir() and str(path) not in done.left:
            done.left.append(str(path))


def _purge_files(path: Path, done: Purged) -> None:
    """Remove our files in a folder of the cache, and the folders of blocks below it."""
    try:
        with Folder(path) as folder:
            # manifests first: a manifest without its files would make the index look damaged
            for name in sorted(folder.names()):
                if path.name == STORES and _is_folder(path / name):
                    _purge_folder(path / name, done)
                elif _OURS.fullmatch(name) or (path.name == COPIES and COPY_NAME.fullmatch(name)):
                    _remove(folder, name, done)
                else:
                    done.left.append(str(path / name))
    except OSError:
        done.closed = True


def _remove_staged(path: Path, done: Purged) -> None:
    """Remove what killed processes have left on its way to a store, and the folder unless a process is using it."""
    remove_killed()
    try:
        path.rmdir()
    except OSError:
        done.left.append(str(path))


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _remove(folder: Folder, name: str, done: Purged) -> None:
    try:
        size = folder.size(name)
        folder.unlink(name)
    except IsADirectoryError:
        done.left.append(str(folder.path / name))
    except FileNotFoundError:
        return
    except OSError:
        done.left.append(str(folder.path / name))
    else:
        done.files += 1
        done.bytes += size
