"""The documents that every engine indexes: one for each part, with the text of the fields that recall_rank
searches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bench.engines import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recall_rank.model import Part, Session


class Document(NamedTuple):
    """The document of a part, or of a session's title (then message and part ids are empty)."""

    hit: Hit
    text: str
    time: int


def documents(sessions: Iterable[Session]) -> Iterator[Document]:
    """Yield the documents of all parts with text and of all titles, in order."""
    for session in sessions:
        if session.title:
            yield Document(Hit(session.id, "", ""), session.title, session.updated)
        for message in session.messages:
            for part in message.parts:
                if text := part_text(part):
                    yield Document(Hit(session.id, message.id, part.id), text, message.time)


def part_text(part: Part) -> str:
    """Return a part's searchable text: its fields, each on lines of its own."""
    fields = (part.text, part.prompt, part.title, part.tool, *values(part.input), part.output, part.error)
    return "\n".join(field for field in fields if field)


def values(value: Any) -> Iterator[str]:
    """Yield the strings inside a JSON value, without the keys of objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from values(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from values(one)
