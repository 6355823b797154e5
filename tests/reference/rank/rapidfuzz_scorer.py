"""Scores of rapidfuzz's public function, one call a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Scorer:
    """rapidfuzz's public function, once a text."""

    def __init__(self, function: Callable[[str, str], float], query: str) -> None:
        self.function, self.query = function, query

    def scores(self, texts: Sequence[str], out: Any, deadline_ns: int = 0) -> int:
        for k, text in enumerate(texts):
            out[k] = self.function(self.query, text)
        return len(texts)
