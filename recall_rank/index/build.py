"""Build a segment from sessions, one part at a time."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

from recall_rank._core.builder import SegmentBuilder
from recall_rank._core.layout import Layout
from recall_rank._core.passages import cut
from recall_rank._core.postings import Postings
from recall_rank._core.vocabulary import Vocabulary
from recall_rank.index.segment import ROLES, TITLE_ROLE, Segment, SessionRow
from recall_rank.index.strings import Names, Strings
from recall_rank.model import SUBAGENT_KIND, Flag, Kind, Message, Part, Session
from recall_rank.text import Field, encode, fields, fold

LAST_TIME = 253_402_300_799_999  # the end of the year 9999, ms
PASSAGE_BYTES = 1500  # longest passage: about 250 words, one idea of an answer or one screen of output
TOOL_TAG, AUTHOR_TAG, DIRECTORY_TAG = b"\x01", b"\x02", b"\x03"  # first byte of the terms of a field
_ASCII = bytes(range(128))
_MARKS = {label: bytes([label]) for label in Field}
_ROLE_NUMBERS = {role: number for number, role in enumerate(ROLES)}
_BY_TYPE = {"reasoning": Kind.REASONING, "subtask": Kind.SUBTASK, "compaction": Kind.SUMMARY}


def build(sessions: Iterable[Session]) -> Segment:
    """A segment of all `sessions`, whatever their order. Sessions with the same id and source stay apart.

    Raises TypeError when something else than sessions is given.
    """
    ordered = sorted(_checked(sessions), key=lambda s: (-(s.updated or newest(s)), s.source or "", s.id))
    building = _Building()
    for session in ordered:
        building.add(session)
    return building.finish()


def _checked(sessions: Iterable[Session]) -> Iterable[Session]:
    for session in sessions:
        if not isinstance(session, Session):
            raise TypeError(f"sessions must be recall_rank.Session records, not {type(session).__name__}")
        yield session


_ERROR = int(Flag.ERROR)  # two numbers are joined much faster than two flags


def kind_of(session_flags: Flag, message: Message, part: Part, talk: bool) -> int:
    """The class of a part's documents: its Kind, plus SUBAGENT_KIND beside the main conversation."""
    flags = int(part.flags) | int(message.flags) | int(session_flags)
    failed = bool(part.error) or bool(int(part.flags) & _ERROR)
    return _kind_of(flags, part.type, failed, message.role, talk)


@lru_cache(maxsize=1024)
def _kind_of(flags: int, part_type: str, failed: bool, role: str, talk: bool) -> int:
    if flags & Flag.SYNTHETIC:
        kind = Kind.INJECTED
    elif flags & Flag.SUMMARY:
        kind = Kind.SUMMARY
    elif part_type == "tool":
        kind = Kind.TOOL_ERROR if failed else Kind.TOOL
    elif part_type in _BY_TYPE:
        kind = _BY_TYPE[part_type]
    elif part_type != "text":
        kind = Kind.OTHER
    elif talk:
        kind = Kind.TALK
    elif role in ("user", "assistant"):
        kind = Kind.USER if role == "user" else Kind.ASSISTANT
    else:
        kind = Kind.OTHER
    return kind + (SUBAGENT_KIND if flags & (Flag.SUBAGENT | Flag.ABANDONED) else 0)


def is_talk(messages: Sequence[Message]) -> bool:
    """Whether people talk with each other: at least two named authors, and no tool is ever called."""
    authors = {message.author for message in messages if message.author}
    return len(authors) > 1 and not any(part.type == "tool" for message in messages for part in message.parts)


def known_time(time: int) -> int:
    """The time, or 0 (unknown) for one that no calendar has: what a broken record says must not stop a build."""
    return time if 0 <= time <= LAST_TIME else 0


def newest(session: Session) -> int:
    """Time of the session's newest message, 0 when none is known."""
    return max((known_time(message.time) for message in session.messages), default=0)


