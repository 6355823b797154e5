"""A segment: the immutable texts, columns, vocabulary and postings of a set of sessions."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from recall_rank._core.index.doc_columns import DocColumns
from recall_rank._core.index.postings import Postings
from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank._core.search.column_filters import clear_first_parts
from recall_rank.analysis.fields import Field
from recall_rank.index.segment.strings import Names, Strings
from recall_rank.model.record_classes import frozen

ROLES = (
    "user",
    "assistant",
    "system",
    "tool",
    "title",
)  # "title" is the role of the message that contains the title of a session
TITLE_ROLE = 4
Text = bytes | bytearray | memoryview
Offsets: TypeAlias = "array[int] | memoryview"  # u64, byte offsets in a text
_FIELDS = {int(field): field for field in Field}  # a dict is faster than the call Field(byte)


@frozen
class SessionRow:
    """The stored fields of a session, whose messages are [first_message, last_message).

    Times are in ms since 1970, 0 if unknown.
    """

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
    host: str | None = None
    user: str | None = None


@frozen
class Segment:
    """The columns of a set of sessions, with one value for each session, message, part or document.

    Sessions are numbered newest first; messages, parts and documents are numbered in the order of their sessions, then
    by time. The first message of a session contains its title as its only part. Comments give the type of a column,
    and its length where that is not the number of rows; part_first_doc[p] to part_first_doc[p + 1] are the documents
    of part p.
    """

    sessions: Sequence[SessionRow]

    message_ids: Strings
    message_session: memoryview  # u32
    message_role: memoryview  # u8, index in ROLES
    message_time: memoryview  # i64, ms since 1970
    message_author: memoryview  # u32, index in names.values
    message_first_part: memoryview  # u32[messages + 1]
    message_asked: memoryview  # u32, the user message that this message answers, or its own number

    part_ids: Strings
    part_message: memoryview  # u32
    part_type: memoryview  # u32, index in names.values
    part_tool: memoryview  # u32, index in names.values
    part_flags: memoryview  # u16, union of the model.Flag of part, message and session
    part_start: memoryview  # u64[parts + 1], byte offset in text
    part_first_doc: memoryview  # u32[parts + 1]
    part_first_field: memoryview  # u32[parts + 1]
    field_start: memoryview  # u64[fields + 1], byte offset in text of each Field byte

    doc_start: memoryview  # u64[docs + 1], byte offset in text
    doc_part: memoryview  # u32
    doc_words: memoryview  # u16
    doc_class: memoryview  # u8, model.Kind, plus SUBAGENT_KIND

    session_talk: memoryview  # u8, model.Talk

    text: Text  # the fields of all parts, each a Field byte and UTF-8
    folded_part: memoryview  # u32, parts with non-ASCII text whose lower case differs from ASCII lowering
    folded_start: memoryview  # u64[len(folded_part) + 1]
    folded_text: bytes | memoryview  # the fields of the parts folded_part in lower case

    names: Names
    vocabulary: Vocabulary
    postings: Postings
    doc_columns: DocColumns

    @property
    def partial(self) -> bool:
        """Whether it lies in a store, from which what is read is fetched first."""
        return False

    @property
    def docs(self) -> int:
        """The number of documents (passages)."""
        return len(self.doc_part)

    @property
    def parts(self) -> int:
        """The number of parts, titles included."""
        return len(self.part_message)

    @property
    def messages(self) -> int:
        """The number of messages, titles included."""
        return len(self.message_session)

    @property
    def terms(self) -> int:
        """The number of terms in the vocabulary."""
        return len(self.vocabulary)

    @property
    def messages_without_titles(self) -> int:
        """The number of messages that are not titles of sessions."""
        return self.messages - len(self.sessions)

    @property
    def parts_without_titles(self) -> int:
        """The number of parts that are not titles of sessions."""
        return self.parts - len(self.sessions)

    def span_of(self, session: int) -> tuple[int, int]:
        """Return the range [first, last) of the messages of a session; number `first` holds only its title."""
        row = self.sessions[session]
        return row.first_message, row.last_message

    def content_parts(self) -> bytearray:
        """Return marks u8[parts], 1 for each part that is not the title of a session."""
        marks = bytearray(b"\1") * self.parts
        clear_first_parts(marks, self.message_role, TITLE_ROLE, self.message_first_part)
        return marks

    def check(self) -> None:
        """Do nothing, because a segment in memory cannot be damaged.

        A mapped segment overrides this: it raises DamagedIndexError when somebody cut its file or changed what was read
        of it.
        """

    def rows(self, column: str) -> Any:
        """Return a column of which single rows are read; a mapped segment whose file is in a store does not fetch all
        of it.
        """
        return getattr(self, column)

    def fetch_parts(self, parts: Iterable[int], *, sessions: bool = False) -> None:
        """Do nothing, because a segment in memory has them. A mapped segment whose file is in a store fetches what
        results tell of these parts, apart from their text, with few requests; with `sessions`, only the records of
        their sessions.
        """

    def load(self) -> None:
        """Do nothing, because a segment in memory is there completely.

        A mapped segment whose file is in a store overrides this: it fetches all columns, so that the buffers of its
        vocabulary and postings can be read as a whole. Raises DamagedIndexError, and OSError for a store that cannot
        be reached.
        """

    def verify(self) -> None:
        """Do nothing, because a segment in memory cannot be damaged. A mapped segment reads and checks every column."""

    def text_for(self, ranges: Iterable[tuple[int, int]]) -> Text:
        """Return the whole text, of which the caller may read only the byte ranges [start, end) of `ranges`.

        A mapped segment verifies these ranges and raises DamagedIndexError when they are damaged.
        """
        return self.text

    def text_between(self, starts: Offsets, ends: Offsets) -> bytes | bytearray | memoryview:
        """Return the whole text, of which the caller may read only bytes [starts[k], ends[k]). Faster than text_for().

        A mapped segment verifies these ranges and raises DamagedIndexError when they are damaged.
        """
        return self.text

    def fields_of(self, part: int) -> Iterator[tuple[int, int, Field]]:
        """Yield (start, end, field) for every field of a part; its UTF-8 is bytes [start, end) of the segment's
        text.
        """
        for number in range(self.part_first_field[part], self.part_first_field[part + 1]):
            start = self.field_start[number]
            yield start + 1, self.field_start[number + 1], _FIELDS[self.text_for(((start, start + 1),))[start]]
