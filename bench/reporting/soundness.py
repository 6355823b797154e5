"""Conditions that hold for every sound response, for any query and any budget of time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recall_rank.model import Count, SearchResponse


def faults(response: SearchResponse) -> list[str]:
    """Return the faults of a response; empty when it is sound."""
    return [*_results(response), *_ledger(response), *_totals(response)]


def _results(response: SearchResponse) -> Iterator[str]:
    seen = set()
    for result in response.results:
        key = (result.session_id, result.message_id, result.part_id)
        if key in seen:
            yield f"{key} twice"
        seen.add(key)
        if not (0.0 <= result.score <= 1.0) or math.isnan(result.score):
            yield f"score {result.score}"
        if any(not 0 <= span.start < span.end <= len(result.snippet) for span in result.spans):
            yield "a span outside its snippet"
    # Results of the ranking stages come before results that only the text scan found.
    order = [result.stage for result in response.results]
    ranked = [stage for stage in order if stage != "scan"]
    if len(set(ranked)) > 1:
        yield f"one list mixes stages {sorted(set(ranked))}"
    if order != [*ranked, *("scan" for _ in range(len(order) - len(ranked)))]:
        yield "a scanned result before a ranked one"


def _ledger(response: SearchResponse) -> Iterator[str]:
    coverage = response.coverage
    for name, count in (("sessions", coverage.sessions), ("messages", coverage.messages), ("parts", coverage.parts)):
        if not adds_up(count):
            yield f"coverage of {name} does not add up: {count}"
    if coverage.parts.not_reached and response.degrade_kind == "none":
        yield "parts not reached, yet nothing degraded"


def adds_up(count: Count) -> bool:
    """Return whether known = eligible + skipped, and 0 <= searched <= eligible."""
    whole = count.known == count.eligible + sum(count.skipped.values())
    return whole and 0 <= count.searched <= count.eligible


def _totals(response: SearchResponse) -> Iterator[str]:
    if response.total < len(response.results):
        yield f"total {response.total} below the {len(response.results)} results"
    if response.total and not response.results:
        yield f"{response.total} hits counted, none shown"
    if response.total_exact and response.truncated != (response.total > len(response.results)):
        yield f"truncated {response.truncated} with {len(response.results)} of {response.total}"
    if (response.degrade_kind != "none") != bool(response.degrade_kinds):
        yield f"degrade_kind {response.degrade_kind} with degrade_kinds {list(response.degrade_kinds)}"
