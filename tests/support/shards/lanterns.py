"""Three shards that speak of the lantern, and what a response says when the second of them is missing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tests.support.search.samples import ENOUGH_MS, NOW, session

if TYPE_CHECKING:
    from recall_rank.model import SearchResponse
    from recall_rank.shards.shards import Shards

WORDS = "the harbor lantern limit rate boat tide rope mast deck".split()
BUDGET_MS = 400.0


def history(prefix: str, count: int = 6) -> list[Any]:
    """Return sessions whose ids begin with `prefix` and that speak of the lantern."""
    return [
        session(
            f"{prefix}{number}", f"the lantern of {prefix} number {number} {WORDS[number % 10]}", updated=NOW - number
        )
        for number in range(count)
    ]


def check_others_stand(response: SearchResponse, missing: str, why: str) -> None:
    assert {result.session_id[0] for result in response.results} == {"a", "c"}
    assert response.coverage.not_reached == (missing,)
    assert response.coverage.sessions.not_reached == response.coverage.messages.not_reached == 6
    assert response.coverage.sessions.searched == 12
    assert "shards" in response.coverage.limited_by
    assert response.degrade_kind == "time"
    (warning,) = response.warnings
    assert warning.startswith(f"the shard {missing!r} was not reached: ")
    assert why in warning
    assert response.to_dict()["coverage"]["not_reached"] == [missing]


def wait_until_reached(shards: Shards, seconds: float = 30) -> None:
    """Search until every shard is reached again; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).coverage.not_reached and time.monotonic() < deadline:
        time.sleep(0.1)
    assert shards.search("lantern", now=NOW, budget_ms=ENOUGH_MS).coverage.not_reached == ()
