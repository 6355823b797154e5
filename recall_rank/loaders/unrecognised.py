"""The sources that stand for what is not read: files named like histories that no loader recognises, and folders
that cannot be listed. Their warnings name these.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from recall_rank.loaders.malformed import bounded_warnings
from recall_rank.model import BaseSource, Reading, Unit

NAME: Final = "unrecognised"
NAMED: Final = 10  # files that are named, the others are counted
SUFFIXES: Final = (".jsonl", ".jsonl.gz", ".jsonl.xz", ".jsonl.zst")


class UnrecognisedFiles(BaseSource):
    """A source without sessions, whose warnings name the files at `path` and below that no loader recognises, and the
    folders that cannot be listed.

    Of files only those of JSON lines that are not empty count: where histories are searched for, such a file is seldom
    anything else.
    """

    def __init__(self, path: Path) -> None:
        self.name = NAME
        self.location = str(path)
        self.count = 0
        self._path = path
        self._named: list[str] = []
        self._unlisted: list[str] = []

    def add(self, path: Path) -> None:
        """Count the file at `path` when its name is that of a history and it is not empty."""
        if not path.name.endswith(SUFFIXES):
            return
        try:
            if not os.path.getsize(path):  # noqa: PTH202 - asked of very many files
                return
        except OSError:
            pass  # it is named all the same
        self.count += 1
        if len(self._named) < NAMED:
            self._named.append(str(path.relative_to(self._path)) if path != self._path else path.name)

    def add_unlisted(self, folder: Path, error: OSError) -> None:
        """Note that a folder cannot be listed."""
        self._unlisted.append(f"{folder}: {error.strerror or error}, not read")

    def __bool__(self) -> bool:
        """Return whether there is anything to warn of."""
        return bool(self.count or self._unlisted)

    @property
    def warnings(self) -> Sequence[str]:  # type: ignore[override]
        """One warning for each file that is named and for each folder, which begins with its path, and one with the
        number of the other files.
        """
        named = [f"{self._path / name}: not recognised as a history, not read" for name in self._named]
        more = self.count - len(named)
        rest = f"{more:,} more {'file' if more == 1 else 'files'} of JSON lines not recognised as a history, not read"
        return [*named, *([rest] if more else []), *bounded_warnings(self._unlisted)]

    def __str__(self) -> str:
        more = f" and {self.count - len(self._named):,} more" if self.count > len(self._named) else ""
        return f"not recognised as a history: {', '.join(self._named)}{more}"

    def units(self) -> Iterable[Unit]:
        """No units: nothing is read."""
        return []

    def files(self) -> Iterable[str]:
        """Return no files: the size of a source is that of what is read of it, and nothing is read."""
        return []

    def signature(self, unit: Unit) -> bytes:
        raise KeyError(unit.key)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        raise KeyError(unit.key)
