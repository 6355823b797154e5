"""Outputs too large for their record, which an agent wrote to a file beside it."""

from __future__ import annotations

import re
from pathlib import Path

from recall_rank.loaders.files import read_small
from recall_rank.loaders.payloads import strip_text

LIMIT = 1 << 25  # bytes of one output that are read


class Spills:
    """Reads spilled outputs from the folders where this store keeps them, wherever the record says they were."""

    def __init__(self, root: Path, folders: list[Path]) -> None:
        self._root = root
        self._folders = folders
        self._missing: list[str] = []
        self._cut: list[str] = []

    def read(self, recorded: str) -> str | None:
        """The output whose path was recorded, found by its name alone; None when the file is gone."""
        name = re.split(r"[\\/]", recorded)[-1]
        for folder in self._folders:
            try:
                data, whole = read_small(folder / name, self._root, LIMIT)
            except (OSError, ValueError):
                continue
            if not whole:
                self._cut.append(name)
            return strip_text(data.decode("utf-8", "replace"))
        self._missing.append(name)
        return None

    def warnings(self) -> list[str]:
        """What could not be read in full."""
        found = []
        if self._missing:
            found.append(f"spilled outputs are gone, their previews are kept: {_some(self._missing)}")
        if self._cut:
            found.append(f"of spilled outputs only the first {LIMIT >> 20} MiB were read: {_some(self._cut)}")
        return found


def _some(names: list[str]) -> str:
    more = len(names) - 1
    return names[0] + (f" and {more} more" if more else "")
