"""Build a segment from sessions, one part at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

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

PASSAGE_BYTES = 1500  # longest passage: about 250 words, one idea of an answer or one screen of output
_ROLE_NUMBERS = {role: number for number, role in enumerate(ROLES)}
_BY_TYPE = {"reasoning": Kind.REASONING, "subtask": Kind.SUBTASK, "compaction": Kind.SUMMARY}


def build(sessions: Iterable[Session]) -> Segment:
    """A segment of all `sessions`, in any order. Sessions with equal id and source are not merged.

    Raises TypeError when an item is not a Session.
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


@lru_cache(maxsize=1024)
def kind_of(flags: int, part_type: str, failed: bool, role: str, people: bool) -> int:
    """The class of a part's documents: its Kind, plus SUBAGENT_KIND for subagents and abandoned branches.

    `flags` are those of part, message and session; `failed` is that of the part alone.
    """
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
    elif people:
        kind = Kind.TALK
    elif role in ("user", "assistant"):
        kind = Kind.USER if role == "user" else Kind.ASSISTANT
    else:
        kind = Kind.OTHER
    return kind + (SUBAGENT_KIND if flags & (Flag.SUBAGENT | Flag.ABANDONED) else 0)


def said_as(kind: int, passage: bytes) -> int:
    """The kind of a passage that a person wrote, UTF-8. `kind` is that of its part: USER to an agent, TALK to
    people.
    """
    if kind == Kind.USER:
        return Kind.ORDER if is_order(passage) else kind
    return Kind.QUESTION if is_question(passage) else kind


def talk_of(messages: Sequence[Message]) -> Talk:
    """The parties of a session: WORK if a tool is called, PEOPLE if two or more authors are named, else CHAT."""
    if any(part.type == "tool" for message in messages for part in message.parts):
        return Talk.WORK
    return Talk.PEOPLE if len({message.author for message in messages if message.author}) > 1 else Talk.CHAT


def newest(session: Session) -> int:
    """The time of the session's newest message in ms, 0 when none is known."""
    return max((known_time(message.time) for message in session.messages), default=0)


class _Building:
    """The columns of a segment under construction; finish() returns the Segment."""

    def __init__(self) -> None:
        self.native = SegmentBuilder()
        self.names = Names()
        self.sessions: list[SessionRow] = []
        self.said = Gatherer(
            self.native, _ROLE_NUMBERS, self.names.number, kind_of, is_recall_tool, said_as, fold, PASSAGE_BYTES
        )

    def add(self, session: Session) -> None:
        first = len(self.said)
        talk = talk_of(session.messages)
        people = talk is Talk.PEOPLE
        last_said = newest(session)
        flags = int(session.flags)
        # a title hit leads to a message: without one there is nothing to show
        shown = (session.title, session.directory) if session.messages else (None, None)
        self.said.title(f"{session.id}:title", *shown, flags, last_said, TITLE_ROLE, Kind.TITLE, talk)
        self.said.messages(session.messages, flags, people)
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
                flags=flags,
                first_message=first,
                last_message=len(self.said),
                repository=session.repository,
            )
        )

    def finish(self) -> Segment:
        columns = self.said.finish()
        made = self.native.finish()
        del self.native
        vocabulary = Vocabulary(
            made["arena"], _view(made["offsets"], "I"), _view(made["starts"], "I"), _view(made["signatures"], "I")
        )
        postings = Postings(*made["postings"])
        return Segment(
            sessions=tuple(self.sessions),
            message_ids=Strings(*self.said.message_ids.buffers()),
            part_ids=Strings(*self.said.part_ids.buffers()),
            text=self.said.text,
            folded_text=bytes(self.said.folded_text),
            names=self.names,
            vocabulary=vocabulary,
            postings=postings,
            doc_columns=DocColumns(*(columns[name] for name in DOC_COLUMNS)),
            **columns,
        )


def _view(data: bytes, code: Literal["H", "I", "Q"]) -> memoryview:
    return memoryview(data).cast(code)
