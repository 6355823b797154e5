"""Find what coding agents did before: a library that searches and ranks their own local histories."""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers take it; importing typing is most of the time before Ctrl-C is heard

__version__ = "0.1.0"

if TYPE_CHECKING:
    from typing import Any

    from recall_rank.analysis.user_vocabulary import UserVocabulary
    from recall_rank.corpus import Index, rank
    from recall_rank.evaluation.evaluate import evaluate
    from recall_rank.evaluation.labelled_queries import LabelledQuery
    from recall_rank.evaluation.report import Evaluation
    from recall_rank.index.reader.places import Place
    from recall_rank.loaders import discover, open_source, open_sources
    from recall_rank.model import (
        Context,
        Coverage,
        Flag,
        Malformed,
        Message,
        Part,
        Reading,
        RefreshReport,
        Result,
        SearchResponse,
        Session,
        Source,
        SourceReport,
        Tokens,
        Unit,
    )
    from recall_rank.recall import Recall
    from recall_rank.reranking import Reranked, rerank
    from recall_rank.search.options import Options
    from recall_rank.semantic.adapters.choose import open_embedder
    from recall_rank.semantic.embedder import Embedder, FunctionEmbedder
    from recall_rank.semantic.vector_index import EmbedReport
    from recall_rank.shards.shards import Shards

_MODEL = (
    *("Context", "Coverage", "Flag", "Malformed", "Message", "Part", "Reading", "RefreshReport", "Result"),
    *("SearchResponse", "Session", "Source", "SourceReport", "Tokens", "Unit"),
)
_HOMES = {
    **dict.fromkeys(_MODEL, "recall_rank.model"),
    **dict.fromkeys(("Index", "rank"), "recall_rank.corpus"),
    **dict.fromkeys(("Reranked", "rerank"), "recall_rank.reranking"),
    **dict.fromkeys(("discover", "open_source", "open_sources"), "recall_rank.loaders"),
    "EmbedReport": "recall_rank.semantic.vector_index",
    **dict.fromkeys(("Embedder", "FunctionEmbedder"), "recall_rank.semantic.embedder"),
    "Evaluation": "recall_rank.evaluation.report",
    "LabelledQuery": "recall_rank.evaluation.labelled_queries",
    "Options": "recall_rank.search.options",
    "Place": "recall_rank.index.reader.places",
    "Recall": "recall_rank.recall",
    "Shards": "recall_rank.shards.shards",
    "UserVocabulary": "recall_rank.analysis.user_vocabulary",
    "evaluate": "recall_rank.evaluation.evaluate",
    "open_embedder": "recall_rank.semantic.adapters.choose",
}

__all__ = [
    "Context",
    "Coverage",
    "EmbedReport",
    "Embedder",
    "Evaluation",
    "Flag",
    "FunctionEmbedder",
    "Index",
    "LabelledQuery",
    "Malformed",
    "Message",
    "Options",
    "Part",
    "Place",
    "Reading",
    "Recall",
    "RefreshReport",
    "Reranked",
    "Result",
    "SearchResponse",
    "Session",
    "Shards",
    "Source",
    "SourceReport",
    "Tokens",
    "Unit",
    "UserVocabulary",
    "discover",
    "evaluate",
    "open_embedder",
    "open_source",
    "open_sources",
    "rank",
    "rerank",
]


def __getattr__(name: str) -> Any:
    """Return the object with a public name of the package; it is imported on first use (PEP 562), so that `import
    recall_rank` loads no engine. Raises AttributeError for any other name.
    """
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'recall_rank' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
