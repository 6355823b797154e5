"""A place where an agent keeps its histories and that may not be read: searches say so instead of passing it over."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable

from recall_rank.model import BaseSource, Reading, Unit


class UnreadableStore(BaseSource):
    """A source whose units cannot be listed: its report has the location and "Permission denied" as its failure."""

    def __init__(self, name: str, location: str) -> None:
        self.name = name
        self.location = location

    def units(self) -> Iterable[Unit]:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self.location)

    def signature(self, unit: Unit) -> bytes:
        raise KeyError(unit.key)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        raise KeyError(unit.key)
