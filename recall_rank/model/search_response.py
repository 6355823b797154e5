"""The class SearchResponse: the response to one search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recall_rank.model.query_syntax import QuerySyntax
from recall_rank.model.record_classes import field, frozen
from recall_rank.model.response import Coverage, Group, Match, NearMiss, Result
from recall_rank.model.serialize import (
    coverage_to_dict,
    near_miss_to_dict,
    put,
    repaired,
    repaired_value,
    result_to_dict,
    texts,
)


@frozen
class SearchResponse:
    """The response to one search: results, counts, coverage, warnings and suggestions.

    `total` counts hits: parts, or sessions when results are grouped by session.
    """

    results: Sequence[Result]
    query: str
    match_mode: Match
    group: Group
    total: int
    total_exact: bool
    truncated: bool
    coverage: Coverage
    degrade_kind: str  # none, time, budget, fallback: the first of degrade_kinds
    degrade_kinds: Sequence[str]
    stages_run: Sequence[str]  # of parse, filter, prefilter, score, boost, group, snippet, respond
    answerable: float  # chance that the query is answered at all: by the best result's session
    warnings: Sequence[str] = ()
    suggestions: Sequence[str] = ()
    near_misses: Sequence[NearMiss] = ()
    load_errors: Sequence[str] = ()
    elapsed_ms: float = 0.0
    cpu_ms: float = 0.0
    syntax: QuerySyntax | None = None  # how the query was read; None for one without operators
    synonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)  # words of the query -> texts searched, too
    trace: Sequence[str] = ()  # a line for each stage: what it did; present when explained

    def to_dict(self) -> dict[str, Any]:
        """Return the response as plain JSON values, with keys in snake_case.

        Optional values that are absent or empty are left out. Strings are valid UTF-8: a lone surrogate becomes U+FFFD.
        """
        answer: dict[str, Any] = {
            "ok": True,
            "query": repaired(self.query),
            "match_mode": self.match_mode,
            "group": self.group,
            "results": [result_to_dict(result) for result in self.results],
            "total": self.total,
            "total_exact": self.total_exact,
            "truncated": self.truncated,
            "scanned": self.coverage.sessions.searched,
            "degrade_kind": self.degrade_kind,
            "degrade_kinds": list(self.degrade_kinds),
            "stages_run": list(self.stages_run),
            "answerable": self.answerable,
            "coverage": coverage_to_dict(self.coverage),
            "elapsed_ms": self.elapsed_ms,
            "cpu_ms": self.cpu_ms,
        }
        if self.load_errors:
            answer["load_error_count"] = len(self.load_errors)
        put(
            answer,
            warnings=texts(self.warnings),
            suggestions=texts(self.suggestions),
            near_misses=[near_miss_to_dict(miss) for miss in self.near_misses],
            load_errors=texts(self.load_errors),
            syntax=None if self.syntax is None else repaired_value(self.syntax.to_dict()),
            synonyms=repaired_value(self.synonyms),
            trace=texts(self.trace),
        )
        return answer

    def to_json(self) -> bytes:
        """Return the response as UTF-8 JSON."""
        import orjson

        return orjson.dumps(self.to_dict())
