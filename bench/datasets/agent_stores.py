"""Writes stores of a given size in the formats of the agents, with generated conversations."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.datasets import generate
from recall_rank.model import Message, Part, Session

POOL = 40  # conversations that are repeated, each copy under another number
LONGEST = 12_000  # bytes of an output; most are far shorter, as in real histories
HOME = "/home/dev/project"
NUMBER = "999999999999"  # placeholder of a conversation's number
KEY = f"00000000-0000-4000-8000-{NUMBER}"
START = 1_780_000_000_000

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class WrittenStore:
    """A written store."""

    where: Path
    size: int  # bytes of its files; of a database the bytes of its rows' texts
    sessions: int
    parts: int


@dataclass(frozen=True, slots=True)
class StoreFormat:
    """The format of an agent's store: `file` and `render` for one file a session, `file`, `schema` and `rows` for a
    database.
    """

    kind: str  # lines, document, database, markdown
    file: str = ""
    render: Callable[[Session], bytes] | None = None
    schema: str = ""
    rows: Callable[[Session], Iterator[tuple[str, tuple[Any, ...]]]] | None = None
    title_parts: int = 0  # parts of a session besides those of its messages


def write(form: StoreFormat, folder: Path, size: int, seed: int = 1) -> WrittenStore:
    """Write a store of at least `size` bytes into the folder."""
    pool = conversations(seed)
    if form.rows is not None:
        return _database(form, pool, folder, size)
    assert form.render is not None
    rendered = [(form.render(session), parts_of(session)) for session in pool]
    written = number = parts = 0
    while written < size:
        data, count = rendered[number % POOL]
        key = f"{number:012}"
        path = folder / form.file.replace(NUMBER, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.replace(NUMBER.encode(), key.encode()))
        written, number, parts = written + len(data), number + 1, parts + count + form.title_parts
    return WrittenStore(folder, written, number, parts)


def _database(form: StoreFormat, pool: list[Session], folder: Path, size: int) -> WrittenStore:
    assert form.rows is not None
    path = folder / form.file
    path.parent.mkdir(parents=True)
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    database.executescript(form.schema)
    rendered = [(list(form.rows(session)), parts_of(session)) for session in pool]
    written = number = parts = 0
    while written < size:
        key = f"{number:012}"
        rows, count = rendered[number % POOL]
        for table, values in rows:
            row = tuple(value.replace(NUMBER, key) if type(value) is str else value for value in values)
            written += sum(len(value.encode()) for value in row if type(value) is str)
            database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        number, parts = number + 1, parts + count
    database.commit()
    database.close()
    return WrittenStore(path, written, number, parts)


def conversations(seed: int = 1) -> list[Session]:
    """Return the sessions that a store repeats, with outputs as long as those of real tools."""
    chance = random.Random(seed)
    made = list(generate.sessions(POOL * generate.PARTS_PER_SESSION, seed))
    texts = [part.output for session in made for m in session.messages for part in m.parts if part.output]

    def longer(part: Part) -> Part:
        if not part.output:
            return part
        wanted = min(LONGEST, int(chance.paretovariate(1.1) * 400))
        pieces = [part.output]
        while sum(map(len, pieces)) < wanted:
            pieces.append(chance.choice(texts))
        return replace(part, output="\n".join(pieces)[:LONGEST])

    found = []
    for session in made[:POOL]:
        messages = [
            replace(message, id=f"m{at:06}", time=START + 1000 * at, parts=[longer(part) for part in message.parts])
            for at, message in enumerate(session.messages)
        ]
        found.append(replace(session, id=KEY, messages=messages, directory=HOME))
    return found


def parts_of(session: Session) -> int:
    """Return the number of parts of a session."""
    return sum(len(message.parts) for message in session.messages)


def when(message: Message) -> str:
    """Return a message's time in ISO format."""
    seconds = message.time // 1000 - START // 1000
    return f"2026-05-28T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z"


def packed(records: Iterator[Record]) -> bytes:
    """Return the records as JSON lines."""
    return b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for record in records
    )


def result(part: Part) -> str:
    """Return a tool call's output, or its error."""
    return part.output or part.error or ""
