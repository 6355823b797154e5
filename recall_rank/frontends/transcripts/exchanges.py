"""Divide a session into exchanges: what a user typed, and everything that followed until the user typed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recall_rank.frontends.transcripts.reminders import typed_by_user
from recall_rank.model import Flag, Message, Session


@dataclass(frozen=True, slots=True)
class Exchange:
    """Consecutive messages of a session: one in which the user typed something, and those that follow it.

    The first exchange of a session may begin without such a message. Every message of a session lies in exactly one
    exchange.
    """

    number: int  # from 1
    messages: tuple[Message, ...]

    @property
    def time(self) -> int:
        """The time of the first message whose time is known, in epoch milliseconds, else 0."""
        return next((message.time for message in self.messages if message.time > 0), 0)


def exchanges_of(session: Session) -> tuple[Exchange, ...]:
    """Return the exchanges of a session, in order; empty for a session without messages.

    A boundary is a message with typed words, never a text that looks like a heading. The prompt of a subagent whose
    messages stand among those of its caller begins no exchange.
    """
    runs: list[list[Message]] = []
    for message in session.messages:
        if not runs or (not of_subagent(message, session) and typed_by_user(message)):
            runs.append([])
        runs[-1].append(message)
    return tuple(Exchange(number, tuple(run)) for number, run in enumerate(runs, 1))


def of_subagent(message: Message, session: Session) -> bool:
    """Return whether a message belongs to a subagent whose messages stand among those of its caller."""
    return Flag.SUBAGENT in message.flags and Flag.SUBAGENT not in session.flags


def started_in(exchanges: Sequence[Exchange], time: int) -> int | None:
    """Return the number of the exchange that was going on at a time, the last one that began before it.

    None when the time is unknown, that is 0, and when no exchange with a known time began before it.
    """
    begun = [each.number for each in exchanges if 0 < each.time <= time]
    return begun[-1] if begun else None
