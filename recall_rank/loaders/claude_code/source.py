"""Claude Code: one JSONL file for each session below ~/.claude/projects; the sessions of subagents and large
outputs are in files of their own next to it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from recall_rank.loaders.claude_code.records import AGENT, STARTS, is_progress, looks_like
from recall_rank.loaders.claude_code.transcript import Transcript
from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.times import with_checked_times
from recall_rank.loaders.content.values import mapping
from recall_rank.loaders.copies import count_once
from recall_rank.loaders.files.regular_files import file_signature, open_file, read_small, walk_names
from recall_rank.loaders.files.resume import ResumePoint, StaleResumePointError, pack_resume_point, read_resumable
from recall_rank.loaders.json.first_records import read_first_records
from recall_rank.loaders.json.jsonl import JsonlRecords
from recall_rank.loaders.store_places import resolve_store
from recall_rank.model import BaseSource, Flag, Message, Reading, ResolvedSessions, Session, Source, Unit

NAME = AGENT
SUFFIX = ".jsonl"
SPILLED = "tool-results"
PEEKED = 20  # files of a folder, to tell whether its transcripts are Claude Code's
_SLUG = re.compile(r"-|[A-Za-z]--")  # a path with its separators turned into dashes


class ClaudeCode(BaseSource):
    """A source for a folder of transcripts, or for one transcript. Each file is one unit, read on its own."""

    resolves = True
    copy_group = AGENT

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or AGENT
        self.location = str(path)
        real = resolve_store(path)
        self._single = real if real.is_file() else None
        self._root = real.parent if self._single else real
        self._shown = path.parent if self._single else path
        self.warnings: list[str] = []

    def units(self) -> Iterable[Unit]:
        """Return the transcripts as units; afterwards `warnings` lists the files that were skipped."""
        skipped: list[str] = []
        keys = [self._single.name] if self._single else list(walk_names(self._root, _is_transcript, skipped))
        shown = str(self._shown / "x")[:-1]
        self.warnings = skipped
        return [Unit(key, shown + key.replace("/", os.sep)) for key in keys if SPILLED not in key.split("/")]

    def signature(self, unit: Unit) -> bytes:
        path = f"{self._root}/{unit.key}"  # text, since this is asked of every transcript at every look
        found = file_signature(path)
        for folder in _spill_folders(path):
            try:
                found += b".%d" % os.lstat(folder).st_mtime_ns
            except OSError:
                found += b"."
        return found

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """Read the session of the file; only the messages appended to it when `since`, the resume point of an earlier
        reading, is still valid.
        """
        path = self._root / unit.key
        with open_file(path, self._root) as file:
            return read_resumable(file, since, partial(self._read, unit, path))

    def _read(
        self, unit: Unit, path: Path, data: Iterator[bytes], place: ResumePoint, before: dict[str, Any] | None
    ) -> Reading:  # fmt: skip
        lines = JsonlRecords(data, unit.location, starts=STARTS, skip=is_progress, place=place)
        outputs = ExternalOutputs(self._root, [Path(folder) for folder in _spill_folders(str(path))])
        transcript = Transcript(path.stem, outputs, before)
        for number, record in with_checked_times(lines, "timestamp"):
            problem = transcript.add(record)
            if problem:
                lines.bad(number, problem)
        if before is not None and not lines.resumable:
            raise StaleResumePointError
        session = transcript.session(self.name)
        if session is not None and path.parent.name == "subagents":
            session = self._subagent(path, session)
        point = pack_resume_point(lines.place, transcript.state()) if lines.resumable else None
        sessions = [session] if session is not None else []
        warnings = transcript.warnings() + outputs.warnings()
        return Reading(sessions, lines.malformed, warnings, point, before is not None, unknown=transcript.unknown)

    def _subagent(self, path: Path, session: Session) -> Session:
        """Return `session` as the session of a subagent: with its flag and its parent, and with the title and agent
        name that its .meta.json file states.
        """
        try:
            meta = mapping(orjson.loads(read_small(path.with_suffix(".meta.json"), self._root)[0]))
        except (OSError, ValueError):
            meta = {}
        title = meta.get("description")
        agent = meta.get("agentType")
        messages = session.messages
        if type(agent) is str and agent:
            messages = tuple(message if message.agent else replace(message, agent=agent) for message in messages)
        return replace(
            session,
            messages=messages,
            parent=path.parent.parent.name,
            flags=session.flags | Flag.SUBAGENT,
            title=title if type(title) is str and title else session.title,
        )

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Remove the records that a fork copied; give a subagent's session without a folder the folder of its parent.

        A copied record keeps its uuid. It stays in the session that the fork names as its origin; without such a name
        it stays in the longest session that has it.
        """
        homes = {session.id: session.directory for session in sessions}
        sessions = [
            replace(session, directory=homes[session.parent], project=homes[session.parent])
            if session.parent in homes and session.directory is None
            else session
            for session in sessions
        ]
        return self.resolve_across(sessions)

    def related_ids(self, session: Session) -> tuple[str | None, ...]:
        """Return the id of the session from which this one was forked, and the id of the parent whose folder this one
        takes; each is None when there is none.
        """
        return session.forked_from, session.parent if session.directory is None else None

    def resolve_across(self, sessions: Sequence[Session]) -> ResolvedSessions:
        """Remove copied records from the sessions of several stores: a fork and its origin may be in different
        stores.
        """
        ids = {session.id for session in sessions}
        order = sorted(range(len(sessions)), key=lambda at: (sessions[at].forked_from in ids, _rank(sessions[at])))
        return count_once(sessions, order, _uuids, _without)


