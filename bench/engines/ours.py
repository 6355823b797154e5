"""recall_rank itself, in memory, in its default configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.engines import Hit
from recall_rank import Index

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recall_rank.model import Group, Match, SearchResponse, Session
    from recall_rank.weights import Weights

UNHURRIED_MS = 60_000.0  # quality is measured without a deadline


class Ours:
    name = "ours"

    def __init__(self, match: Match = "smart", weights: Weights | None = None) -> None:
        self.match: Match = match
        self.weights = weights
        self.index: Index | None = None

    def build(self, sessions: Iterable[Session]) -> None:
        self.index = Index.build(sessions)

    def reweighed(self, weights: Weights) -> Ours:
        other = Ours(self.match, weights)
        other.index = self.index
        return other

    def search(self, query: str, k: int) -> list[Hit]:
        return self.search_mode(query, k, self.match)

    def page(self, query: str, k: int) -> list[Hit]:
        """Return at most k hits. A search makes their snippets anyway."""
        return self.search(query, k)

    def search_mode(self, query: str, k: int, match: Match, before: int | None = None) -> list[Hit]:
        response = self._ask(query, k, match, before, "part")
        return [Hit(one.session_id, one.message_id, one.part_id) for one in response.results]

    def search_sessions(self, query: str, k: int, match: Match, before: int | None = None) -> Sequence[str]:
        response = self._ask(query, k, match, before, "session")
        return list(dict.fromkeys(one.session_id for one in response.results))

    def confidence(self, query: str, k: int, match: Match) -> str:
        results = self._ask(query, k, match, None, "part").results
        return results[0].why.confidence if results else "none"

    def _ask(self, query: str, k: int, match: Match, before: int | None, group: Group) -> SearchResponse:
        assert self.index is not None, "build first"
        return self.index.search(
            query,
            match=match,
            results=k,
            scope="global",
            group=group,
            before=before,
            budget_ms=UNHURRIED_MS,
            weights=self.weights,
        )
