"""The text of a message that is put on the clipboard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recall_rank.model import Message, Part


def copied_text(message: Message, part_id: str | None) -> str:
    """Return the text of a part of a message; of a message without that part its prose, or all of it where it has no
    prose.
    """
    parts = [part for part in message.parts if part.id == part_id] or list(_said(message))
    return "\n\n".join(text for part in parts if (text := _text(part)))


def _said(message: Message) -> Iterator[Part]:
    """Yield the parts of a message that are prose; all of them when none is."""
    prose = [part for part in message.parts if part.type == "text"]
    yield from prose or message.parts


def _text(part: Part) -> str:
    """Return the text of a part; of a tool call its input, its output and its error."""
    from recall_rank.analysis.fields import Field, searchable_fields

    if part.type != "tool":
        return part.text or ""
    ours = (Field.INPUT, Field.OUTPUT, Field.ERROR)
    return "\n\n".join(text for field, text in searchable_fields(part) if field in ours)
