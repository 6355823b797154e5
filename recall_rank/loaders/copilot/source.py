"""GitHub Copilot CLI: one folder for each session below ~/.copilot/session-state, with the session's events in one
JSONL file.

Checked against a store of version 1.0.102; compaction, subagents and rewinding were implemented from the published
schema of the events. The summaries in `session-store.db` repeat the events and are not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from recall_rank.loaders.content.external_outputs import ExternalOutputs, TemporaryOutputs
from recall_rank.loaders.content.times import with_checked_times
from recall_rank.loaders.copies import count_once
from recall_rank.loaders.copilot.events import AGENT, STARTS, CopilotEvents
from recall_rank.loaders.copilot.workspace import workspace_of
from recall_rank.loaders.files.regular_files import file_signature, open_file, read_small
from recall_rank.loaders.files.resume import ResumePoint, StaleResumePointError, pack_resume_point, read_resumable
from recall_rank.loaders.files.session_files import SessionFiles
from recall_rank.loaders.json.first_records import read_first_records
from recall_rank.loaders.json.jsonl import JsonlRecords
from recall_rank.model import Reading, ResolvedSessions, Session, Source, Unit

NAME = AGENT
EVENTS = "events.jsonl"
STATE = "session-state"
WORKSPACE = "workspace.yaml"
_MOVED = re.compile(r"\d+-copilot-tool-output-[\w-]+")


class Copilot(SessionFiles):
    """A source for the folder of all sessions, the folder of one session, or one file of events. Each file is one
    unit, read on its own.
    """

    resolves = True
    copy_group = AGENT

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or AGENT)

    @staticmethod
    def wanted(name: str) -> bool:
        return _is_jsonl(name)

    def units(self) -> Iterable[Unit]:
        """Return the files of events as units; afterwards `warnings` lists the files that were skipped."""
        found = super().units()
        # Early versions wrote one file a session, without a folder.
        return [unit for unit in found if self._single or unit.key.rpartition("/")[2] == EVENTS or "/" not in unit.key]

    def signature(self, unit: Unit) -> bytes:
        path = self.path_of(unit)
        found = file_signature(path)
        try:
            return found + file_signature(path.with_name(WORKSPACE))
        except OSError:
            return found

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """Read the session of the file; only the messages appended to it when `since`, the resume point of an earlier
        reading, is still valid.
        """
        path = self.path_of(unit)
        with open_file(path, self._root) as file:
            owner = os.fstat(file.fileno()).st_uid
            return read_resumable(file, since, partial(self._read, unit, path, owner))

    def _read(
        self,
        unit: Unit,
        path: Path,
        owner: int,
        data: Iterator[bytes],
        place: ResumePoint,
        before: dict[str, Any] | None,
    ) -> Reading:
        lines = JsonlRecords(data, unit.location, starts=STARTS, place=place)
        folder = path.parent
        inside = path.name == EVENTS
        outputs = ExternalOutputs(folder, [folder / "checkpoints", folder / "files"] if inside else [])
        events = CopilotEvents(outputs, TemporaryOutputs(_MOVED, owner), before)
        for number, record in with_checked_times(lines, "timestamp", "data.startTime"):
            problem = events.add(number, record)
            if problem:
                lines.bad(number, problem)
        if before is not None and not lines.resumable:
            raise StaleResumePointError
        session = events.session(folder.name if inside else path.stem, self.name, self._workspace(path))
        point = pack_resume_point(lines.place, events.state()) if lines.resumable else None
        found = [session] if session else []
        return Reading(found, lines.malformed, events.warnings(), point, before is not None, unknown=events.unknown)

    def _workspace(self, path: Path) -> dict[str, str]:
        if path.name != EVENTS:
            return {}
        try:
            raw, _ = read_small(path.with_name(WORKSPACE), self._root)
        except OSError:
            return {}
        return workspace_of(raw.decode("utf-8", "replace"))

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Remove from each session the messages that a session created before it has."""
        return self.resolve_across(sessions)

    def resolve_across(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Remove from each session the messages that a session created before it, in this or another store, has."""
        order = sorted(range(len(sessions)), key=lambda at: (sessions[at].created, sessions[at].id))
        return count_once(sessions, order, lambda message: [message.id])


def _is_jsonl(name: str) -> bool:
    return name.endswith(".jsonl")


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a file of events, a session's folder, the folder of all sessions, or the folder above it;
    else None.
    """
    if path.is_file():
        return Copilot(path) if _is_jsonl(path.name) and _wrote(path) else None
    if _wrote(path / EVENTS) or _holds_sessions(path):
        return Copilot(path)
    return Copilot(path / STATE) if _holds_sessions(path / STATE) else None


def _holds_sessions(folder: Path) -> bool:
    """Return whether a folder holds sessions. A file of events that lies directly in the folder counts only in
    Copilot's own folder.
    """
    if not folder.is_dir():
        return False
    files = [*sorted(folder.glob(f"*/{EVENTS}")), *(sorted(folder.glob("*.jsonl")) if folder.name == STATE else ())]
    return any(map(_wrote, files))


def _wrote(path: Path) -> bool:
    """Return whether Copilot CLI wrote the file."""
    return path.is_file() and any(
        str(record.get("type")).startswith(("session.", "user.", "assistant.")) and type(record.get("data")) is dict
        for record in read_first_records(path)
    )


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Yield the source for the folder of Copilot CLI's sessions on this machine, if that folder exists."""
    configured = environ.get("COPILOT_HOME")
    folder = (Path(configured) if configured else home / ".copilot") / STATE
    if folder.is_dir():
        yield Copilot(folder)
