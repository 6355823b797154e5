"""Scores, order and snippets of PraisonAI's own session search, for callers that need its numbers.

A message scores 2 when it contains the whole query and 1 for each word of the query that it contains, both as
substrings regardless of case; a session scores the sum over its messages. Two generations of the rule exist. "g1" is
that of the first release. "g3", of praisonaiagents 1.7, also searches archived messages, multiplies the scores of
automated sessions by 0.25, and returns one session of each lineage, that is of each chain of continued sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from recall_rank.loaders.content.values import mapping
from recall_rank.loaders.praisonai_records import StoredChat

Generation = Literal["g1", "g3"]
SNIPPET_CHARS: Final = 120
TITLE_CHARS: Final = 60
BOOKENDS: Final = 2  # messages at each end of a session
DEMOTION: Final = 0.25  # of automated sessions
MAX_RATE: Final = 60.0  # messages an hour; a session with more counts as automated
MIN_RATED: Final = 4  # messages from which on the rate counts
AUTOMATED_SOURCES: Final = frozenset({"scheduled", "automated", "cron", "system", "batch"})

NumberedMessage = dict[str, Any]
"""A message as in an answer: index, role, content, timestamp, and archived unless the generation is "g1"."""


@dataclass(frozen=True, slots=True)
class ScoredChat:
    """A session that matches a query: its score, its numbered messages, and the number of the one with the highest
    score, the anchor.
    """

    session_id: str
    chat: StoredChat
    score: float
    anchor: int
    messages: Sequence[NumberedMessage]

    @property
    def when(self) -> str:
        """The time of the last change as it is written in the file; empty when the file has none."""
        return str(self.chat.head.get("updated_at") or self.chat.head.get("created_at") or "")


def query_terms(query: str) -> tuple[str, list[str]]:
    """(needle, terms): the query in lower case without blanks around it, and its words, repeated ones included."""
    needle = query.strip().lower()
    return needle, needle.split()


def numbered(chat: StoredChat, generation: Generation) -> list[NumberedMessage]:
    """Return the messages that PraisonAI's search of a generation reads, with their numbers: without archived ones for
    "g1", archived ones first for "g3".
    """
    if generation == "g1":
        return [{"index": at, **_said(record)} for at, record in enumerate(chat.active)]
    archived = len(chat.archived)
    return [{"index": at, **_said(record), "archived": at < archived} for at, record in enumerate(chat.records)]


def _said(record: dict[str, Any]) -> dict[str, Any]:
    return {
        "role": record.get("role", ""),
        "content": record.get("content", ""),
        "timestamp": record.get("timestamp"),
    }


def scored(session_id: str, chat: StoredChat, query: str, generation: Generation) -> ScoredChat | None:
    """Return the session with its score and anchor; None when no message contains a word of the query."""
    needle, terms = query_terms(query)
    messages = numbered(chat, generation)
    best, anchor, total = 0.0, -1, 0.0
    for message in messages if needle else ():
        text = str(message["content"]).lower()  # null is searched as "None", a list of parts as its repr
        score = 2.0 * (needle in text) + sum(term in text for term in terms)
        total += score
        if score > best:
            best, anchor = score, message["index"]
    if anchor < 0:
        return None
    if generation != "g1" and is_automated(chat):
        total *= DEMOTION
    return ScoredChat(session_id, chat, total, anchor, messages)


def is_scheduled(chat: StoredChat) -> bool:
    """Return whether a session says that no person began it: by its source or its flag."""
    metadata = mapping(chat.head.get("metadata"))
    source = str(chat.head.get("source") or metadata.get("source") or "").lower()
    return source in AUTOMATED_SOURCES or metadata.get("automated") is True


def is_automated(chat: StoredChat) -> bool:
    """Return whether PraisonAI takes a session for that of a schedule: by its source, its flag or its rate of
    messages.
    """
    if is_scheduled(chat):
        return True
    stamps = [record.get("timestamp") for record in chat.records]
    try:
        times = [float(stamp) for stamp in stamps if stamp is not None]
    except (TypeError, ValueError):
        return False
    if len(stamps) < MIN_RATED or len(times) < MIN_RATED:
        return False
    hours = (max(times) - min(times)) / 3600.0
    return hours > 0 and len(times) / hours > MAX_RATE


def best_first(found: Iterable[ScoredChat], limit: int, generation: Generation) -> list[ScoredChat]:
    """Return the best sessions by score, the newer first among equal scores; equal in both, they keep their order.

    With "g1", `limit` cuts as a slice does, so that -1 leaves out the last. With "g3", a limit below 1 returns one
    session.
    """
    ordered = sorted(found, key=lambda each: (each.score, each.when), reverse=True)
    if generation == "g1":
        return ordered[:limit]
    kept: list[ScoredChat] = []
    lineages: set[str] = set()
    for each in ordered:
        lineage = each.chat.lineage
        if lineage is not None and lineage in lineages:
            continue
        lineages.update([] if lineage is None else [lineage])
        kept.append(each)
        if len(kept) >= limit:
            break
    return kept


def hit(found: ScoredChat, query: str, window: int, generation: Generation) -> dict[str, Any]:
    """Return the entry of an answer for a session: PraisonAI's fields in PraisonAI's order."""
    content = found.messages[found.anchor]["content"]
    entry = {
        "session_id": found.session_id,
        "title": title(found.session_id, found.chat, generation),
        "when": found.when or None,
        "snippet": head_snippet(content, query.strip()),
        "score": found.score,
        "anchor_index": found.anchor,
        "messages": around(found.messages, found.anchor, window),
    }
    ends = bookends(found.messages) if generation != "g1" else {}
    return {**entry, "bookends": ends} if ends else entry


def title(session_id: str, chat: StoredChat, generation: Generation) -> str:
    """Return the title of a session in a list of hits: its own (not in "g1"), its agent, its first prompt, or its
    id.
    """
    metadata = mapping(chat.head.get("metadata"))
    known = (metadata.get("title") if generation != "g1" else None) or chat.head.get("agent_name")
    if known:
        return str(known)
    prompts = (each.get("content") for each in chat.active if each.get("role") == "user")
    first = next((prompt for prompt in prompts if prompt), None)
    return session_id if first is None else " ".join(str(first).split())[:TITLE_CHARS]


def head_snippet(content: object, query: str) -> str:
    """Return about 120 characters around the query in `content`; the beginning of `content` when it does not contain
    the query as a whole. Case and blanks are not compared.
    """
    text = " ".join(str(content).split())
    at = text.lower().find(query.lower())
    if at < 0:
        return text[:SNIPPET_CHARS]
    start = max(0, at - SNIPPET_CHARS // 2)
    end = min(len(text), start + SNIPPET_CHARS)
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def around(messages: Sequence[NumberedMessage], anchor: int, window: int) -> list[NumberedMessage]:
    """Return the messages from `window` before the anchor to `window` behind it; none for a negative window."""
    return list(messages[max(0, anchor - window) : max(0, anchor + window + 1)])


def anchor_of(wanted: object, count: int) -> int:
    """Return the number of the message that a caller means by `wanted`: a number is limited to those of `count`
    messages, anything else means the last message.
    """
    try:
        number = int(str(wanted))
    except ValueError:
        number = count - 1
    return max(0, min(number, count - 1))


def bookends(messages: Sequence[NumberedMessage]) -> dict[str, list[NumberedMessage]]:
    """Return the first and the last messages of user and assistant; empty when there are none.

    The last ones are left out when there are no others than the first.
    """
    said = [message for message in messages if message["role"] in ("user", "assistant")]
    if not said:
        return {}
    return {"opening": said[:BOOKENDS], "closing": said[-BOOKENDS:] if len(said) > BOOKENDS else []}
