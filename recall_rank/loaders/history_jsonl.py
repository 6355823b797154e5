"""The history format of this project: sessions, messages and message parts as JSON lines, plain or compressed by
gzip or xz.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from recall_rank.loaders.content.times import millis, with_checked_times
from recall_rank.loaders.content.titles import short_name
from recall_rank.loaders.content.usage import dollars, tokens_of
from recall_rank.loaders.content.values import text_of, touched_files
from recall_rank.loaders.files.blocks import ARCHIVES, read_blocks
from recall_rank.loaders.files.regular_files import file_signature, open_file
from recall_rank.loaders.files.resume import ResumePoint, pack_resume_point, unpack_resume_point
from recall_rank.loaders.json.first_records import has_records, read_first_records
from recall_rank.loaders.json.jsonl import JsonlRecords, refuse_noise
from recall_rank.loaders.json.parse import RawJson, Record
from recall_rank.loaders.limits import limits
from recall_rank.loaders.malformed import count
from recall_rank.loaders.store_places import resolve_store
from recall_rank.model import BaseSource, Flag, Message, Part, Reading, Role, Session, Source, Tokens, Unit

NAME = "history"
SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")
STARTS = ('{"t":', '{"t" :', '{ "t"')

SLACK = 1.25  # so much more than the limits is held before sessions are left out, so that few passes are made

_ROLES: dict[Any, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}


class HistoryJsonl(BaseSource):
    """A source for one history file, which is read as one unit.

    With `doubtful`, nothing tells that the file is a history but its name: a reading that finds no record fails.
    """

    def __init__(self, path: Path, name: str | None = None, *, doubtful: bool = False) -> None:
        self.name = name or NAME
        self._doubtful = doubtful
        self.location = str(path)
        self._path = resolve_store(path)

    def units(self) -> Iterable[Unit]:
        return [Unit(self._path.name, self.location)]

    def signature(self, unit: Unit) -> bytes:
        return file_signature(self._path)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """Read the sessions of the file; only the lines appended to it when `since`, the resume point of an earlier
        reading, is still valid. Raises OSError for a doubtful file of which no line is a record.
        """
        reading = self._read(since)
        if self._doubtful:
            refuse_noise(reading, self.location)
        return reading

    def read_session(self, unit: Unit, session_id: str) -> Session | None:
        """Return one session of the file: only the lines that contain its id are parsed. None for an id that JSON may
        write in several ways; a line that does so all the same is missed, as the number of messages shows.
        """
        if not (session_id.isascii() and session_id.isprintable()) or any(odd in session_id for odd in '"\\/'):
            return None
        mark = f'"{session_id}"'.encode()
        with open_file(self._path, self._path.parent) as file:
            reader = _HistoryReader(self.name, self.location)
            blocks = read_blocks(file, self._path.suffix)
            reader.run(blocks, ResumePoint(), packed=True, skip=lambda line: mark not in line)
        return next((found for found in reader.sessions() if found.id == session_id), None)

    def _read(self, since: bytes | None) -> Reading:
        suffix = self._path.suffix
        with open_file(self._path, self._path.parent) as file:
            resume = None if suffix in ARCHIVES else unpack_resume_point(file, since)
            if resume is not None:
                place, state = resume
                reader = _HistoryReader(self.name, self.location, state)
                reading = reader.run(read_blocks(file, start=place.offset), place)
                if reading is not None:
                    return reading
            reader = _HistoryReader(self.name, self.location)
            return reader.run(read_blocks(file, suffix), ResumePoint(), packed=suffix in ARCHIVES) or Reading([])


class _HistoryReader:
    """Reads a history file once, either whole or from a resume point on. In the second case `state` is the record of
    the last session before that point.

    Of more sessions or messages in one file than `limits()` allows, the last ones are kept, because a history file
    grows at its end.
    """

    def __init__(self, name: str, location: str, state: Record | None = None) -> None:
        self.name = name
        self.location = location
        self.heads: dict[str, Session] = {state["id"]: self._head(state)} if state else {}
        self.messages: dict[str, dict[str, Message]] = {}
        self.last: Record | None = state
        self.warnings: dict[str, None] = {}
        self.unknown: dict[str, int] = {}  # records that were not read, by the warning about them
        self.more = False
        self.count = 0  # messages
        self.left_out = [0, 0]  # sessions, messages
        self.most_sessions, self.most_messages = limits().sessions, limits().messages

    def run(
        self,
        data: Iterator[bytes],
        place: ResumePoint,
        *,
        packed: bool = False,
        skip: Callable[[RawJson], bool] | None = None,
    ) -> Reading | None:
        """Return the sessions and problems found in `data`, the bytes of the file from `place` on. Returns None when
        the whole file must be read instead: a message behind the resume point belongs to a session before the last one,
        or the file ends in a way that allows no new resume point.
        """
        self.more = place.offset > 0
        lines = JsonlRecords(data, self.location, starts=STARTS, skip=skip, place=place)
        try:
            for number, record in with_checked_times(lines, "time", "created", "updated"):
                kind = record.get("t")
                if kind == "message":
                    if not self._message(number, record, lines):
                        return None
                elif kind == "session":
                    self._session(number, record, lines)
                elif kind is None:
                    lines.bad(number, 'neither a session nor a message: "t" is missing')
                else:
                    self._unknown_type(str(kind))
        except OSError as error:
            if not self.messages:
                raise
            lines.bad(lines.place.line + 1, error.strerror or str(error))
        point = None
        if self.more and not lines.resumable:
            return None
        self._keep_last(self.most_sessions, self.most_messages)
        if lines.resumable and not packed:
            point = pack_resume_point(lines.place, self.last)
        found = list(self.sessions())
        return Reading(found, lines.malformed, self._warnings(), point, self.more, unknown=self.unknown)

    def _session(self, number: int, record: Record, lines: JsonlRecords) -> None:
        key = text_of(record.get("id"))
        if not key:
            lines.bad(number, "a session without an id")
            return
        record["id"] = key
        self.last = record
        self.heads[key] = self._head(record)
        self.messages.setdefault(key, {})
        if len(self.messages) > self.most_sessions * SLACK:
            self._keep_last(self.most_sessions, self.most_messages)

    def _message(self, number: int, record: Record, lines: JsonlRecords) -> bool:
        session = text_of(record.get("session"))
        if not session:
            lines.bad(number, "a message without a session")
            return True
        known = self.messages.get(session)
        if known is None:
            if session not in self.heads:
                if self.more:
                    return False
                if self.left_out[0]:
                    self.left_out[1] += 1
                    return True
                self._warn(f"session {session[:80]} has messages but no line of its own")
            known = self.messages[session] = {}
        key = text_of(record.get("id")) or f"{session}:{number}"
        raw = record.get("parts")
        parts = [_part(key, index, part) for index, part in enumerate(raw)] if type(raw) is list else []
        if None in parts or type(raw) is not list:
            lines.bad(number, "a part that is no object" if type(raw) is list else "a message without a list of parts")
        self.count += key not in known
        known[key] = Message(
            key,
            _ROLES.get(record.get("role"), "system"),
            millis(record.get("time")),
            tuple([part for part in parts if part is not None]),
            text_of(record.get("author")),
            text_of(record.get("agent")),
            text_of(record.get("model")),
            tokens=_tokens(record.get("tokens")),
            cost=dollars(record.get("cost")),
        )
        if self.count > self.most_messages * SLACK:
            self._keep_last(self.most_sessions, self.most_messages)
        return True

    def _keep_last(self, sessions: int, messages: int) -> None:
        """Leave out the first sessions until at most `sessions` sessions and `messages` messages are left. Of a last
        session that has more messages alone, leave out the first messages.
        """
        if len(self.messages) <= sessions and self.count <= messages:
            return
        kept: dict[str, dict[str, Message]] = {}
        left = messages
        for key in reversed(self.messages):
            known = self.messages[key]
            if len(kept) == sessions or (len(known) > left and kept):
                break
            kept[key] = dict(islice(known.items(), max(0, len(known) - left), None))
            left -= len(kept[key])
        self.left_out[0] += len(self.messages) - len(kept)
        self.left_out[1] += self.count - (messages - left)
        self.count = messages - left
        self.messages = dict(reversed(kept.items()))
        self.heads = {key: head for key, head in self.heads.items() if key in kept}

    def _unknown_type(self, kind: str) -> None:
        warning = f"records of the unknown type {kind[:40]!r} were not read"
        self._warn(warning)
        if warning in self.warnings:
            count(self.unknown, warning)

    def _warn(self, warning: str) -> None:
        if len(self.warnings) <= limits().listed:
            self.warnings[warning] = None

    def _warnings(self) -> list[str]:
        sessions, messages = self.left_out
        if not sessions and not messages:
            return list(self.warnings)
        most = f"more than {self.most_sessions:,} sessions or {self.most_messages:,} messages in one file"
        return [f"{most}: the first {sessions:,} sessions and {messages:,} messages were left out", *self.warnings]

    def _head(self, record: Record) -> Session:
        """Return the session of a session line, without messages."""
        get = record.get
        return Session(
            text_of(get("id")) or "",
            (),
            short_name(text_of(get("title"))),
            short_name(text_of(get("directory"))),
            short_name(text_of(get("project"))),
            short_name(text_of(get("worktree"))),
            millis(get("created")),
            millis(get("updated")),
            text_of(get("parent")),
            text_of(get("source")) or self.name,
            text_of(get("agent_app")),
            forked_from=text_of(get("forked_from")),
            continues=text_of(get("continues")),
            tokens=_tokens(get("tokens")),
            cost=dollars(get("cost")),
            repository=short_name(text_of(get("repository"))),
            host=short_name(text_of(get("host"))),
            user=short_name(text_of(get("user"))),
        )

    def sessions(self) -> Iterator[Session]:
        """Yield the sessions that were read, with their messages."""
        for key, messages in self.messages.items():
            head = self.heads.get(key) or self._head({"id": key})
            times = [message.time for message in messages.values() if message.time]
            yield replace(
                head,
                messages=tuple(messages.values()),
                created=head.created or min(times, default=0),
                updated=head.updated or max(times, default=0),
            )


def _tokens(raw: Any) -> Tokens | None:
    return tokens_of(*map(raw.get, ("input", "output", "cached", "reasoning"))) if type(raw) is dict else None


def _part(message: str, index: int, raw: Any) -> Part | None:
    if type(raw) is not dict:
        return None
    get = raw.get
    flags = Flag.NONE
    if get("pruned"):
        flags |= Flag.PRUNED
    if get("synthetic"):
        flags |= Flag.SYNTHETIC
    if get("error"):
        flags |= Flag.ERROR
    kind = text_of(get("type")) or "text"
    if kind == "compaction":
        flags |= Flag.SUMMARY
    tool_input = get("input")
    return Part(
        text_of(get("id")) or f"{message}:{index}",
        kind,
        text_of(get("text")),
        text_of(get("tool")),
        tool_input,
        text_of(get("output")),
        text_of(get("error")),
        text_of(get("title")),
        text_of(get("prompt")),
        text_of(get("status")),
        flags,
        touched_files(tool_input),
    )


def recognise(path: Path) -> Source | None:
    """Return a source for a history file, recognised by one of its first records; None for any other file."""
    if not path.name.endswith(SUFFIXES) or not path.is_file():
        return None
    ours = any(record.get("t") in ("session", "message") for record in read_first_records(path))
    return HistoryJsonl(path) if ours else None


def unreadable(path: Path) -> Source | None:
    """Return a source for a file that has a history's name but no readable record, so that reading it reports the
    problem; None for any other file.
    """
    if path.name.endswith(SUFFIXES) and path.is_file() and not has_records(path):
        return HistoryJsonl(path, doubtful=True)
    return None


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:  # noqa: ARG001
    """Return an empty list: no program keeps its histories in this format."""
    return ()
