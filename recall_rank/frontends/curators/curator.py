"""The protocol of a curator, the turns it is given, and the errors it raises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

CURATION_SECONDS: Final = 45.0  # below the minute after which MCP clients give a call up


class CuratorError(Exception):
    """A curator gave no usable answer. The message is one line for a person."""


class NoCuratorError(CuratorError):
    """No curator can be had: none is configured, none is installed, or the one that was named is unknown."""


class CuratorTimeoutError(CuratorError):
    """A curator did not answer within its time limit."""


class CuratorCancelledError(CuratorError):
    """The caller cancelled the call while a curator was working."""


@dataclass(frozen=True, slots=True)
class RecalledTurn:
    """One turn that a search found, with the turns before and after it. All texts are redacted.

    `before`, `matched` and `after` are text with lines that begin with "User:" or "Assistant:"; `before` and `after`
    are "" at the ends of a session. `date` is the day or minute of the turn as text.
    """

    project: str
    date: str
    topic: str
    before: str
    matched: str
    after: str
    session_id: str
    message_id: str


@dataclass(frozen=True, slots=True)
class CurationTask:
    """The input of a curator: a query, a description of what the caller is looking for, and the turns found.

    `results` are in rank order, the best one first.
    """

    query: str
    looking_for: str
    results: tuple[RecalledTurn, ...]


class Curator(Protocol):
    """Selects from recalled turns the text that answers what the caller is looking for.

    Call one through `curated_answer`, which bounds and checks what it returns.
    """

    @property
    def name(self) -> str:
        """The name that an answer shows, such as "llm claude-haiku-4-5" or "extractive"."""
        ...

    def curate(self, task: CurationTask, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        """Return the curated text, at most `seconds` after the call.

        `cancelled` is asked several times a second and may be called from other threads. Raises CuratorError when
        there is no usable answer, its subclasses when time has run out or the call was cancelled.
        """
        ...


def never() -> bool:
    """Return False: the `cancelled` of a call that nobody cancels."""
    return False
