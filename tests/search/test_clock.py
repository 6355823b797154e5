"""The clock of a search: equal searches on one day (UTC) give equal answers, whatever the hour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from recall_rank.corpus import Index
from tests.support.frontends.harbor import NOW as DESK_NOW
from tests.support.frontends.harbor import tools
from tests.support.search.samples import DAY_MS, ENOUGH_MS, HOUR_MS, NOW, message, session

MIDNIGHT = NOW - NOW % DAY_MS
MOMENTS = (MIDNIGHT, MIDNIGHT + 1, MIDNIGHT + 1000, NOW, MIDNIGHT + DAY_MS - 1)
AGES = (0, 1, HOUR_MS, DAY_MS, 6 * DAY_MS, 7 * DAY_MS - HOUR_MS, 7 * DAY_MS, 7 * DAY_MS + HOUR_MS, 30 * DAY_MS)
TIMED = ("elapsed_ms", "cpu_ms")


@pytest.fixture(scope="module")
def index() -> Index:
    """Messages of many ages about one subject, in sessions of their own."""
    return Index.build(
        [
            session(
                f"s{number}",
                message(f"s{number}.0", f"the harbour gauge drifts, reading {number}", time=NOW - age),
                title="Gauge drift",
            )
            for number, age in enumerate(AGES)
        ]
    )


def answer(index: Index, now: int, **options: Any) -> str:
    """The whole answer as text, every digit of it, without how long it took."""
    response = index.search("harbour gauge", now=now, budget_ms=ENOUGH_MS, explain=True, **options)
    return repr(replace(response, elapsed_ms=0.0, cpu_ms=0.0))


@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy"])
@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize("order", ["relevance", "time"])
@pytest.mark.parametrize("options", [{}, {"after": "yesterday"}, {"before": "today"}, {"since": "2026-05-01"}])
def test_one_day_gives_one_answer(index: Index, match: str, group: str, order: str, options: dict[str, Any]) -> None:
    given = {"match": match, "group": group, "order": order, **options}
    assert len({answer(index, now, **given) for now in MOMENTS}) == 1


def test_no_score_depends_on_the_day(index: Index) -> None:
    """The date of the call decides only what counts as recent."""
    scores = [
        [(hit.part_id, hit.score) for hit in index.search("harbour gauge", now=now, budget_ms=ENOUGH_MS).results]
        for now in (NOW, NOW + 3 * DAY_MS, NOW + 400 * DAY_MS)
    ]
    assert scores[0] == scores[1] == scores[2]


def test_a_message_is_recent_for_seven_whole_days(index: Index) -> None:
    told = {hit.part_id: hit.why.recency for hit in index.search("harbour gauge", now=NOW, budget_ms=ENOUGH_MS).results}
    first = MIDNIGHT - 7 * DAY_MS
    for number, age in enumerate(AGES):
        assert told[f"s{number}.0.1"] == ("recent" if NOW - age >= first else "older")


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("recall", {"query": "gauge noon"}),
        ("recall", {"query": "gauge noon", "match": "smart", "explain": True}),
        ("recall", {"query": "gauge noon", "match": "fuzzy", "group": "session"}),
        ("recall_sessions", {}),
    ],
)
def test_a_tool_answers_alike_all_day(tool: str, args: dict[str, Any]) -> None:
    desk = tools()
    midnight = DESK_NOW - DESK_NOW % DAY_MS
    answers = [desk.call(tool, args, now=midnight + offset, mode="raw") for offset in (0, 1000, DAY_MS - 1)]
    for each in answers:
        for name in TIMED:
            each.pop(name, None)
        each.get("coverage", {}).pop("stale_ms", None)
    assert answers[0] == answers[1] == answers[2]
