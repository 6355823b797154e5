"""Short ways to write a small history, and to read every result of an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from recall_rank.corpus import Index
from recall_rank.model import Message, Part, Result, SearchResponse, Session

NOW = 1_780_000_000_000  # 2026-05-28 20:26:40 UTC
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
ENOUGH_MS = 600_000.0  # a budget that no test spends


def part(key: str, text: str | None = None, kind: str = "text", **fields: Any) -> Part:
    """Return a part; with `tool` it is a tool's."""
    return Part(key, "tool" if "tool" in fields else kind, text=text, **fields)


def message(key: str, *parts: Part | str, role: str = "user", time: int = NOW, **fields: Any) -> Message:
    """Return a message; strings become its text parts, numbered from 1."""
    made = tuple(part(f"{key}.{n}", p) if isinstance(p, str) else p for n, p in enumerate(parts, 1))
    return Message(key, role, time, made, **fields)  # type: ignore[arg-type]


def session(key: str, *messages: Message | str, **fields: Any) -> Session:
    """Return a session; strings become messages of a user, a minute apart, the last of them at NOW."""
    first = NOW - 60_000 * (len(messages) - 1)
    made = tuple(
        message(f"{key}.{n}", m, time=first + 60_000 * n) if isinstance(m, str) else m for n, m in enumerate(messages)
    )
    return Session(key, made, **fields)


def texts(*contents: str) -> Index:
    """Return an index of one session "s" whose messages s.0, s.1, ... have the given texts."""
    return Index.build([session("s", *contents)])


def ask(index: Index, query: str, **options: Any) -> SearchResponse:
    """Search at the fixed moment NOW without a limit of time."""
    return index.search(query, **{"now": NOW, "budget_ms": ENOUGH_MS, **options})


def paged(index: Index, query: str, results: int = 50, **options: Any) -> list[Result]:
    """Return every hit, page after page."""
    return [result for response in pages(index, query, results, **options) for result in response.results]


def pages(index: Index, query: str, results: int, **options: Any) -> Iterator[SearchResponse]:
    """Yield every page up to the last one."""
    offset = 0
    while True:
        response = ask(index, query, results=results, offset=offset, **options)
        yield response
        offset += results
        if not response.truncated:
            return


def parts(results: Sequence[Result] | SearchResponse) -> list[str]:
    """Return the part ids in their order."""
    return [result.part_id for result in (results.results if isinstance(results, SearchResponse) else results)]


def found(index: Index, query: str, **options: Any) -> set[str]:
    """Return the ids of all hit parts."""
    return set(parts(paged(index, query, **options)))


def marked(result: Result) -> list[str]:
    """Return the texts that the spans of a snippet cover."""
    return [result.snippet[span.start : span.end] for span in result.spans]
