"""Everything that the sources hold, whatever some of them fail to give."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from recall_rank.loaders.copies import also_at
from recall_rank.loaders.projects.repositories import identified
from recall_rank.model import Malformed, Reading, Session, Source, SourceReport, Unit

Progress = Callable[[int, "int | None"], None]
"""Called with how many units are read, and of how many."""

COPIED: Final = "{} messages that another history of this agent holds too were counted once"


@dataclass(slots=True)
class Given:
    """What one source gave so far."""

    source: Source
    sessions: list[Session] = field(default_factory=list)
    size: int = 0
    malformed: list[Malformed] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def report(self) -> SourceReport:
        messages = [message for session in self.sessions for message in session.messages]
        return SourceReport(
            self.source.name,
            self.source.location,
            self.size,
            len(self.sessions),
            len(messages),
            sum(len(message.parts) for message in messages),
            tuple(self.malformed),
            tuple(self.errors),
            tuple(dict.fromkeys(self.warnings)),
            max((message.time for message in messages), default=0),
        )


def read_all(
    sources: Iterable[Source], progress: Progress | None = None
) -> tuple[list[Session], list[SourceReport]]:  # fmt: skip
    """Every session of every source, and a report for each source in their order. Never raises for what lies there.

    Besides the protocol a source may have: `with` to keep its files open while many units are read, `files()` for its
    size, `warnings` that are not of one unit, `settle(sessions)` for what only all of its sessions can tell, and
    `once(sessions)` for messages that its sessions share with those of other sources of its class. A session found
    twice, in one source or two, counts where it has the most messages and names all its places.
    """
    given = [Given(source) for source in sources]
    listed = [(each, units_of(each)) for each in given]
    total = sum(len(units) for _, units in listed)
    done = 0
    for each, units in listed:
        with open_source_of(each):
            for unit in units:
                if progress is not None:
                    progress(done, total)
                _read(each, unit)
                done += 1
        settle_own(each)
        each.size = size_of(each.source, units)
    if progress is not None:
        progress(done, total)
    merge_copies(given)
    settle_across(given)
    sessions = identified(session for each in given for session in each.sessions)
    return sessions, [each.report() for each in given]


def located(reading: Reading, unit: Unit) -> list[Session]:
    """The sessions of a reading, each with the place where it was found."""
    return [session if session.places else replace(session, places=(unit.location,)) for session in reading.sessions]


def units_of(given: Given) -> list[Unit]:
    try:
        units = list(given.source.units())
    except Exception as error:  # noqa: BLE001 - a source that fails, however, must not hide the others
        given.errors.append(reason_of(given.source.location, error))
        return []
    given.warnings += getattr(given.source, "warnings", ())
    return units


def _read(given: Given, unit: Unit) -> None:
    try:
        reading = given.source.read(unit)
    except Exception as error:  # noqa: BLE001
        given.errors.append(reason_of(unit.location, error))
        return
    given.sessions += located(reading, unit)
    given.malformed += reading.malformed
    given.warnings += reading.warnings


def settle_own(given: Given) -> None:
    settle = getattr(given.source, "settle", None)
    if settle is not None:
        given.sessions, warnings = settle(given.sessions)
        given.warnings += warnings


def open_source_of(given: Given) -> AbstractContextManager[Any]:
    return given.source if isinstance(given.source, AbstractContextManager) else nullcontext()


def reason_of(location: str, error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{location}: {error.strerror or error}"
    return f"{location}: {type(error).__name__}: {error}"


def merge_copies(given: Sequence[Given]) -> None:
    """Leaves each session only where it has the most messages, the first place of several, and notes the others."""
    best: dict[tuple[str | None, str], tuple[int, int, int]] = {}
    for at, each in enumerate(given):
        for index, session in enumerate(each.sessions):
            key = (session.agent, session.id)
            count = len(session.messages)
            if key not in best or count > best[key][0]:
                best[key] = (count, at, index)
    kept = {(at, index) for _, at, index in best.values()}
    for at, each in enumerate(given):
        for index, session in enumerate(each.sessions):
            if (at, index) not in kept:
                _, home, place = best[session.agent, session.id]
                given[home].sessions[place] = also_at(given[home].sessions[place], session)
    for at, each in enumerate(given):
        left = [session for index, session in enumerate(each.sessions) if (at, index) in kept]
        lost = len(each.sessions) - len(left)
        if lost:
            what = "session was" if lost == 1 else "sessions were"
            each.warnings.append(f"{lost} {what} found twice and counted where more messages are")
            each.sessions = left


def settle_across(given: Sequence[Given]) -> None:
    """Lets messages that were copied from one source to another of its kind count once."""
    kinds: dict[Any, list[Given]] = {}
    for each in given:
        once = getattr(each.source, "once", None)
        if once is not None and each.sessions:
            kinds.setdefault(once, []).append(each)
    for once, several in kinds.items():
        if len(several) < 2:
            continue
        home = {(s.agent, s.id): at for at, each in enumerate(several) for s in each.sessions}
        before = sum(len(s.messages) for each in several for s in each.sessions)
        left, _ = once([session for each in several for session in each.sessions])
        copies = before - sum(len(session.messages) for session in left)
        if not copies:
            continue
        for at, each in enumerate(several):
            each.sessions = [session for session in left if home[session.agent, session.id] == at]
        several[0].warnings.append(COPIED.format(copies))


def size_of(source: Source, units: Sequence[Unit]) -> int:
    files = getattr(source, "files", None)
    return sum(map(_file_size, files() if files is not None else _places(units)))


def _places(units: Sequence[Unit]) -> Iterator[str]:
    yield from dict.fromkeys(unit.location for unit in units)


def _file_size(path: str | Path) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - asked of every unit at every look
    except (OSError, ValueError):
        return 0