def _uuids(message: Message) -> list[str]:
    return list(dict.fromkeys(part.id.rpartition(":")[0] for part in message.parts))


def _rank(session: Session) -> tuple[int, int, str]:
    return -len(session.messages), session.created, session.id


def _without(message: Message, seen: Collection[Hashable]) -> Message | None:
    """Return the message without the message parts that come from records in `seen`; None when no part remains."""
    parts = tuple(part for part in message.parts if part.id.rpartition(":")[0] not in seen)
    return replace(message, parts=parts) if parts else None


def _is_transcript(name: str) -> bool:
    return name.endswith(SUFFIX)


def _spill_folders(path: str) -> list[str]:
    """Return the folders that may hold the large outputs of this transcript: its own and, for a subagent, that of its
    parent.
    """
    folders = [f"{path.removesuffix(SUFFIX)}/{SPILLED}"]
    folder = os.path.dirname(path)  # noqa: PTH120
    if os.path.basename(folder) == "subagents":  # noqa: PTH119
        folders.append(f"{os.path.dirname(folder)}/{SPILLED}")  # noqa: PTH120
    return folders


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a transcript, a project's folder, the folder of all projects or the folder above that; None
    for any other path.
    """
    if path.is_file():
        return ClaudeCode(path) if path.name.endswith(SUFFIX) and _wrote(path) else None
    projects = path / "projects"
    if path.name == ".claude" and projects.is_dir():
        return ClaudeCode(projects)
    if projects.is_dir() and _holds_projects(projects):
        return ClaudeCode(projects)
    if _holds_transcripts(path) or _holds_projects(path):
        return ClaudeCode(path)
    return None


def _holds_projects(folder: Path) -> bool:
    """Return whether a folder inside `folder` has transcripts, and all folders inside have names that Claude Code makes
    of paths. The names do not matter when `folder` itself is called "projects".
    """
    inside = [entry for entry in sorted(folder.iterdir()) if entry.is_dir() and not entry.is_symlink()]
    named = folder.name == "projects" or all(_SLUG.match(entry.name) for entry in inside)
    return named and any(map(_holds_transcripts, inside))


def _holds_transcripts(folder: Path) -> bool:
    try:
        return any(map(_wrote, sorted(folder.glob(f"*{SUFFIX}"))[:PEEKED]))
    except OSError:
        return False


def _wrote(path: Path) -> bool:
    """Return whether Claude Code wrote the file, judged by its first records."""
    return any(map(looks_like, read_first_records(path)))


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Yield a source for each folder of all of Claude Code's projects on this machine; with $CLAUDE_CONFIG_DIR set,
    only for the one in that folder.
    """
    configured = environ.get("CLAUDE_CONFIG_DIR")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    folders = [Path(configured)] if configured else [home / ".claude", config / "claude"]
    seen = set()
    for folder in folders:
        projects = folder / "projects"
        real = os.path.realpath(projects)
        if real not in seen and projects.is_dir():
            seen.add(real)
            yield ClaudeCode(projects)
