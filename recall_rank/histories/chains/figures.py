"""Count what happened in a session: rounds, messages, summaries, tokens and cost, as far as its store records them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from recall_rank.model import Flag, Message, Session, Tokens

_NOT_TYPED: Final = Flag.SYNTHETIC | Flag.SUMMARY
_NO_PROMPT: Final = frozenset(("tool", "compaction", "reasoning"))  # types of parts that no prompt consists of


@dataclass(frozen=True, slots=True)
class SessionFigures:
    """Counts of one session. Those of its messages are None or empty when the messages were not read.

    Tokens and cost are the sums that the store records for the session, else the sums over its messages, else None.
    """

    rounds: int | None = None  # prompts: messages of the user, or of the caller of a subagent
    messages: int | None = None
    summaries: tuple[int, ...] = ()  # times of the summaries in it, of compactions and of branches that were left, ms
    subagent_messages: int = 0  # messages of subagents that have no session of their own
    tokens: Tokens | None = None
    tokens_summed: bool = False  # whether `tokens` is a sum over messages
    cost: float | None = None  # US dollars
    cost_summed: bool = False  # whether `cost` is a sum over messages


def recorded_figures(session: Session) -> SessionFigures:
    """Return the tokens and the cost that the store records for the whole session; counts of messages are unknown."""
    return SessionFigures(tokens=session.tokens, cost=session.cost)


def figures_of(session: Session) -> SessionFigures:
    """Return the figures of a session that is given with all of its messages."""
    subagent = bool(session.flags & Flag.SUBAGENT)
    tokens, cost = session.tokens, session.cost
    if tokens is None:
        tokens = _token_sum(session)
    if cost is None:
        costs = [message.cost for message in session.messages if message.cost is not None]
        cost = sum(costs) if costs else None
    return SessionFigures(
        sum(is_prompt(message) and (subagent or not message.flags & Flag.SUBAGENT) for message in session.messages),
        len(session.messages),
        _summary_times(session),
        0 if subagent else sum(bool(message.flags & Flag.SUBAGENT) for message in session.messages),
        tokens,
        session.tokens is None and tokens is not None,
        cost,
        session.cost is None and cost is not None,
    )


def is_prompt(message: Message) -> bool:
    """Return whether a message is a prompt: typed by the user, or given to a subagent by its caller.

    Text that the agent's program put in, summaries, and commands that the user ran beside the conversation are none.
    """
    if message.role != "user" or message.flags & _NOT_TYPED:
        return False
    return any(part.type not in _NO_PROMPT and not part.flags & _NOT_TYPED for part in message.parts)


def _summary_times(session: Session) -> tuple[int, ...]:
    """Return the times of the summaries in a session, 0 for an unknown time.

    A compaction can take two messages, its mark and its summary: summaries next to each other count as one, unless both
    hold text.
    """
    times: list[int] = []
    bare = False  # whether the message before this one is the mark of a compaction, without the summary's text
    for message in session.messages:
        marked = any(part.type == "compaction" for part in message.parts)
        if not marked and not message.flags & Flag.SUMMARY:
            bare = False
            continue
        if not bare:
            times.append(message.time)
        bare = not any(part.text for part in message.parts)
    return tuple(times)


def _token_sum(session: Session) -> Tokens | None:
    """Return the sums of the token counts of all messages; a count that no message has is None."""
    counted = [message.tokens for message in session.messages if message.tokens is not None]
    if not counted:
        return None

    def total(counts: list[int | None]) -> int | None:
        known = [count for count in counts if count is not None]
        return sum(known) if known else None

    return Tokens(
        total([tokens.input for tokens in counted]),
        total([tokens.output for tokens in counted]),
        total([tokens.cached for tokens in counted]),
        total([tokens.reasoning for tokens in counted]),
    )
