"""Options of a search at random, and the comparison of two responses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from recall_rank.model import Context, SearchResponse
from tests.support.search.samples import DAY_MS, NOW

MOST_DIFFERENT = 1e-6  # of scores: the same sums, but not always of the same terms at once
modes = st.sampled_from(("literal", "smart", "fuzzy", "regex"))
options = st.fixed_dictionaries(
    {
        "match": modes,
        "group": st.sampled_from(("part", "session")),
        "order": st.sampled_from(("relevance", "time")),
        "explain": st.booleans(),
    },
    optional={
        "results": st.integers(1, 6),
        "offset": st.integers(0, 4),
        "sessions": st.integers(1, 3),
        "directory": st.sampled_from(("/a", "/a/b", "C:/a")),
        "fallback": st.booleans(),
        "type": st.sampled_from(("text", "tool", "reasoning")),
        "role": st.sampled_from(("user", "assistant")),
        "must": st.sampled_from((("lantern",), ("limit", "rate"))),
        "must_not": st.just(("limit",)),
        "title": st.just("l"),
        "project": st.just("harbor"),
        "session_id": st.sampled_from(("s0", "s1", "s0-gone")),
        "exclude_session_ids": st.just(["s1"]),
        "after": st.just(NOW - 6 * DAY_MS),
        "before": st.just(NOW - 1),
        "context": st.just(Context(session_id="s0", directory="/a", in_context=("s0.1",))),
        "width": st.integers(20, 60),
        "extra_scores": st.just({"s0.0.0": 1.0, "s1.0.0": 0.4}),
    },
)


def told(response: SearchResponse) -> dict[str, Any]:
    """All that a response says, but how long it took."""
    said = response.to_dict()
    return {name: value for name, value in said.items() if name not in ("elapsed_ms", "cpu_ms")}


def alike(one: object, other: object) -> bool:
    """Equal, numbers within MOST_DIFFERENT."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, abs=MOST_DIFFERENT)
    return one == other
