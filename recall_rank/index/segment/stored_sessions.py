"""Make sessions of what a segment stores. Building an index of them gives equal columns, terms and postings."""

from __future__ import annotations

from typing import Any

from recall_rank.analysis.fields import Field
from recall_rank.index.segment.segment import ROLES, Segment
from recall_rank.model import Flag, Message, Part, Role, Session

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}


def stored_session(segment: Segment, number: int) -> Session:
    """Return session `number` of a segment, with its messages.

    Searchable text is complete. The values of a tool input have lost their parameter names, and fields that are not
    searched (files, models, states) are missing. Raises DamagedIndexError when the segment is mapped from a damaged
    file.
    """
    segment.check()
    row = segment.sessions[number]
    reader = _StoredMessages(segment, row.first_message + 1, row.last_message)
    return Session(
        id=row.id,
        messages=tuple(reader.message(at) for at in range(row.first_message + 1, row.last_message)),
        title=row.title or None,
        directory=row.directory or None,
        project=row.project,
        worktree=row.worktree,
        created=row.created,
        updated=row.updated,
        parent=row.parent,
        source=row.source or None,
        agent=row.agent,
        flags=Flag(row.flags),
        repository=row.repository,
        host=row.host,
        user=row.user,
    )


class _StoredMessages:
    """The messages [first, end) of a segment; their text and ids are verified once, when this is created."""

    def __init__(self, segment: Segment, first: int, end: int) -> None:
        self.segment = segment
        self.first_part = segment.message_first_part
        self.first_field = segment.part_first_field
        self.field_start = segment.field_start
        self.names = segment.names.values
        parts = segment.part_start
        self.first_message = first
        self.first_read_part = self.first_part[first]
        self.message_ids = segment.message_ids.decode_range(first, end)
        self.part_ids = segment.part_ids.decode_range(self.first_part[first], self.first_part[end])
        self.text = segment.text_for(((parts[self.first_part[first]], parts[self.first_part[end]]),))

    def message(self, at: int) -> Message:
        """Return message number `at` of the segment, with its parts."""
        segment = self.segment
        return Message(
            id=self.message_ids[at - self.first_message],
            role=_ROLES.get(ROLES[segment.message_role[at]], "system"),
            time=segment.message_time[at],
            parts=tuple(self.part(part) for part in range(self.first_part[at], self.first_part[at + 1])),
            author=self.names[segment.message_author[at]],
        )

    def part(self, at: int) -> Part:
        """Return part number `at` of the segment as a Part."""
        segment = self.segment
        fields: dict[str, Any] = {}
        input_values: list[str] = []
        named: dict[str, str] = {}
        for number in range(self.first_field[at], self.first_field[at + 1]):
            start, end = self.field_start[number], self.field_start[number + 1]
            field = self.text[start]
            text = str(self.text[start + 1 : end], "utf-8", "replace")
            if field == Field.INPUT:
                input_values.append(text)
            elif field == Field.COMMAND:
                named["command"] = text
            elif field == Field.CWD:
                named["cwd"] = text
            else:
                fields[_NAMES[field]] = text
        if named or input_values:
            both = named and input_values
            fields["input"] = {**named, "values": input_values} if both else named or input_values
        flags = segment.part_flags[at]
        return Part(
            id=self.part_ids[at - self.first_read_part],
            type=self.names[segment.part_type[at]] or "",
            tool=self.names[segment.part_tool[at]],
            flags=Flag(flags) if flags else Flag.NONE,
            **fields,
        )


_NAMES: dict[int, str] = {
    Field.TEXT: "text",
    Field.PROMPT: "prompt",
    Field.OUTPUT: "output",
    Field.ERROR: "error",
    Field.TOOL_TITLE: "title",
}
