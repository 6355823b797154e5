"""Build a segment from sessions: sort them, collect their columns, and index the terms of each passage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal

from recall_rank._core.index.builder import SegmentBuilder
from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.index.gather import Gatherer, known_time
from recall_rank._core.index.postings import Postings
from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank.analysis.fields import is_recall_tool
from recall_rank.analysis.normalize import fold
from recall_rank.analysis.utterance_kind import is_order, is_question
from recall_rank.index.segment.columns import DOC_COLUMNS
from recall_rank.index.segment.segment import ROLES, TITLE_ROLE, Segment, SessionRow
from recall_rank.index.segment.strings import Names, Strings
from recall_rank.model import SUBAGENT_KIND, Flag, Kind, Message, Session, Talk
from recall_rank.model.record_classes import replace

PASSAGE_BYTES = 1500  # of UTF-8, the longest passage: about 250 words, one paragraph or one screen of output
# (a letter of an alphabet other than the Latin one counts as one byte)
_ROLE_NUMBERS = {role: number for number, role in enumerate(ROLES)}
_KIND_BY_TYPE = {"reasoning": Kind.REASONING, "subtask": Kind.SUBTASK, "compaction": Kind.SUMMARY}


def build(sessions: Iterable[Session]) -> Segment:
    """Return a segment of all `sessions`, sorted newest first. Sessions of equal id and source are indexed separately.

    The order of `sessions` matters only for sessions of equal time, source and id. Raises TypeError for an element that
    is not a Session.
    """
    ordered = sorted(
        _checked(sessions),
        key=lambda session: (-(session.updated or newest(session.messages)), session.source or "", session.id),
    )
    growing = GrowingSegment()
    for session in ordered:
        growing.add(session)
    return growing.finish()


def _checked(sessions: Iterable[Session]) -> Iterable[Session]:
    for session in sessions:
        if not isinstance(session, Session):
            raise TypeError(f"sessions must be recall_rank.Session records, not {type(session).__name__}")
        yield session


@lru_cache(maxsize=1024)
def doc_class_of(flags: int, part_type: str, failed: bool, role: str, people: bool) -> int:
    """Return the class of the documents of a part: its Kind, plus SUBAGENT_KIND for subagents and abandoned branches.

    `flags` is the union of the flags of part, message and session. `failed` tells whether the tool call of the part
    failed, `people` whether the session is a conversation between people.
    """
    if flags & Flag.SYNTHETIC:
        kind = Kind.INJECTED
    elif flags & Flag.SUMMARY:
        kind = Kind.SUMMARY
    elif part_type == "tool":
        kind = Kind.TOOL_ERROR if failed else Kind.TOOL
    elif part_type in _KIND_BY_TYPE:
        kind = _KIND_BY_TYPE[part_type]
    elif part_type != "text":
        kind = Kind.OTHER
    elif people:
        kind = Kind.TALK
    elif role in ("user", "assistant"):
        kind = Kind.USER if role == "user" else Kind.ASSISTANT
    else:
        kind = Kind.OTHER
    return kind + (SUBAGENT_KIND if flags & (Flag.SUBAGENT | Flag.ABANDONED) else 0)


def refined_kind(kind: int, passage: bytes, further: bool) -> int:
    """Return Kind.ORDER for words to an agent that give a standing order, Kind.PASTED for what else is `further` than
    the first passage of such words, Kind.QUESTION for talk that mostly asks, else `kind`.

    `kind` is Kind.USER for a person's words to an agent, Kind.TALK for words to other people. `passage` is UTF-8.
    """
    if kind == Kind.USER:
        return Kind.ORDER if is_order(passage) else Kind.PASTED if further else kind
    return Kind.QUESTION if is_question(passage) else kind


def has_tool_calls(messages: Iterable[Message]) -> bool:
    """Return whether an agent used a tool in these messages."""
    return any(part.type == "tool" for message in messages for part in message.parts)


def authors_of(messages: Iterable[Message]) -> set[str]:
    """Return the authors that these messages name."""
    return {message.author for message in messages if message.author}


def talk_of(works: bool, authors: int) -> Talk:
    """Return the sort of conversation: Talk.WORK if an agent `works` with tools, Talk.PEOPLE with several authors, else
    Talk.CHAT.
    """
    return Talk.WORK if works else Talk.PEOPLE if authors > 1 else Talk.CHAT


def newest(messages: Iterable[Message]) -> int:
    """Return the time of the newest message in ms since 1970, 0 when no message has a time."""
    return max((known_time(message.time) for message in messages), default=0)


class GrowingSegment:
    """The columns of a segment under construction: sessions are added, and messages are appended to the last one."""

    def __init__(self) -> None:
        self.native = SegmentBuilder()
        self.names = Names()
        self.sessions: list[SessionRow] = []
        self.works = False  # of the last session, as `authors` and `last_time`
        self.authors: set[str] = set()
        self.last_time = 0
        self.gatherer = Gatherer(
            self.native,
            _ROLE_NUMBERS,
            self.names.number,
            doc_class_of,
            is_recall_tool,
            refined_kind,
            fold,
            PASSAGE_BYTES,
        )

    @property
    def talk(self) -> Talk:
        """The sort of conversation of the last session."""
        return talk_of(self.works, len(self.authors))

    def add(self, session: Session) -> None:
        """Add a session: append its title, its messages and its SessionRow to the columns."""
        first = len(self.gatherer)
        self.works, self.authors = has_tool_calls(session.messages), authors_of(session.messages)
        self.last_time = newest(session.messages)
        flags = int(session.flags)
        # a title hit must lead to a message, so a session without messages has no searchable title
        title_texts = (session.title, session.directory) if session.messages else (None, None)
        key = f"{session.id}:title"
        self.gatherer.title(key, *title_texts, flags, self.last_time, TITLE_ROLE, Kind.TITLE, self.talk)
        self.gatherer.messages(session.messages, flags, self.talk is Talk.PEOPLE)
        self.sessions.append(
            SessionRow(
                id=session.id,
                title=session.title or "",
                directory=session.directory or "",
                project=session.project,
                worktree=session.worktree,
                created=session.created,
                updated=session.updated or self.last_time,
                parent=session.parent,
                source=session.source or "",
                agent=session.agent,
                flags=flags,
                first_message=first,
                last_message=len(self.gatherer),
                repository=session.repository,
                host=session.host,
                user=session.user,
            )
        )

    def can_append(self, messages: Sequence[Message]) -> bool:
        """Return whether append() can take these messages: not when they change how the session's older ones are
        indexed, which is when the session has none, or when it becomes or ceases to be a conversation of people.
        """
        row = self.sessions[-1]
        talk = talk_of(self.works or has_tool_calls(messages), len(self.authors | authors_of(messages)))
        return row.first_message + 1 < row.last_message and (talk is Talk.PEOPLE) == (self.talk is Talk.PEOPLE)

    def append(self, messages: Sequence[Message]) -> None:
        """Add messages to the end of the session that was added last. can_append() must hold."""
        self.works |= has_tool_calls(messages)
        self.authors |= authors_of(messages)
        self.last_time = max(self.last_time, newest(messages))
        row = self.sessions[-1]
        self.gatherer.messages(messages, row.flags, self.talk is Talk.PEOPLE)
        updated = max(row.updated, newest(messages))
        self.sessions[-1] = replace(row, last_message=len(self.gatherer), updated=updated)

    def finish(self) -> Segment:
        """Return the segment of the added sessions. Call once."""
        columns = self.gatherer.finish()
        index = self.native.finish()
        del self.native
        return self._segment(columns, index, self.gatherer.text)

    def snapshot(self) -> Segment:
        """Return the segment of the sessions so far; messages and sessions can be added afterwards.

        Text and columns are copied, and the terms are sorted; nothing is tokenised again.
        """
        columns = self.gatherer.snapshot()
        columns["message_time"][self.sessions[-1].first_message] = self.last_time  # the title's, as add() would set it
        columns["session_talk"][-1] = self.talk
        return self._segment(columns, self.native.snapshot(), bytes(self.gatherer.text))

    def _segment(self, columns: dict[str, memoryview], index: dict[str, Any], text: bytes | bytearray) -> Segment:
        """Return the segment of the added sessions from the gathered columns and what the native builder made."""
        vocabulary = Vocabulary(
            index["arena"], _view(index["offsets"], "I"), _view(index["starts"], "I"), _view(index["signatures"], "I")
        )
        return Segment(
            sessions=tuple(self.sessions),
            message_ids=Strings(*self.gatherer.message_ids.buffers()),
            part_ids=Strings(*self.gatherer.part_ids.buffers()),
            text=text,
            folded_text=bytes(self.gatherer.folded_text),
            names=self.names.copy(),
            vocabulary=vocabulary,
            postings=Postings(*index["postings"]),
            doc_columns=DocColumns(*(columns[name] for name in DOC_COLUMNS)),
            **columns,
        )


def _view(data: bytes, code: Literal["H", "I", "Q"]) -> memoryview:
    """Return `data` as a memoryview of u16, u32 or u64 values; `code` is the type code."""
    return memoryview(data).cast(code)
