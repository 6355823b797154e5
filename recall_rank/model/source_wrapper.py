"""A source as it is, for who wants to see or to change what it gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recall_rank.model.sources import Reading, Source, Unit


class Wrapped:
    """The source that is given. A subclass says what is different."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def location(self) -> str:
        return self._source.location

    def units(self) -> Iterable[Unit]:
        return self._source.units()

    def signature(self, unit: Unit) -> bytes:
        return self._source.signature(unit)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        return self._source.read(unit, since)


class Opened(Wrapped):
    """The same for a source that keeps its files open while many units are read."""

    def __enter__(self) -> Any:
        return self._source.__enter__()  # type: ignore[attr-defined]

    def __exit__(self, *problem: object) -> Any:
        return self._source.__exit__(*problem)  # type: ignore[attr-defined]


def opens(source: Source) -> bool:
    """Whether it is one of those: what wraps it has to be Opened then, and only then."""
    return hasattr(type(source), "__enter__") and hasattr(type(source), "__exit__")
