"""The facts of a part."""

from __future__ import annotations

from typing import Any


class Facts:
    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns

    def of(self, part: int, doc: int) -> tuple[Any, ...]:
        columns = self.columns
        message = columns["part_message"][part]
        role, author, time = self.said(message)
        first, last = columns["part_first_field"][part : part + 2]
        return (
            *(message, columns["message_session"][message], role, author, time),
            *(columns[name][part] for name in ("part_type", "part_tool", "part_flags")),
            columns["field_start"][first : last + 1],
            *columns["doc_start"][doc : doc + 2],
        )

    def said(self, message: int) -> tuple[int, int, int]:
        role, author, time = (self.columns[f"message_{name}"][message] for name in ("role", "author", "time"))
        return role, author, time
