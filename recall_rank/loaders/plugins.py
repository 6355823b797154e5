"""Loaders that other installed packages register under the entry point group `recall_rank.loaders`."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

from recall_rank.loaders.builtin import Loader
from recall_rank.loaders.files.regular_files import read_small

GROUP = "recall_rank.loaders"
_DESCRIBED = (".dist-info", ".egg-info")


def load_plugins() -> list[Loader]:
    """Return the registered loaders, sorted by name. One that cannot be imported is left out with a RuntimeWarning."""
    if not any(map(_mentions, sys.path)) and not _finds_elsewhere():
        return []
    import importlib.metadata  # importing it takes half the time of a search

    found = []
    for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            loader = entry.load()
        except Exception as error:  # noqa: BLE001 - a broken package must not disable the other loaders
            warnings.warn(f"loader {entry.value} cannot be imported: {error}", RuntimeWarning, stacklevel=5)
            continue
        if isinstance(loader, Loader):
            found.append(loader)
        else:
            warnings.warn(f"loader {entry.value} is no recall_rank.loaders.Loader", RuntimeWarning, stacklevel=5)
    return found


def _mentions(place: str) -> bool:
    """Return whether the entry_points.txt of a package installed in this sys.path entry may name the group of loaders;
    True also when that cannot be decided.
    """
    try:
        with os.scandir(place or ".") as entries:
            described = [entry.path for entry in entries if entry.name.endswith(_DESCRIBED)]
    except NotADirectoryError:
        return True  # an archive: importlib.metadata looks into it
    except OSError:
        return False
    for path in described:
        try:
            data, whole = read_small(Path(path, "entry_points.txt"))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True  # a link, as some installers make: importlib.metadata follows it
        if not whole or GROUP.encode() in data:
            return True
    return False


def _finds_elsewhere() -> bool:
    """Return whether importlib.metadata has a package finder other than the one that searches sys.path."""
    usual = {"PathFinder"}
    return any(
        hasattr(finder, "find_distributions") and getattr(finder, "__name__", "") not in usual
        for finder in sys.meta_path
    )
