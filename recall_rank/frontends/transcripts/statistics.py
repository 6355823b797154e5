"""Count what a session holds: messages, tool calls, failures, tokens, cost, and the files that its tools touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from recall_rank.frontends.transcripts.exchanges import Exchange, of_subagent
from recall_rank.frontends.transcripts.reminders import said_in, typed_by_user, without_reminders
from recall_rank.frontends.transcripts.tool_lines import tool_call
from recall_rank.model import Flag, Message, Part, Session, Tokens

BYTES_PER_TOKEN: Final = 3  # an estimate for prose and code in English
_COUNTS: Final = ("input", "output", "cached", "reasoning")


@dataclass(frozen=True, slots=True)
class FileTouches:
    """The numbers of tool calls that read, edited, wrote and deleted one file; calls that failed do not count."""

    path: str
    read: int = 0
    edited: int = 0
    written: int = 0
    deleted: int = 0

    @property
    def changes(self) -> int:
        """The number of calls that changed the file."""
        return self.edited + self.written + self.deleted


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over all messages of a session. Times are in epoch milliseconds, 0 when unknown."""

    exchanges: int
    user_messages: int  # in which the user typed something
    assistant_messages: int
    tool_calls: int
    failed_calls: int
    subagent_messages: int  # of subagents whose messages stand among those of their caller
    reasoning: int  # parts, which a transcript leaves out
    reminders: int  # spans that were removed
    compactions: int
    errors: int  # messages that report an error, such as a failed request
    started: int
    ended: int
    tokens: Tokens | None  # as recorded: of the session, else the sums over its messages
    cost: float | None  # US dollars, as recorded


def estimated_tokens(text: str) -> int:
    """Return about how many tokens of a model a text has: its bytes of UTF-8 / 3, rounded down."""
    return len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN


def statistics_of(session: Session, exchanges: Sequence[Exchange]) -> Statistics:
    """Return the counts of a session, whose exchanges are given."""
    messages = session.messages
    parts = [part for message in messages for part in message.parts]
    calls = [tool_call(part) for part in parts if is_call(part)]
    times = [message.time for message in messages if message.time > 0]
    main = [message for message in messages if not of_subagent(message, session)]
    return Statistics(
        exchanges=len(exchanges),
        user_messages=sum(1 for message in main if typed_by_user(message)),
        assistant_messages=sum(1 for message in main if message.role == "assistant"),
        tool_calls=len(calls),
        failed_calls=sum(1 for call in calls if call.failed),
        subagent_messages=len(messages) - len(main),
        reasoning=sum(1 for part in parts if part.type == "reasoning"),
        reminders=sum(map(_reminders, messages)),
        compactions=sum(1 for part in parts if part.type == "compaction"),
        errors=sum(1 for message in messages if Flag.ERROR in message.flags),
        started=min(times, default=max(session.created, 0)),
        ended=max(times, default=max(session.updated, 0)),
        tokens=session.tokens or _sum_of_tokens(messages),
        cost=session.cost if session.cost is not None else _sum(message.cost for message in messages),
    )


def files_of(session: Session, named: Callable[[str], str] = str) -> tuple[FileTouches, ...]:
    """Return the files that tool calls of a session touched: those changed most often first, then by path.

    `named` gives the name under which a path is counted, such as one with "~".
    """
    counts: dict[str, dict[str, int]] = {}
    for path, action in _touches(session):
        of_path = counts.setdefault(named(path), {})
        of_path[action] = of_path.get(action, 0) + 1
    found = [
        FileTouches(path, of.get("read", 0), of.get("edit", 0), of.get("write", 0), of.get("delete", 0))
        for path, of in counts.items()
    ]
    return tuple(sorted(found, key=lambda touches: (-touches.changes, -touches.read, touches.path)))


def is_call(part: Part) -> bool:
    """Return whether a part is a tool call, or the output of one whose call is not recorded."""
    return part.type == "tool" or part.tool is not None


def _touches(session: Session) -> Iterator[tuple[str, str]]:
    """Yield (path, action) for each file that a tool call or a patch touched."""
    for message in session.messages:
        for part in message.parts:
            if part.type == "patch":
                yield from ((path, "edit") for path in part.files)
            elif is_call(part):
                call = tool_call(part)
                if call.action in ("read", "edit", "write", "delete") and not call.failed:
                    yield from ((path, call.action) for path in dict.fromkeys(call.files) if path)


def _reminders(message: Message) -> int:
    """Return the number of reminders that a transcript removes from a message."""
    found = 0
    for part in message.parts:
        if part.type == "text" and message.role == "user":
            found += said_in(part, part.flags | message.flags).reminders
        else:
            found += sum(without_reminders(text)[1] for text in (part.output, part.error) if text)
    return found


def _sum_of_tokens(messages: Iterable[Message]) -> Tokens | None:
    known = [message.tokens for message in messages if message.tokens is not None]
    if not known:
        return None
    sums = {name: _sum(getattr(tokens, name) for tokens in known) for name in _COUNTS}
    return Tokens(**{name: None if value is None else int(value) for name, value in sums.items()})


def _sum(values: Iterable[float | None]) -> float | None:
    """Return the sum of the known values, None when none is known."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
