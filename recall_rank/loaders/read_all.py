"""Read all sessions of all sources; a source or unit that fails is reported and does not hide the others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from recall_rank.loaders.content.recalled_text import without_recalled_text
from recall_rank.loaders.content.titles import with_short_names
from recall_rank.loaders.copies import beginning, copies_of_one, with_places_of
from recall_rank.loaders.malformed import bounded_malformed, bounded_warnings
from recall_rank.loaders.projects.repositories import name_repositories
from recall_rank.model import (
    BaseSource,
    Malformed,
    Notice,
    ReadFailure,
    Reading,
    ResolvedSessions,
    Session,
    Source,
    SourceReport,
    Unit,
)
from recall_rank.model.source_wrapper import complete_source
from recall_rank.model.sources import NO_MEMORY

UnitProgress = Callable[[int, "int | None"], None]
"""Called with the number of units that are read, and with the number of all units."""

FOUND_TWICE: Final = "found_twice"
COPIED_ACROSS: Final = "copied_across"


@dataclass(slots=True)
class LoadedSource:
    """The sessions, failures, warnings and notices of one source, gathered while it is read."""

    source: BaseSource
    sessions: list[Session | None] = field(default_factory=list)  # None: its messages count in another session
    size: int = 0
    malformed: list[Malformed] = field(default_factory=list)
    failures: list[ReadFailure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def counted(self) -> list[Session]:
        """Return the sessions of the source without those that are copies of other sessions."""
        return [session for session in self.sessions if session is not None]

    def note(self, error: Exception) -> None:
        """Note an error of the source; one that came before is noted once."""
        failure = ReadFailure(self.source.location, failure_reason(error))
        if failure not in self.failures:
            self.failures.append(failure)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Keep the source open. An error of opening or closing it is noted, and its units are still read: each tells
        whether it can be.
        """
        try:
            self.source.__enter__()
        except Exception as error:  # noqa: BLE001 - a source that fails, however, must not hide the others
            self.note(error)
            yield
            return
        try:
            yield
        except BaseException:
            self.source.__exit__(*sys.exc_info())
            raise
        try:
            self.source.__exit__(None, None, None)
        except Exception as error:  # noqa: BLE001 - as above
            self.note(error)

    def report(self) -> SourceReport:
        sessions = self.counted()
        messages = [message for session in sessions for message in session.messages]
        return SourceReport(
            self.source.name,
            self.source.location,
            self.size,
            len(sessions),
            len(messages),
            sum(len(message.parts) for message in messages),
            tuple(bounded_malformed(self.malformed)),
            tuple(self.failures),
            tuple(dict.fromkeys([*self.warnings, *(notice.text for notice in self.notices)])),
            max((message.time for message in messages), default=0),
        )


def read_all(
    sources: Iterable[Source], progress: UnitProgress | None = None
) -> tuple[list[Session], list[SourceReport]]:  # fmt: skip
    """Return (sessions, reports): every session of every source, and one report for each source, in the order of
    `sources`. Never raises for the content of a store.

    A session found twice, in one source or in two, is returned where it has the most messages and names all its places,
    that is the files that hold it. A message that one session copied from another counts once (see
    BaseSource.resolve_sessions and resolve_across).
    """
    loaded = [LoadedSource(complete_source(source)) for source in sources]
    listed = [(each, list_units(each)) for each in loaded]
    total = sum(len(units) for _, units in listed)
    done = 0
    for each, units in listed:
        with each.opened():
            for unit in units:
                if progress is not None:
                    progress(done, total)
                _read(each, unit)
                done += 1
        resolve_sessions(each)
        each.size = stored_bytes(each, units)
    if progress is not None:
        progress(done, total)
    merge_duplicates(loaded)
    resolve_across(loaded)
    sessions = name_repositories(session for each in loaded for session in each.counted())
    return sessions, [each.report() for each in loaded]


def located_sessions(reading: Reading, unit: Unit) -> list[Session]:
    """Return the sessions of a reading. A session that names no places, that is files it was read from, gets the
    location of the unit; titles and paths that are too long are cut, and recalled text is left out of the search.
    """
    return [
        short if short.places else replace(short, places=(unit.location,))
        for short in map(with_short_names, map(without_recalled_text, reading.sessions))
    ]


def list_units(loaded: LoadedSource) -> list[Unit]:
    """Return the units of a source; when they cannot be listed, an empty list, and the reason is added to
    `loaded.failures`.
    """
    try:
        units = list(loaded.source.units())
        loaded.warnings += loaded.source.warnings
    except Exception as error:  # noqa: BLE001 - a source that fails, however, must not hide the others
        loaded.note(error)
        return []
    return units


def _read(loaded: LoadedSource, unit: Unit) -> None:
    try:
        reading = loaded.source.read(unit)
        sessions = located_sessions(reading, unit)
        malformed, warnings = bounded_malformed(reading.malformed), bounded_warnings(reading.warnings)
    except Exception as error:  # noqa: BLE001 - a unit that fails, however, must not hide the others
        loaded.failures.append(ReadFailure(unit.location, failure_reason(error)))
        return
    loaded.sessions += sessions
    loaded.malformed += malformed
    loaded.warnings += warnings


