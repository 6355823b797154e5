"""A segment: texts, columns, vocabulary and postings of some sessions, immutable once built."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.index.postings import Postings
from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank._core.search.column_filters import unmark
from recall_rank.analysis.fields import Field
from recall_rank.index.segment.strings import Names, Strings

ROLES = ("user", "assistant", "system", "tool", "title")  # the last is the role of the message with a session's title
TITLE_ROLE = 4
Text = bytes | bytearray | memoryview
Offsets: TypeAlias = "array[int] | memoryview"  # u64, bytes of a text
_FIELDS = {int(field): field for field in Field}  # quicker than Field() of a byte


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as results show it; its messages are [first_message, last_message). Times are in ms, 0 if unknown."""

    id: str
    title: str
    directory: str
    project: str | None
    worktree: str | None
    created: int
    updated: int
    parent: str | None
    source: str
    agent: str | None
    flags: int
    first_message: int
    last_message: int
    repository: str | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """The columns of some sessions; u32[n] and the like in the comments are their types and lengths.

    Sessions are numbered newest first; messages, parts and documents in the order of their sessions, then of their
    times. The title of a session is its first message, which has one part.
    """

    sessions: Sequence[SessionRow]

    message_ids: Strings
    message_session: memoryview  # u32
    message_role: memoryview  # u8, place in ROLES
    message_time: memoryview  # i64, ms
    message_author: memoryview  # u32, number in names
    message_first_part: memoryview  # u32[messages + 1]
    message_asked: memoryview  # u32: the message of the user that it answers; itself when there is none

    part_ids: Strings
    part_message: memoryview  # u32
    part_type: memoryview  # u32, number in names
    part_tool: memoryview  # u32, number in names
    part_flags: memoryview  # u16, model.Flag of part, message and session together
    part_start: memoryview  # u64[parts + 1], bytes of text
    part_first_doc: memoryview  # u32[parts + 1]
    part_first_field: memoryview  # u32[parts + 1]
    field_start: memoryview  # u64[fields + 1]: offset in the text of each Field byte

    doc_start: memoryview  # u64[docs + 1], bytes of text
    doc_part: memoryview  # u32
    doc_words: memoryview  # u16
    doc_class: memoryview  # u8: model.Kind, plus SUBAGENT_KIND

    session_talk: memoryview  # u8: model.Talk

    text: Text  # fields of all parts: a Field byte, then UTF-8
    folded_part: memoryview  # u32: parts with letters beyond ASCII that change by folding
    folded_start: memoryview  # u64[len(folded_part) + 1]
    folded_text: bytes | memoryview  # their fields in lower case

    names: Names
    vocabulary: Vocabulary
    postings: Postings
    doc_columns: DocColumns

    @property
    def docs(self) -> int:
        return len(self.doc_part)

    @property
    def parts(self) -> int:
        return len(self.part_message)

    @property
    def messages(self) -> int:
        return len(self.message_session)

    @property
    def terms(self) -> int:
        return len(self.vocabulary)

    @property
    def said_messages(self) -> int:
        return self.messages - len(self.sessions)

    @property
    def said_parts(self) -> int:
        return self.parts - len(self.sessions)

    def span_of(self, session: int) -> tuple[int, int]:
        """The messages [first, last) of a session; the first is its title."""
        row = self.sessions[session]
        return row.first_message, row.last_message

    def content_parts(self) -> bytearray:
        """Marks of the parts that are not titles of sessions, u8[parts]."""
        marks = bytearray(b"\1") * self.parts
        unmark(marks, self.message_role, TITLE_ROLE, self.message_first_part)
        return marks

    def text_for(self, ranges: Iterable[tuple[int, int]]) -> Text:
        """The whole text, of which the caller reads bytes [start, end) of each of `ranges` and nothing else."""
        return self.text

    def text_between(self, starts: Offsets, ends: Offsets) -> bytes | bytearray | memoryview:
        """The whole text, of which the caller reads bytes [starts[k], ends[k]) only; faster than text_for()."""
        return self.text

    def fields_of(self, part: int) -> Iterator[tuple[int, int, Field]]:
        """(start, end, kind) of every field of a part: its text is bytes [start, end) of the segment's text."""
        for number in range(self.part_first_field[part], self.part_first_field[part + 1]):
            start = self.field_start[number]
            yield start + 1, self.field_start[number + 1], _FIELDS[self.text_for(((start, start + 1),))[start]]
