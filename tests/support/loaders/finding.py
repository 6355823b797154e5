"""Helpers for tests of one agent's loader."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from recall_rank.loaders import open_source, read_all
from recall_rank.model import Message, Part, Session, Source, SourceReport


def load(where: Path) -> tuple[dict[str, Session], SourceReport]:
    """Return every session of the store at a path, by id."""
    sessions, (report,) = read_all([open_source(where)])
    return {session.id: session for session in sessions}, report


def parts_of(session: Session) -> list[Part]:
    return [part for message in session.messages for part in message.parts]


def said(session: Session, words: str) -> tuple[Message, Part]:
    """Return the one place in the session with the given words."""
    ((message, part),) = places(session, words)
    return message, part


def places(session: Session, words: str) -> list[tuple[Message, Part]]:
    return [
        (message, part)
        for message in session.messages
        for part in message.parts
        if any(words in (field or "") for field in (part.text, part.output, part.error, part.title))
    ]


def damaged(data: bytes, seed: int) -> bytes:
    """Return the data with some bytes changed, removed, doubled or inserted."""
    rng = random.Random(seed)
    broken = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(broken) + 1)
        what = rng.random()
        if what < 0.4:
            broken[at : at + 1] = bytes([rng.choice((0, 10, 34, 44, 91, 93, 123, 125, 92, 237, 255))])
        elif what < 0.7:
            del broken[at : at + rng.randint(1, 200)]
        else:
            broken[at:at] = broken[at : at + rng.randint(1, 200)]
    return bytes(broken)


def views(source: Source, path: Path, rows: bytes) -> Iterator[tuple[bytes, dict[str, Message]]]:
    """Yield the states of a file that grows by half lines, each with the state of a reader that resumes from its
    last reading.
    """
    since: bytes | None = None
    known: dict[str, Message] = {}
    ends = [at for at, byte in enumerate(rows, 1) if byte == 10]
    starts = [0, *ends]
    for end in sorted({*ends, *((start + end) // 2 for start, end in zip(starts, ends, strict=False))}):
        data = rows[:end]
        path.write_bytes(data)
        (unit,) = source.units()
        reading = source.read(unit, since)
        if not reading.appended:
            known = {}
        for session in reading.sessions:
            known.update((message.id, message) for message in session.messages)
        since = reading.resume
        yield data, dict(known)
