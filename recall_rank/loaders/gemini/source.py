"""Gemini CLI: one JSONL log for each session below ~/.gemini/tmp/PROJECT/chats; older versions wrote one JSON object
for each session.

Subagents' logs are in a folder named after the parent session. The path of a project is found by the `.project_root`
file in PROJECT, by `projects.json`, or by PROJECT being the hash of the path. Checked against a store of version 0.61;
the older JSON, subagents and rewinding were implemented from the program's source.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.times import odd_times, with_checked_times
from recall_rank.loaders.content.values import mapping
from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import open_file, read_small
from recall_rank.loaders.files.session_files import SessionFiles
from recall_rank.loaders.gemini.chat import AGENT, GeminiChat
from recall_rank.loaders.json.document import JsonDocument, parse_object, read_object_start
from recall_rank.loaders.json.first_records import read_first_records
from recall_rank.loaders.json.jsonl import JsonlRecords
from recall_rank.loaders.malformed import add_malformed
from recall_rank.model import Malformed, Reading, Source, Unit

NAME = AGENT
CHATS = "chats"
SUFFIXES = (".jsonl", ".json")
STARTS = ('{"id":', '{"$set":', '{"sessionId":', '{"$rewindTo":')
_OLDER = re.compile(rb'\{\s*"sessionId"\s*:\s*"[^"]*"\s*,\s*"projectHash"')
_TIMES = ("startTime", "lastUpdated")
_LOGGED = (*_TIMES, *(f"$set.{name}" for name in _TIMES))


class Gemini(SessionFiles):
    """A source for the folder of all projects, the folder of one project, or one conversation. Each file is one
    unit, read on its own.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or AGENT)

    @staticmethod
    def wanted(name: str) -> bool:
        return _is_chat(name)

    def units(self) -> Iterable[Unit]:
        """Return the conversations as units; afterwards `warnings` lists the files that were skipped."""
        found = super().units()
        return [unit for unit in found if self._single or CHATS in (self._root.name, *unit.key.split("/")[:-1])]

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """Return the whole session of the file; `since` is ignored, because any record may change earlier ones."""
        path = self.path_of(unit)
        chat = GeminiChat()
        with open_file(path, self._root) as file:
            if path.suffix == ".json":
                malformed = _read_older(chat, JsonDocument(read_blocks(file), unit.location, "messages"))
            else:
                lines = JsonlRecords(read_blocks(file), unit.location, starts=STARTS)
                for number, record in with_checked_times(lines, *_LOGGED):
                    problem = chat.add(record)
                    if problem:
                        lines.bad(number, problem)
                malformed = lines.malformed
        parent = path.parent.name if path.parent.parent.name == CHATS else None
        project = path.parent.parent.parent if parent else path.parent.parent
        outputs = self._spills(project)
        session = chat.session(path.stem, self.name, self._directory(project), parent, outputs)
        warnings = chat.warnings() + outputs.warnings()
        return Reading([session] if session else [], malformed, warnings, unknown=chat.unknown)

    def _spills(self, project: Path) -> ExternalOutputs:
        outputs = project / "tool-outputs"
        if not outputs.is_dir():
            return ExternalOutputs(project, [])
        return ExternalOutputs(project, [outputs, *sorted(path for path in outputs.iterdir() if path.is_dir())])

    def _directory(self, project: Path) -> str | None:
        """Return the working folder of the project whose folder in the store is `project`; None when it is unknown."""
        text = _small(project / ".project_root")
        if text is not None and text.strip():
            return text.strip()
        known = mapping(parse_object((_small(project.parent.parent / "projects.json") or "{}").encode())[0])
        for folder, slug in mapping(known.get("projects")).items():
            if project.name in {slug, hashlib.sha256(folder.encode()).hexdigest()}:
                return folder
        return None


def _read_older(chat: GeminiChat, document: JsonDocument) -> list[Malformed]:
    malformed: list[Malformed] = []
    for number, message in document:
        problem = chat.add_message(message)
        if problem:
            add_malformed(malformed, Malformed(document.location, f"line {number}", problem))
    odd = odd_times(document.head, *_TIMES)
    add_malformed(malformed, *(Malformed(document.location, "line 1", reason) for reason in odd))
    chat.meta.update(document.head)
    return document.malformed + malformed


def _small(path: Path) -> str | None:
    try:
        return read_small(path, path.parent)[0].decode("utf-8", "replace")
    except OSError:
        return None


def _is_chat(name: str) -> bool:
    return name.endswith(SUFFIXES) and not name.startswith(".") and name not in {"logs.json", "projects.json"}


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a conversation, a folder of conversations, a project's folder, the folder of all projects, or
    the folder above that; None for any other path.
    """
    if path.is_file():
        return Gemini(path) if _wrote(path) else None
    if _holds_chats(path) or _holds_projects(path):
        return Gemini(path)
    if _holds_projects(path / "tmp"):
        return Gemini(path / "tmp")
    return None


def _holds_chats(folder: Path) -> bool:
    """Return whether this is a folder of conversations, or a project's folder that holds a conversation."""
    chats = folder if folder.name == CHATS else folder / CHATS
    return chats.is_dir() and any(map(_wrote, sorted(chats.glob("session-*.json*"))))


def _holds_projects(folder: Path) -> bool:
    return folder.is_dir() and any(map(_wrote, sorted(folder.glob(f"*/{CHATS}/session-*.json*"))))


def _wrote(path: Path) -> bool:
    """Return whether Gemini CLI wrote the file."""
    if path.name.endswith(".jsonl"):
        return any({"sessionId", "projectHash"} <= record.keys() for record in read_first_records(path))
    return path.name.endswith(".json") and _OLDER.match(read_object_start(path)) is not None


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Yield the source for the folder of all of Gemini CLI's projects on this machine, if one of them has a folder of
    conversations.
    """
    folder = Path(environ.get("GEMINI_CLI_HOME") or home) / ".gemini" / "tmp"
    if any(folder.glob(f"*/{CHATS}")):
        yield Gemini(folder)
