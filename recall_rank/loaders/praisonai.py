"""PraisonAI: one JSON file for each session below ~/.praisonai/sessions."""

from __future__ import annotations

import heapq
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from recall_rank.loaders.content.openai_messages import ROLES, ChatBuilder
from recall_rank.loaders.content.times import millis, odd_times
from recall_rank.loaders.content.titles import title_from
from recall_rank.loaders.content.usage import dollars
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import open_file, read_small
from recall_rank.loaders.files.session_files import SessionFiles
from recall_rank.loaders.json.document import JsonDocument
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.malformed import add_malformed
from recall_rank.loaders.praisonai_records import ACTIVE, ARCHIVED, MessageKeys
from recall_rank.model import Flag, Malformed, Message, Part, Reading, Session, Source, Unit

NAME = "praisonai"
SUFFIX = ".json"
FOLDER = "sessions"
HEAD = 4096  # bytes by which a file is recognised
PEEKED = 20  # files of a folder, to tell whether they are sessions of PraisonAI

_BEGINNING = re.compile(rb'\{\s*"session_id"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"messages"\s*:\s*\[')
_SET_ASIDE = re.compile(r"\.json\.corrupt-")
_AUTOMATED = {"scheduled", "automated", "cron", "system", "batch"}


class PraisonAI(SessionFiles):
    """A source for a folder of sessions, or for one session file. Each file is one unit, read on its own."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name or NAME)

    @staticmethod
    def wanted(name: str) -> bool:
        return name.endswith(SUFFIX) or _SET_ASIDE.search(name) is not None

    def units(self) -> Iterable[Unit]:
        """Return the session files as units; afterwards `warnings` lists the files that were skipped, and those that
        PraisonAI set aside as damaged.
        """
        found = list(super().units())
        aside = [unit for unit in found if not unit.key.endswith(SUFFIX)]
        self.warnings += [f"{unit.location}: set aside by PraisonAI as damaged, not read" for unit in aside]
        return [unit for unit in found if unit.key.endswith(SUFFIX)]

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        path = self.path_of(unit)
        chat = ChatBuilder()
        with open_file(path, self._root) as file:
            document = JsonDocument(read_blocks(file), unit.location, ACTIVE)
            active = list(document)
        session = _Session(document.head, path.stem, unit.location)
        archived = document.head.get(ARCHIVED)
        for number, record in enumerate(archived if type(archived) is list else ()):
            session.add(chat, f"archived message {number + 1}", record, Flag.OUT_OF_CONTEXT)
        for line, record in active:
            session.add(chat, f"line {line}", record, Flag.NONE)
        found = session.session(chat, self.name)
        return Reading([found] if found.messages else [], [*document.malformed, *session.malformed])


class _Session:
    """Builds a session from the metadata and the message records of one session file. `malformed` lists the records
    that cannot be used.
    """

    def __init__(self, head: Record, stem: str, location: str) -> None:
        odd = odd_times(head, "created_at", "updated_at", "last_compaction.timestamp")
        self.malformed = [Malformed(location, "line 1", reason) for reason in odd]
        self._location = location
        self._keys = MessageKeys()
        self._head = head
        self._metadata = mapping(head.get("metadata"))
        self._id = text_of(head.get("session_id")) or stem
        self._by = text_of(head.get("agent_name")) or None
        self._model = text_of(self._said("model")) or text_of(self._said("llm"))
        automated = str(self._said("source")).lower() in _AUTOMATED or self._metadata.get("automated") is True
        self._prompts = Flag.SYNTHETIC if automated else Flag.NONE  # prompts of a schedule were not typed

    def _said(self, key: str) -> Any:
        """Return the value of `key`, which older versions keep at the top level of the file and newer ones in the
        metadata.
        """
        value = self._metadata.get(key)
        return self._head.get(key) if value is None else value

    def add(self, chat: ChatBuilder, place: str, record: Any, flags: Flag) -> None:
        """Add a message to `chat`; a record that is no message is counted as malformed."""
        if type(record) is not dict or "role" not in record:
            add_malformed(self.malformed, Malformed(self._location, place, "a message without a role"))
            return
        add_malformed(
            self.malformed, *(Malformed(self._location, place, reason) for reason in odd_times(record, "timestamp"))
        )
        role = ROLES.get(text_of(record["role"]), "system")
        key = self._keys.key(record)
        if mapping(record.get("metadata")).get("compaction"):
            flags |= Flag.SUMMARY
        elif role == "system":
            flags |= Flag.SYNTHETIC
        elif role == "user":
            flags |= self._prompts
        ours = role == "assistant"
        message = Message(
            f"{self._id}:{key}",
            role,
            millis(record.get("timestamp")),
            agent=self._by if ours else None,
            model=self._model if ours else None,
            flags=flags,
        )
        chat.add(message, record.get("content"), record.get("tool_calls"), record.get("tool_call_id"))

    def session(self, chat: ChatBuilder, source: str) -> Session:
        messages = chat.messages()
        compaction = mapping(self._head.get("last_compaction"))
        summary = text_of(compaction.get("summary"))
        if summary and not any(summary in (part.text or "") for message in messages for part in message.parts):
            part = Part(f"{self._id}:compaction:0", "compaction", summary)
            when = millis(compaction.get("timestamp"))
            messages += (Message(f"{self._id}:compaction", "assistant", when, (part,), flags=Flag.SUMMARY),)
        first = next((part.text for message in messages if message.role == "user" for part in message.parts), None)
        times = [message.time for message in messages if message.time]
        parent = text_of(self._said("parent_session_id")) or text_of(self._said("root_session_id"))
        title = " ".join((text_of(self._metadata.get("title")) or "").split())
        return Session(
            self._id,
            messages,
            title or chat.title() or title_from(first),
            created=millis(self._head.get("created_at")) or min(times, default=0),
            updated=millis(self._head.get("updated_at")) or max(times, default=0),
            parent=parent if parent != self._id else None,
            source=source,
            agent=NAME,
            cost=dollars(self._said("cost")),
        )


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a session file, the folder of all sessions, or the home folder that holds that folder; None
    for any other path.
    """
    if path.is_file():
        return PraisonAI(path) if path.name.endswith(SUFFIX) and _wrote(path) else None
    for folder in (path / FOLDER, path):
        if _holds_sessions(folder):
            return PraisonAI(folder)
    return None


def _holds_sessions(folder: Path) -> bool:
    if not folder.is_dir():
        return False
    with os.scandir(folder) as entries:
        first = heapq.nsmallest(PEEKED, (entry.name for entry in entries if entry.name.endswith(SUFFIX)))
    return any(_wrote(folder / name) for name in first)


def _wrote(path: Path) -> bool:
    try:
        return _BEGINNING.match(read_small(path, limit=HEAD)[0].removeprefix(b"\xef\xbb\xbf").lstrip()) is not None
    except OSError:
        return False


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Sources for the folders of PraisonAI's sessions on this machine; some commands of PraisonAI name the home
    folder ".praison".
    """
    configured = environ.get("PRAISONAI_HOME")
    homes = [Path(configured)] if configured else [home / ".praisonai"]
    seen = set()
    for folder in [*(each / FOLDER for each in homes), home / ".praison" / FOLDER]:
        real = os.path.realpath(folder)
        if real not in seen and folder.is_dir():
            seen.add(real)
            yield PraisonAI(folder)