class _Building:
    """Columns that grow until finish() makes a Segment of them."""

    def __init__(self) -> None:
        self.native = SegmentBuilder()
        self.names = Names()
        self.sessions: list[SessionRow] = []
        self.session_talk = array("B")
        self.message_ids: list[str] = []
        self.message_session = array("I")
        self.message_role = array("B")
        self.message_time = array("q")
        self.message_author = array("I")
        self.message_first_part = array("I")
        self.message_asked = array("I")
        self.part_ids: list[str] = []
        self.part_message = array("I")
        self.part_type = array("I")
        self.part_tool = array("I")
        self.part_flags = array("H")
        self.part_start = array("Q")
        self.part_first_doc = array("I")
        self.part_first_field = array("I")
        self.field_start = array("Q")
        self.doc_start = array("Q")
        self.doc_part = array("I")
        self.doc_words = array("H")
        self.doc_class = array("B")
        self.text = bytearray()
        self.folded_part = array("I")
        self.folded_start = array("Q", [0])
        self.folded_text = bytearray()

    def add(self, session: Session) -> None:
        first = len(self.message_ids)
        number = len(self.sessions)
        talk = is_talk(session.messages)
        last_said = newest(session)
        self.session_talk.append(talk)
        self._title(session, number, last_said)
        asked = -1
        for message in session.messages:
            role, time = _ROLE_NUMBERS.get(message.role, 2), known_time(message.time)
            if message.role == "user" and any(part.type == "text" for part in message.parts):
                asked = len(self.message_ids)
            self.message_asked.append(asked if asked >= 0 else len(self.message_ids))
            self._message(number, message.id, role, time, message.author)
            shared = int(message.flags) | int(session.flags)
            author = [(AUTHOR_TAG, encode(message.author))] if message.author else []
            for part in message.parts:
                flags = int(part.flags) | shared
                extra = [*author, (TOOL_TAG, encode(part.tool))] if part.tool else author
                kind = kind_of(session.flags, message, part, talk)
                self._part(part.id, part.type, part.tool, flags, kind, fields(part), extra)
        self.sessions.append(
            SessionRow(
                id=session.id,
                title=session.title or "",
                directory=session.directory or "",
                project=session.project,
                worktree=session.worktree,
                created=session.created,
                updated=session.updated or last_said,
                parent=session.parent,
                source=session.source or "",
                agent=session.agent,
                flags=int(session.flags),
                first_message=first,
                last_message=len(self.message_ids),
                repository=session.repository,
            )
        )

    def _title(self, session: Session, number: int, last_said: int) -> None:
        self.message_asked.append(len(self.message_ids))
        self._message(number, "", TITLE_ROLE, last_said, None)
        # a title hit leads to a message: without one there is nothing to show
        words = [(Field.TEXT, session.title)] if session.title and session.messages else []
        extra = [(DIRECTORY_TAG, encode(session.directory))] if session.directory and session.messages else []
        self._part(f"{session.id}:title", "title", None, int(session.flags), Kind.TITLE, words, extra)

    def _message(self, session: int, key: str, role: int, time: int, author: str | None) -> None:
        self.message_ids.append(key)
        self.message_session.append(session)
        self.message_role.append(role)
        self.message_time.append(time)
        self.message_author.append(self.names.number(author))
        self.message_first_part.append(len(self.part_ids))

    def _part(
        self,
        key: str,
        kind: str,
        tool: str | None,
        flags: int,
        doc_class: int,
        content: list[tuple[Field, str]],
        extra: list[tuple[bytes, bytes]],
    ) -> None:
        number = len(self.part_ids)
        self.part_ids.append(key)
        self.part_message.append(len(self.message_ids) - 1)
        self.part_type.append(self.names.number(kind))
        self.part_tool.append(self.names.number(tool))
        self.part_flags.append(flags)
        self.part_start.append(len(self.text))
        self.part_first_doc.append(len(self.doc_part))
        self.part_first_field.append(len(self.field_start))
        encoded = [(_MARKS[label] + encode(value), value) for label, value in content]
        blob = b"".join(value for value, _ in encoded)
        place = len(self.text)
        for value, _ in encoded:
            self.field_start.append(place)
            place += len(value)
        if not all(value.isascii() for _, value in content):
            self._keep_folded(number, encoded)
        start = 0
        # a session without a title is still found by its directory
        for end in cut(blob, PASSAGE_BYTES) if content or (extra and doc_class == Kind.TITLE) else ():
            words = self.native.add(blob, start, end, extra if start == 0 else ())
            self.doc_start.append(len(self.text) + start)
            self.doc_part.append(number)
            self.doc_words.append(min(words, 65535))
            self.doc_class.append(doc_class)
            start = end
        self.text += blob

    def _keep_folded(self, part: int, encoded: list[tuple[bytes, str]]) -> None:
        """Keep a lower-case copy where the lower case of ASCII letters alone would not do."""
        others = b"".join(mark[1:].translate(None, _ASCII) for mark, _ in encoded).decode()
        if fold(others) == others:
            return
        self.folded_part.append(part)
        self.folded_text += b"".join(mark[:1] + encode(fold(value)) for mark, value in encoded)
        self.folded_start.append(len(self.folded_text))

    def finish(self) -> Segment:
        self.message_first_part.append(len(self.part_ids))
        self.part_start.append(len(self.text))
        self.part_first_doc.append(len(self.doc_part))
        self.part_first_field.append(len(self.field_start))
        self.field_start.append(len(self.text))
        self.doc_start.append(len(self.text))
        made = self.native.finish()
        del self.native
        layout = Layout(
            doc_part=memoryview(self.doc_part),
            doc_words=memoryview(self.doc_words),
            doc_class=memoryview(self.doc_class),
            part_message=memoryview(self.part_message),
            message_session=memoryview(self.message_session),
            message_time=memoryview(self.message_time),
            session_talk=memoryview(self.session_talk),
            message_asked=memoryview(self.message_asked),
        )
        vocabulary = Vocabulary(
            made["arena"], _view(made["offsets"], "I"), _view(made["starts"], "I"), _view(made["signatures"], "I")
        )
        postings = Postings(
            _view(made["df"], "I"),
            _view(made["block_starts"], "Q"),
            _view(made["terms"], "I"),
            _view(made["pointers"], "Q"),
            _view(made["docs"], "H"),
            made["tfs"],
        )
        return Segment(
            sessions=tuple(self.sessions),
            message_ids=Strings.of(self.message_ids),
            message_session=memoryview(self.message_session),
            message_role=memoryview(self.message_role),
            message_time=memoryview(self.message_time),
            message_author=memoryview(self.message_author),
            message_first_part=memoryview(self.message_first_part),
            message_asked=memoryview(self.message_asked),
            part_ids=Strings.of(self.part_ids),
            part_message=memoryview(self.part_message),
            part_type=memoryview(self.part_type),
            part_tool=memoryview(self.part_tool),
            part_flags=memoryview(self.part_flags),
            part_start=memoryview(self.part_start),
            part_first_doc=memoryview(self.part_first_doc),
            part_first_field=memoryview(self.part_first_field),
            field_start=memoryview(self.field_start),
            doc_start=memoryview(self.doc_start),
            doc_part=memoryview(self.doc_part),
            doc_words=memoryview(self.doc_words),
            doc_class=memoryview(self.doc_class),
            session_talk=memoryview(self.session_talk),
            text=self.text,
            folded_part=memoryview(self.folded_part),
            folded_start=memoryview(self.folded_start),
            folded_text=bytes(self.folded_text),
            names=self.names,
            vocabulary=vocabulary,
            postings=postings,
            layout=layout,
        )


def _view(data: bytes, code: Literal["H", "I", "Q"]) -> memoryview:
    return memoryview(data).cast(code)
