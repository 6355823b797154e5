"""rapidfuzz.process over every part: fuzzy matching without a prefilter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process, utils

from bench.datasets.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.engines import Hit
    from recall_rank.model import Session

CUTOFF = 50.0


class RapidfuzzProcess:
    name = "rapidfuzz"

    def build(self, sessions: Iterable[Session]) -> None:
        self.hits: list[Hit] = []
        self.texts: list[str] = []
        for document in documents(sessions):
            self.hits.append(document.hit)
            self.texts.append(utils.default_process(document.text))

    def search(self, query: str, k: int) -> list[Hit]:
        asked = utils.default_process(query)
        found = process.extract(asked, self.texts, scorer=fuzz.token_set_ratio, limit=k, score_cutoff=CUTOFF)
        return [self.hits[number] for _, _, number in found]
