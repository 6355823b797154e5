"""Codex: one JSONL file for each session below ~/.codex/sessions, archived sessions in a folder next to it, and an
index with the names of sessions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from recall_rank.loaders.codex.index import Thread, threads_of
from recall_rank.loaders.codex.rollout import AGENT, STARTS, Rollout
from recall_rank.loaders.content.times import with_checked_times
from recall_rank.loaders.copies import fork_notices, forked, with_places_of
from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import file_signature, open_file, walk_files
from recall_rank.loaders.files.resume import ResumePoint, StaleResumePointError, pack_resume_point, read_resumable
from recall_rank.loaders.json.jsonl import JsonlRecords, refuse_noise
from recall_rank.loaders.store_places import resolve_store
from recall_rank.model import BaseSource, Flag, Message, Part, Reading, ResolvedSessions, Session, Source, Unit

NAME = AGENT
PACKED = ".zst"
ARCHIVE = "archived_sessions"
FOLDERS = ("sessions", ARCHIVE)
_ROLLOUT = re.compile(r"rollout-.+\.jsonl(\.zst)?")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Codex(BaseSource):
    """A source for Codex's home, a folder of rollouts (session files), or one rollout. Each file is one unit, read
    on its own.
    """

    resolves = True

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or AGENT
        self.location = str(path)
        self.warnings: list[str] = []
        real = resolve_store(path)
        self._single = real if real.is_file() else None
        self._root = real.parent if self._single else real
        self._shown = path.parent if self._single else path
        self._threads: dict[str, Thread] | None = None

    def units(self) -> Iterable[Unit]:
        """Return the rollouts as units; afterwards `warnings` lists the files that were skipped."""
        self.warnings = []
        self._threads, problems = threads_of(self._root) if not self._single else ({}, [])
        inside = [self._root / name for name in FOLDERS if (self._root / name).is_dir()]
        found = [self._single] if self._single else []
        for folder in [] if self._single else inside or [self._root]:
            found += walk_files(folder, _is_rollout, self.warnings)
        self.warnings += problems
        plain = {path.name for path in found}
        keys = [
            path.relative_to(self._root)
            for path in found
            if path.suffix != PACKED or path.name.removesuffix(PACKED) not in plain
        ]
        return [Unit(key.as_posix(), str(self._shown / key)) for key in keys]

    def signature(self, unit: Unit) -> bytes:
        return file_signature(self._root / unit.key) + repr(self._thread(unit)).encode()

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """Read the session of the file; only the messages appended to it when `since`, the resume point of an earlier
        reading, is still valid. A packed file is always read whole. Raises OSError when the source is one file of which
        no line is a record.
        """
        path = self._root / unit.key
        with open_file(path, self._root) as file:
            if path.suffix == PACKED:
                reading = self._read(unit, path, read_blocks(file, PACKED), ResumePoint(), None)
            else:
                reading = read_resumable(file, since, partial(self._read, unit, path))
        if self._single:
            refuse_noise(reading, unit.location)
        return reading

    def _read(
        self, unit: Unit, path: Path, data: Iterator[bytes], place: ResumePoint, before: dict[str, Any] | None
    ) -> Reading:  # fmt: skip
        lines = JsonlRecords(data, unit.location, starts=STARTS, place=place)
        rollout = Rollout(path.name.removesuffix(PACKED).removesuffix(".jsonl"), before)
        try:
            for number, record in with_checked_times(lines, "timestamp", "payload.timestamp"):
                problem = rollout.add(number, record)
                if problem:
                    lines.bad(number, problem)
        except OSError as error:
            if path.suffix != PACKED or not lines.place.line:
                raise
            lines.bad(lines.place.line + 1, error.strerror or str(error))  # what could be unpacked is kept
        if before is not None and not lines.resumable:
            raise StaleResumePointError
        thread = self._thread(unit)
        archived = thread.archived or ARCHIVE in path.relative_to(self._root).parts or self._root.name == ARCHIVE
        session = rollout.session(self.name, thread.title, Flag.ARCHIVED if archived else Flag.NONE)
        if session is not None and thread.parent:
            session = replace(session, parent=thread.parent, flags=session.flags | Flag.SUBAGENT)
        resumable = lines.resumable and path.suffix != PACKED
        point = pack_resume_point(lines.place, rollout.state()) if resumable else None
        found = [session] if session else []
        return Reading(found, lines.malformed, rollout.warnings(), point, before is not None, unknown=rollout.unknown)

    def _thread(self, unit: Unit) -> Thread:
        if self._threads is None:
            self._threads = {} if self._single else threads_of(self._root)[0]
        found = _ID.findall(unit.key)
        return self._threads.get(found[-1], Thread()) if found else Thread()

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Remove the messages that forks copied from their parents; a session that keeps no message becomes None."""
        known = {session.id: session for session in sessions}
        kept: list[Session | None] = []
        repeated: dict[str, Session] = {}
        copies = 0
        for session in sessions:
            parent = known.get(session.parent or "")
            own = session.messages
            if parent is not None and parent is not session:
                if not session.flags & Flag.SUBAGENT:  # it may begin with equal instructions without being a copy
                    own = own[_copied(own, parent.messages) :]
                ids = {message.id for message in parent.messages}
                own = [message for message in own if message.id not in ids]
                copies += len(session.messages) - len(own)
                if session.messages and not own:
                    repeated[parent.id] = with_places_of(repeated.get(parent.id, parent), session)
                    kept.append(None)
                    continue
                if len(own) < len(session.messages):
                    session = forked(session, own, parent)
            kept.append(session if session.messages else None)
        found = [session and with_places_of(session, repeated.get(session.id, session)) for session in kept]
        return ResolvedSessions(found, fork_notices(copies))


def _copied(own: Sequence[Message], original: Sequence[Message]) -> int:
    """Return the number of messages at the beginning of a fork that repeat the beginning of its parent.

    Messages are compared by content, since early versions of Codex gave items no ids.
    """
    count = 0
    while count < min(len(own), len(original)) and _same(own[count], original[count]):
        count += 1
    return count


def _same(one: Message, other: Message) -> bool:
    return one.role == other.role and [_words(part) for part in one.parts] == [_words(part) for part in other.parts]


def _words(part: Part) -> tuple[str | None, ...]:
    return part.type, part.text, part.tool, part.output, part.error


def _is_rollout(name: str) -> bool:
    return _ROLLOUT.fullmatch(name) is not None


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a rollout (session file), Codex's home folder, its folder of sessions or its archive folder;
    None for any other path.
    """
    if path.is_file():
        return Codex(path) if _is_rollout(path.name) else None
    if any(_holds_rollouts(path / name) for name in FOLDERS):
        return Codex(path)
    return Codex(path) if _holds_rollouts(path) else None


def _holds_rollouts(folder: Path) -> bool:
    """Return whether a folder has rollouts, directly or in subfolders of years, months and days."""
    patterns = ("rollout-*.jsonl*", "[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]/rollout-*.jsonl*")
    return any(_is_rollout(path.name) for pattern in patterns for path in folder.glob(pattern))


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Yield the source for Codex's home folder on this machine, if the folder exists."""
    configured = environ.get("CODEX_HOME")
    folder = Path(configured) if configured else home / ".codex"
    if any((folder / name).is_dir() for name in FOLDERS):
        yield Codex(folder)
