"""What every engine is given to index: one document a part, with exactly the fields recall_rank searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bench.engines import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recall_rank.model import Part, Session


class Document(NamedTuple):
    """One part, or a session's title (its message and part ids are empty)."""

    hit: Hit
    text: str
    time: int


def documents(sessions: Iterable[Session]) -> Iterator[Document]:
    """Every part with something to search, and every title, in order."""
    for session in sessions:
        if session.title:
            yield Document(Hit(session.id, "", ""), session.title, session.updated)
        for message in session.messages:
            for part in message.parts:
                if text := part_text(part):
                    yield Document(Hit(session.id, message.id, part.id), text, message.time)


def part_text(part: Part) -> str:
    """A part's searchable text: its fields, one after the other on lines of their own."""
    fields = (part.text, part.prompt, part.title, part.tool, *values(part.input), part.output, part.error)
    return "\n".join(field for field in fields if field)


def values(value: Any) -> Iterator[str]:
    """The strings inside a JSON value, never its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from values(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from values(one)
