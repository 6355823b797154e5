"""Convert a session of a segment back to a Session, of which a build makes an equal segment."""

from __future__ import annotations

from typing import Any

from recall_rank.analysis.fields import Field
from recall_rank.index.segment.segment import ROLES, Segment
from recall_rank.model import Flag, Message, Part, Role, Session

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}


def stored_session(segment: Segment, number: int) -> Session:
    """A session of a segment with its messages.

    Searchable text is complete. The values of a tool's input have lost their names, and text that is not searchable
    (files, models, states) is lost.
    """
    row = segment.sessions[number]
    reader = _SegmentTextReader(segment, row.first_message + 1, row.last_message)
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
    )


class _SegmentTextReader:
    """Reads the messages [first, end) of a segment, whose text is verified once for all of them."""

    def __init__(self, segment: Segment, first: int, end: int) -> None:
        self.segment = segment
        self.first_part = segment.message_first_part
        self.first_field = segment.part_first_field
        self.field_start = segment.field_start
        self.names = segment.names.values
        parts = segment.part_start
        self.first = first, self.first_part[first]
        self.message_ids = segment.message_ids.between(first, end)
        self.part_ids = segment.part_ids.between(self.first_part[first], self.first_part[end])
        self.text = segment.text_for(((parts[self.first_part[first]], parts[self.first_part[end]]),))

    def message(self, at: int) -> Message:
        segment = self.segment
        return Message(
            id=self.message_ids[at - self.first[0]],
            role=_ROLES.get(ROLES[segment.message_role[at]], "system"),
            time=segment.message_time[at],
            parts=tuple(self.part(part) for part in range(self.first_part[at], self.first_part[at + 1])),
            author=self.names[segment.message_author[at]],
        )

    def part(self, at: int) -> Part:
        segment = self.segment
        given: dict[str, Any] = {}
        inputs: list[str] = []
        named: dict[str, str] = {}
        for number in range(self.first_field[at], self.first_field[at + 1]):
            start, end = self.field_start[number], self.field_start[number + 1]
            field = self.text[start]
            text = str(self.text[start + 1 : end], "utf-8", "replace")
            if field == Field.INPUT:
                inputs.append(text)
            elif field == Field.COMMAND:
                named["command"] = text
            elif field == Field.CWD:
                named["cwd"] = text
            else:
                given[_NAMES[field]] = text
        if named or inputs:
            given["input"] = {**named, "values": inputs} if named and inputs else named or inputs
        flags = segment.part_flags[at]
        return Part(
            id=self.part_ids[at - self.first[1]],
            type=self.names[segment.part_type[at]] or "",
            tool=self.names[segment.part_tool[at]],
            flags=Flag(flags) if flags else Flag.NONE,
            **given,
        )


_NAMES: dict[int, str] = {
    Field.TEXT: "text",
    Field.PROMPT: "prompt",
    Field.OUTPUT: "output",
    Field.ERROR: "error",
    Field.TOOL_TITLE: "title",
}
