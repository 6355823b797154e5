"""usage: how much of a model's window a conversation fills, as figures and as one line for a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal

from recall_rank.frontends.compression.conversation import Count, Given, conversation_of
from recall_rank.frontends.transcripts.statistics import estimated_tokens

WARN: Final = 0.70  # of the window
ACT: Final = 0.85
_MOST_SHOWN: Final = 10  # windows; a larger share says nothing as a figure
State = Literal["fits", "warn", "compress"]


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a model, in US dollars for a million tokens of input and of output."""

    input: float
    output: float = 0.0

    def __post_init__(self) -> None:
        """Raise ValueError for prices that are no numbers from 0 on."""
        if not all(isfinite(each) and each >= 0 for each in (self.input, self.output)):
            raise ValueError(f"prices are dollars for a million tokens, 0 or more, not {self.input}, {self.output}")

    def dollars(self, sent: int, received: int = 0) -> float:
        """Return what so many tokens of input and of output cost."""
        return (sent * self.input + received * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a model's window that a conversation fills, an estimate; `dollars` is what sending it once costs.

    From `warn` of the window on a person is told, from `act` on the conversation is compressed.
    """

    tokens: int
    window: int
    dollars: float | None = None
    warn: float = WARN
    act: float = ACT

    @property
    def share(self) -> float:
        """The share of the window that is filled, above 1 when the conversation does not fit."""
        return self.tokens / self.window

    @property
    def per_cent(self) -> str:
        """The share for a person, rounded down: "71 %", and "over 1,000 %" for what exceeds ten windows."""
        return f"{int(self.share * 100)} %" if self.share <= _MOST_SHOWN else "over 1,000 %"

    @property
    def state(self) -> State:
        """The state: "fits", "warn" from `warn` of the window on, "compress" from `act` on."""
        return "compress" if self.share >= self.act else "warn" if self.share >= self.warn else "fits"

    @property
    def line(self) -> str:
        """The figures for a person: "71 % of 200,000 tokens, about 142,000; compress at 85 %"."""
        cost = "" if self.dollars is None else f" (${self.dollars:.4f} to send)"
        advice = "compress now" if self.state == "compress" else f"compress at {self.act:.0%}".replace("%", " %")
        return f"{self.per_cent} of {self.window:,} tokens, about {self.tokens:,}{cost}; {advice}"


def usage(
    messages: Sequence[Given], window: int, *, count: Count = estimated_tokens, prices: Prices | None = None
) -> Usage:
    """Return how much of a model's window of `window` tokens a conversation fills.

    `count` estimates the tokens of a text; definitions of tools, which are sent besides, are not counted. Raises
    ValueError for a window that is no positive number of tokens, TypeError and ValueError for what is no message.
    """
    return usage_of(conversation_of(messages, count).tokens(), window, prices)


def usage_of(tokens: int, window: int, prices: Prices | None = None) -> Usage:
    """Return the usage for a number of tokens. Raises ValueError for a window that is no positive number."""
    if isinstance(window, bool) or window < 1:
        raise ValueError(f"window is the number of tokens that the model takes, 1 or more, not {window!r}")
    return Usage(tokens, window, None if prices is None else prices.dollars(tokens))
