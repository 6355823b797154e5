"""Parse the token counts and costs that aider prints after an answer, as rounded numbers in text."""

from __future__ import annotations

import re

from recall_rank.loaders.content.usage import dollars, tokens_of
from recall_rank.model import Tokens

_COUNT = r"(\d[\d.,]*[kM]?)"
_TOKENS = re.compile(rf"Tokens: {_COUNT} sent(?:, {_COUNT} cache write)?(?:, {_COUNT} cache hit)?, {_COUNT} received")
_COST = re.compile(r"Cost: \$(\d[\d.]*) message")
_UNITS = {"k": 1_000, "M": 1_000_000}


def used(said: str) -> tuple[Tokens | None, float | None]:
    """Return (tokens, cost in US dollars) as the lines `said`, which aider printed, state them; either is None when it
    is absent.
    """
    counts, cost = _TOKENS.search(said), _COST.search(said)
    sent, _, cached, received = map(_number, counts.groups()) if counts else (None,) * 4
    return tokens_of(sent, received, cached), dollars(_number(cost[1].rstrip("."))) if cost else None


def _number(text: str | None) -> float | None:
    if not text:
        return None
    try:
        return float(text.rstrip("kM").replace(",", "")) * _UNITS.get(text[-1], 1)
    except ValueError:
        return None
