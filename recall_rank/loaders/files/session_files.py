"""The base of sources that keep one session in each file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path

from recall_rank.loaders.files.regular_files import file_signature, walk_files
from recall_rank.loaders.store_places import resolve_store
from recall_rank.model import BaseSource, Unit


class SessionFiles(BaseSource, ABC):
    """A source for a folder of session files, or for one session file. Each file is one unit, read on its own.

    A subclass implements `wanted`, which selects files by name, and `read`.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.location = str(path)
        self.warnings: list[str] = []
        real = resolve_store(path)
        self._single = real if real.is_file() else None
        self._root = real.parent if self._single else real
        self._shown = path.parent if self._single else path

    @staticmethod
    @abstractmethod
    def wanted(name: str) -> bool:
        """Return whether a file of this name may hold a session."""

    def units(self) -> Iterable[Unit]:
        """Return the files as units; afterwards `warnings` lists the files that were skipped."""
        skipped: list[str] = []
        files = [self._single] if self._single else walk_files(self._root, self.wanted, skipped)
        found = [file.relative_to(self._root) for file in files]
        self.warnings = skipped
        return [Unit(path.as_posix(), str(self._shown / path)) for path in found]

    def signature(self, unit: Unit) -> bytes:
        return file_signature(self.path_of(unit))

    def path_of(self, unit: Unit) -> Path:
        """Return the path of the unit's file, with links resolved."""
        return self._root / unit.key
