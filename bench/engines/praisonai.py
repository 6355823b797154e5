"""PraisonAI's rule of session search, applied to parts: 2 for the whole query plus 1 for each of its words in the
text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.datasets.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.engines import Hit
    from recall_rank.model import Session


class PraisonAI:
    name = "praisonai"

    def build(self, sessions: Iterable[Session]) -> None:
        found = sorted(documents(sessions), key=lambda one: -one.time)  # equal scores: newer first, as the rule says
        self.hits = [one.hit for one in found]
        self.texts = [one.text.lower() for one in found]

    def search(self, query: str, k: int) -> list[Hit]:
        needle = query.strip().lower()
        terms = needle.split()
        scored = [
            (score, -place)
            for place, text in enumerate(self.texts)
            if (score := 2 * (needle in text) + sum(term in text for term in terms))
        ]
        scored.sort(reverse=True)
        return [self.hits[-place] for _, place in scored[:k]] if needle else []