def failure_reason(error: Exception) -> str:
    """Return the reason why a read failed, as text for people."""
    if isinstance(error, MemoryError):
        return NO_MEMORY
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return f"{type(error).__name__}: {error}"


def resolve_sessions(loaded: LoadedSource) -> None:
    """Replace the sessions of one source by those that remain after copies and references among them are resolved;
    they stay as they are when the source fails.
    """
    if loaded.source.resolves:
        try:
            resolved = resolved_by(loaded.source.resolve_sessions, loaded.counted())
            notices = list(resolved.notices)
        except Exception as error:  # noqa: BLE001 - a source that fails, however, must not hide the others
            loaded.note(error)
            return
        loaded.sessions = list(resolved.sessions)
        loaded.notices += notices


def resolved_by(
    resolve: Callable[[Sequence[Session]], ResolvedSessions], sessions: Sequence[Session]
) -> ResolvedSessions:
    """Return resolve(sessions). Raises ValueError for a result that has not an entry for each session."""
    resolved = resolve(sessions)
    if len(resolved.sessions) != len(sessions):
        raise ValueError(f"{len(sessions)} sessions were resolved into {len(resolved.sessions)}")
    return resolved


def merge_duplicates(loaded: Sequence[LoadedSource]) -> None:
    """Keep each session that was found several times (see copies_of_one) only once: where it has most messages, in a
    tie in the first source. The session that is kept gets the places, that is the files, of the others; the others
    become None.
    """
    found: dict[tuple[str | None, str], list[tuple[int, int, Session]]] = {}
    for at, each in enumerate(loaded):
        for index, session in enumerate(each.sessions):
            if session is not None:
                found.setdefault((session.agent, session.id), []).append((at, index, session))
    lost = [0] * len(loaded)
    for equal in (each for each in found.values() if len(each) > 1):
        sessions = [session for *_, session in equal]
        for group in copies_of_one(sessions, partial(_beginning_at, sessions)):
            best = max(group, key=lambda at: (len(sessions[at].messages), -at))
            whole = sessions[best]
            for at, index, session in (equal[copy] for copy in group if copy != best):
                whole = with_places_of(whole, session)
                loaded[at].sessions[index] = None
                lost[at] += 1
            home, place, _ = equal[best]
            loaded[home].sessions[place] = whole
    for each, count in zip(loaded, lost, strict=True):
        if count:
            each.notices.append(found_twice(count))


def _beginning_at(sessions: Sequence[Session], at: int) -> str:
    return beginning(sessions[at])


def found_twice(count: int) -> Notice:
    """Return the notice that `count` sessions of a source were found a second time with as many or more messages, and
    are counted there.
    """
    where = "found twice and counted where more messages are"
    return Notice(FOUND_TWICE, count, f"{{count}} sessions were {where}", f"{{count}} session was {where}")


def copied_across(count: int) -> Notice:
    """Return the notice that `count` messages, which another history of the same agent holds too, were counted once."""
    text = "{count} messages that another history of this agent holds too were counted once"
    return Notice(COPIED_ACROSS, count, text)


def resolve_across(loaded: Sequence[LoadedSource]) -> None:
    """Remove messages that were copied from another source with an equal `copy_group`, the name by which sources
    say that they share messages.
    """
    groups: dict[str, list[LoadedSource]] = {}
    for each in loaded:
        group = each.source.copy_group
        if group is not None and each.counted():
            groups.setdefault(group, []).append(each)
    for several in groups.values():
        if len(several) < 2:
            continue
        before = [session for each in several for session in each.counted()]
        try:
            after = resolved_by(several[0].source.resolve_across, before).sessions
        except Exception as error:  # noqa: BLE001 - a source that fails, however, must not hide the others
            several[0].note(error)
            continue
        copies = _messages(before) - _messages(after)
        if not copies:
            continue
        resolved = iter(after)
        for each in several:
            each.sessions = [None if session is None else next(resolved) for session in each.sessions]
        several[0].notices.append(copied_across(copies))


def _messages(sessions: Iterable[Session | None]) -> int:
    return sum(len(session.messages) for session in sessions if session is not None)


def stored_bytes(loaded: LoadedSource, units: Sequence[Unit]) -> int:
    """Return the size in bytes of the files of a source, or of its units when the source names no files; a missing file
    counts as 0. When the files cannot be listed, 0, and the reason is added to `loaded.failures`.
    """
    try:
        files = loaded.source.files()
        return sum(map(_file_size, dict.fromkeys(unit.location for unit in units) if files is None else files))
    except Exception as error:  # noqa: BLE001 - a source that fails, however, must not hide the others
        loaded.note(error)
        return 0


def _file_size(path: str | Path) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - asked of every unit at every look
    except (OSError, ValueError):
        return 0
