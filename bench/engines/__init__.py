"""Search engines under one protocol. A name is one of BUILT_IN or `module:Class`."""

from __future__ import annotations

import importlib
import time
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from recall_rank.model import Match, Session
    from recall_rank.weights import Weights

BUILT_IN = {
    "ours": "bench.engines.ours:Ours",
    "fts5": "bench.engines.fts5:Fts5",
    "fts5-porter": "bench.engines.fts5:Fts5Porter",
    "fts5-trigram": "bench.engines.fts5:Fts5Trigram",
    "tantivy": "bench.engines.tantivy_index:Tantivy",
    "tantivy-stem": "bench.engines.tantivy_index:TantivyStem",
    "tantivy-fuzzy1": "bench.engines.tantivy_index:TantivyFuzzy1",
    "bm25s": "bench.engines.bm25s_index:Bm25s",
    "rapidfuzz": "bench.engines.rapidfuzz_process:RapidfuzzProcess",
    "xapian": "bench.engines.xapian_index:Xapian",
    "xapian-spelling": "bench.engines.xapian_index:XapianSpelling",
    "lancedb": "bench.engines.lancedb_index:LanceDb",
    "substring": "bench.engines.substring:Substring",
    "praisonai": "bench.engines.praisonai:PraisonAI",
    "meaning": "bench.engines.meaning:Meaning",
}


class Hit(NamedTuple):
    """One ranked part by its ids; a title hit has empty message and part ids."""

    session: str
    message: str
    part: str


class Engine(Protocol):
    """An engine that ranks parts. `build` is called once; `search` returns at most k hits, best first."""

    name: str

    def build(self, sessions: Iterable[Session]) -> None: ...

    def search(self, query: str, k: int) -> Sequence[Hit]: ...


@runtime_checkable
class HasModes(Protocol):
    """An engine with match modes and a ranking of sessions of its own, of messages earlier than `before`."""

    def search_mode(self, query: str, k: int, match: Match, before: int | None = None) -> Sequence[Hit]: ...

    def search_sessions(self, query: str, k: int, match: Match, before: int | None = None) -> Sequence[str]: ...


@runtime_checkable
class HasConfidence(Protocol):
    """An engine that says how sure it is of its first result: "high", "medium" or "low", "none" without results."""

    def confidence(self, query: str, k: int, match: Match) -> str: ...


@runtime_checkable
class HasPages(Protocol):
    """An engine that makes a snippet for each hit: `page` returns at most k hits with snippets."""

    def page(self, query: str, k: int) -> Sequence[object]: ...


@runtime_checkable
class HasWeights(Protocol):
    """An engine that ranks by recall_rank.weights.Weights."""

    def reweighed(self, weights: Weights) -> Engine:
        """An engine over this one's index that ranks by other weights; this one does not change."""


@runtime_checkable
class HasThreads(Protocol):
    """An engine that searches on threads of its own where `threaded` is true."""

    threaded: bool


def cpu_clock(engine: object) -> Callable[[], float]:
    """Return the clock of the CPU seconds that searches take: of the calling thread, or of the process for an engine
    with threads of its own.
    """
    return time.process_time if isinstance(engine, HasThreads) and engine.threaded else time.thread_time


class EngineError(Exception):
    """There is no engine of this name, or its package is not installed."""


def _target(name: str) -> tuple[str, str]:
    """Return (module, class) of the engine called `name`. Raises EngineError for a name that is neither in BUILT_IN nor
    `module:Class`; nothing is imported.
    """
    module, colon, attribute = BUILT_IN.get(name, name).partition(":")
    if not (module and colon and attribute):
        raise EngineError(f"engine must be one of {', '.join(BUILT_IN)} or module:Class, not {name!r}")
    return module, attribute


def create(name: str) -> Engine:
    """Return the engine called `name` in BUILT_IN, or of the class that `module:Class` names.

    Raises EngineError for an unknown name, and when its module or a package that it needs is missing.
    """
    module, attribute = _target(name)
    try:
        return cast("Engine", getattr(importlib.import_module(module), attribute)())
    except (ImportError, AttributeError) as error:
        raise EngineError(f"engine {name!r}: {error}") from error
