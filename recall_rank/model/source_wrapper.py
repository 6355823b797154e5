"""Sources that delegate to another source, the reader of one store; a subclass changes some of its results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from recall_rank.model.sessions import Session
from recall_rank.model.sources import BaseSource, Reading, ResolvedSessions, Source, Unit


def complete_source(source: Source) -> BaseSource:
    """Return the source itself if it is a BaseSource, else a BaseSource that delegates to it.

    For the optional members that the source lacks, the result has their defaults.
    """
    return source if isinstance(source, BaseSource) else _CompletedSource(source)


class _CompletedSource(BaseSource):
    """A BaseSource around a source that has only the required members; the optional ones have their defaults."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self.location = source.location
        self._required = source

    def units(self) -> Iterable[Unit]:
        return self._required.units()

    def signature(self, unit: Unit) -> bytes:
        return self._required.signature(unit)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        return self._required.read(unit, since)


class SourceWrapper(BaseSource):
    """A source that delegates every call to another source; a subclass overrides some of the calls."""

    def __init__(self, source: Source) -> None:
        self._source = complete_source(source)
        self.name = source.name
        self.location = source.location
        self.resolves = self._source.resolves
        self.copy_group = self._source.copy_group

    def units(self) -> Iterable[Unit]:
        found = list(self._source.units())
        self.warnings = self._source.warnings
        return found

    def signature(self, unit: Unit) -> bytes:
        return self._source.signature(unit)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        return self._source.read(unit, since)

    def __enter__(self) -> Self:
        self._source.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._source.__exit__(*exception)

    def files(self) -> Iterable[str] | None:
        return self._source.files()

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        return self._source.resolve_sessions(sessions)

    def resolve_across(self, sessions: Sequence[Session]) -> ResolvedSessions:
        return self._source.resolve_across(sessions)

    def related_ids(self, session: Session) -> Iterable[str | None]:
        return self._source.related_ids(session)
