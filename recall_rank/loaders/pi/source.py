"""pi: one JSONL file for each session below ~/.pi/agent/sessions, in folders named after projects or all in one
folder.

tallow writes this format in home folders of its own (see tallow.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from recall_rank.loaders.content.times import with_checked_times
from recall_rank.loaders.copies import count_once
from recall_rank.loaders.files.regular_files import open_file, read_small
from recall_rank.loaders.files.resume import ResumePoint, StaleResumePointError, pack_resume_point, read_resumable
from recall_rank.loaders.files.session_files import SessionFiles
from recall_rank.loaders.json.first_records import read_first_records
from recall_rank.loaders.json.jsonl import JsonlRecords
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.pi.parts import FullOutputs
from recall_rank.loaders.pi.session import STARTS, PiLines
from recall_rank.model import Reading, ResolvedSessions, Session, Source, Unit

NAME = "pi"
TALLOW = "tallow"
SUFFIX = ".jsonl"
FOLDER = "sessions"
PEEKED = 20  # files of a folder, to tell whether they are sessions of pi


class Pi(SessionFiles):
    """A source for a folder of sessions, or for one session file. Each file is one unit, read on its own."""

    resolves = True
    copy_group = NAME

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or agent_at(path))
        self._agent = self.name

    @staticmethod
    def wanted(name: str) -> bool:
        return name.endswith(SUFFIX)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """Read the session of the file; only the messages appended to it when `since`, the resume point of an earlier
        reading, is still valid.
        """
        path = self.path_of(unit)
        with open_file(path, self._root) as file:
            owner = os.fstat(file.fileno()).st_uid
            return read_resumable(file, since, partial(self._read, unit, path.stem, owner))

    def _read(
        self,
        unit: Unit,
        stem: str,
        owner: int,
        data: Iterator[bytes],
        place: ResumePoint,
        before: dict[str, Any] | None,
    ) -> Reading:
        records = JsonlRecords(data, unit.location, starts=STARTS, place=place)
        outputs = FullOutputs(owner)
        lines = PiLines(stem, outputs, before)
        for number, record in with_checked_times(records, "timestamp", "message.timestamp"):
            problem = lines.add(number, record)
            if problem:
                records.bad(number, problem)
        if before is not None and not records.resumable:
            raise StaleResumePointError
        session = lines.session(self.name, self._agent)
        point = pack_resume_point(records.place, lines.state()) if records.resumable else None
        found = [session] if session is not None else []
        warnings = lines.warnings() + outputs.warnings()
        return Reading(found, records.malformed, warnings, point, before is not None, unknown=lines.unknown)

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Remove from each session the messages that a fork copied; a copied message stays in the oldest session."""
        return self.resolve_across(sessions)

    def resolve_across(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Remove from the sessions of several stores the messages that a fork copied."""
        order = sorted(range(len(sessions)), key=lambda at: (sessions[at].created, sessions[at].id))
        return count_once(sessions, order, lambda message: [(message.id, message.time)])


def agent_at(path: Path) -> str:
    """Return the agent that wrote the sessions at a path: "tallow" when the path is in a home folder of tallow, else
    "pi".
    """
    home = any(part.lower().startswith(".tallow") for part in Path(os.path.realpath(path)).parts)
    return TALLOW if home else NAME


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a session file, a project's folder, the folder of all sessions, or the home folder that holds
    them; None for any other path.
    """
    if path.is_file():
        return Pi(path) if path.name.endswith(SUFFIX) and _wrote(path) else None
    if holds_sessions(path / FOLDER):
        return Pi(path / FOLDER)
    return Pi(path) if holds_sessions(path) else None


def holds_sessions(folder: Path) -> bool:
    """Return whether a folder has sessions, directly or in folders named after projects."""
    if not folder.is_dir():
        return False
    if any(map(_wrote, sorted(folder.glob(f"*{SUFFIX}"))[:PEEKED])):
        return True
    projects = sorted(folder.glob("--*--"))[:PEEKED]
    return any(_wrote(path) for project in projects for path in sorted(project.glob(f"*{SUFFIX}"))[:1])


def _wrote(path: Path) -> bool:
    return any(map(_is_header, read_first_records(path)))


def _is_header(record: Record) -> bool:
    return record.get("type") == "session" and "id" in record and "cwd" in record and "t" not in record


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Sources for the folders of pi's sessions on this machine."""
    for name, folder in places(environ, home):
        if name == NAME and folder.is_dir():
            yield Pi(folder, NAME)


def places(environ: Mapping[str, str], home: Path) -> Iterator[tuple[str, Path]]:
    """Yield (agent name, folder) for every place where pi or tallow may keep sessions, each folder once; the folder
    need not exist.
    """
    named = [(TALLOW, path / FOLDER) for path in _tallow_homes(environ, home)]
    agent = environ.get("PI_CODING_AGENT_DIR")
    named.append((NAME, (_expanded(agent, home) if agent else home / ".pi" / "agent") / FOLDER))
    sessions = environ.get("PI_CODING_AGENT_SESSION_DIR")
    if sessions:
        named.append((NAME, _expanded(sessions, home)))
    seen = set()
    for name, folder in named:
        real = os.path.realpath(folder)
        if real not in seen:
            seen.add(real)
            yield name, folder


def _tallow_homes(environ: Mapping[str, str], home: Path) -> Iterator[Path]:
    set_by_it = environ.get("TALLOW_CODING_AGENT_DIR")
    if set_by_it:
        yield _expanded(set_by_it, home)
    yield home / ".tallow"
    for line in _lines(home / ".config" / "tallow-work-dirs"):
        # A line is "folder:home of tallow there"; on Windows the folder may begin with a drive.
        drive = line[:2] if line[1:3] in {":\\", ":/"} else ""
        _, colon, configured = line[len(drive) :].partition(":")
        if colon and configured.strip():
            yield _expanded(configured.strip(), home)


def _lines(path: Path) -> list[str]:
    try:
        text = read_small(path)[0].decode("utf-8", "replace")
    except OSError:
        return []
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _expanded(path: str, home: Path) -> Path:
    """Return the path with a leading `~` replaced by `home`."""
    return home / path[2:] if path.startswith(("~/", "~\\")) else Path(path)
