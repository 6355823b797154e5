"""Patterns for the stores, projects, paths and sessions that are never read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import Final

import xxhash

from recall_rank.histories.records.left_out import is_listed, unlinked
from recall_rank.histories.records.table import SourceEntry
from recall_rank.index.segment.segment import SessionRow
from recall_rank.model import Malformed, Reading, ResolvedSessions, Session, Source, Unit
from recall_rank.model.project_scope import normal_path
from recall_rank.model.source_wrapper import SourceWrapper

_FORM: Final = 2  # raised when the same patterns leave out more: what was read before is then read again


@dataclass(frozen=True, slots=True)
class Ignore:
    """The stores, projects, paths and sessions that are never read, as case-sensitive shell patterns (`*`, `?`,
    `[...]`).

    A pattern that matches a folder also matches everything below that folder.
    """

    stores: tuple[str, ...] = ()  # names of agents, or locations of stores
    projects: tuple[str, ...] = ()  # a project's id, or a folder that sessions worked in
    paths: tuple[str, ...] = ()  # a file that is read, or a folder of such files
    sessions: tuple[str, ...] = ()  # an id
    forgotten: frozenset[str] = frozenset()  # digests of ids, or of sessions themselves

    def __bool__(self) -> bool:
        return any(getattr(self, each.name) for each in fields(self))

    def digest(self) -> str:
        """Return a hash that differs for different patterns and ids; an empty text when nothing is ignored."""
        said = repr([_FORM, *(sorted(getattr(self, each.name)) for each in fields(self))])
        return xxhash.xxh3_64_hexdigest(said.encode("utf-8", "surrogatepass")) if self else ""

    def store(self, source: Source | SourceEntry) -> bool:
        return _any(self.stores, (source.name,)) or _below((*self.stores, *self.paths), (source.location,))

    def unit(self, unit: Unit) -> bool:
        return _below(self.paths, (unit.location,))

    def warning(self, text: str) -> bool:
        """Return whether a warning of a source is about a file that is ignored: its text then begins with the file's
        path.
        """
        return _below(self.paths, (text.partition(": ")[0],))

    def session(self, session: Session | SessionRow) -> bool:
        places = (session.project, session.repository, session.directory, session.worktree)
        return is_listed(session, self.forgotten) or _any(self.sessions, (session.id,)) or _below(self.projects, places)

    def vanished(self, source: Source | SourceEntry, session: Session) -> bool:
        """Return whether a session that `source` no longer has is ignored, as it would be if it were still there."""
        return self.store(source) or _below(self.paths, session.places[:1]) or self.session(session)

    def also(self, other: Ignore) -> Ignore:
        """Return the union of these patterns and those of `other`."""
        names = [each.name for each in fields(self) if each.name != "forgotten"]
        both = {name: tuple(dict.fromkeys((*getattr(self, name), *getattr(other, name)))) for name in names}
        return Ignore(**both, forgotten=self.forgotten | other.forgotten)


def without_ignored(sources: Iterable[Source], ignore: Ignore) -> list[Source]:
    """Return the sources that are not ignored, each wrapped so that its ignored units and sessions are left out."""
    if not ignore:
        return list(sources)
    return [FilteredSource(source, ignore) for source in sources if not ignore.store(source)]


class FilteredSource(SourceWrapper):
    """A source without the units and sessions that are ignored."""

    def __init__(self, source: Source, ignore: Ignore) -> None:
        super().__init__(source)
        self._ignore = ignore

    def units(self) -> Iterable[Unit]:
        found = [unit for unit in super().units() if not self._ignore.unit(unit)]
        self.warnings = [said for said in self.warnings if not self._ignore.warning(said)]
        return found

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        reading = super().read(unit, since)
        kept = [session for session in reading.sessions if not self._ignore.session(session)]
        left = [unlinked(session, self._ignore.forgotten) for session in kept] if self._ignore.forgotten else kept
        hidden = len(reading.sessions) - len(left)
        if not hidden and all(one is other for one, other in zip(left, kept, strict=True)):
            return reading
        # whatever came with a session that is left out, or with a link to one, may quote it: a resume point holds its
        # title and first words, a warning its id, the place of a malformed record the id of a row
        problems = [_unquoted(unit, bad) for bad in reading.malformed] if left else []
        return Reading(left, problems, appended=reading.appended, left_out=hidden)

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        return self._unlinked(super().resolve_sessions(sessions))

    def resolve_across(self, sessions: Sequence[Session]) -> ResolvedSessions:
        return self._unlinked(super().resolve_across(sessions))

    def _unlinked(self, resolved: ResolvedSessions) -> ResolvedSessions:
        """Remove the links to forgotten sessions that a source adds once it knows all of its sessions."""
        gone = self._ignore.forgotten
        found = [session if session is None else unlinked(session, gone) for session in resolved.sessions]
        return replace(resolved, sessions=found) if gone else resolved


def _unquoted(unit: Unit, bad: Malformed) -> Malformed:
    """Return a malformed record without what it may quote of the sessions that are left out of its unit: its reason,
    and its place unless that is a line or byte number.
    """
    place = bad.place if bad.place.startswith(("line ", "byte ")) else "a record"
    return Malformed(unit.location, place, "cannot be read", bad.count)


def _any(patterns: Sequence[str], values: Iterable[str | None]) -> bool:
    return any(fnmatchcase(value, pattern) for value in values if value for pattern in patterns)


def _below(patterns: Sequence[str], paths: Iterable[str | None]) -> bool:
    """Return whether one of the paths, or a folder above it, matches one of the patterns. Both are compared as
    normal_path() gives them, since "*" also matches "..", which leads out of a folder.
    """
    wanted = [normal_path(os.path.expanduser(pattern)) for pattern in patterns]  # noqa: PTH111 - patterns, not paths
    return any(
        fnmatchcase(path, pattern) or fnmatchcase(path, f"{pattern.rstrip('/')}/*")
        for path in map(normal_path, filter(None, paths))
        for pattern in filter(None, wanted)
    )
