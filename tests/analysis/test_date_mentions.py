"""Dates in queries, and the cue words of questions that ask for a time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recall_rank.analysis.date_mentions import named_dates
from recall_rank.analysis.question_intent import answer_cues
from recall_rank.corpus import Index
from tests.support.search.samples import DAY_MS, NOW, ask, message, parts, session


def ms(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp() * 1000)  # type: ignore[misc, arg-type]


OLDEST, NEWEST = ms(2025, 3, 1), ms(2026, 5, 28)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("what was said on 2026-05-07", [[(ms(2026, 5, 7), ms(2026, 5, 8))]]),
        ("2026-05", [[(ms(2026, 5, 1), ms(2026, 6, 1))]]),
        ("on 7 May 2026", [[(ms(2026, 5, 7), ms(2026, 5, 8))]]),
        ("the 7th of May, 2026", [[(ms(2026, 5, 7), ms(2026, 5, 8))]]),
        ("May 7th, 2026", [[(ms(2026, 5, 7), ms(2026, 5, 8))]]),
        ("december 2025", [[(ms(2025, 12, 1), ms(2026, 1, 1))]]),
        ("in 2025", [[(ms(2025, 1, 1), ms(2026, 1, 1))]]),
        ("early May", [[(ms(2025, 5, 1), ms(2025, 6, 1)), (ms(2026, 5, 1), ms(2026, 6, 1))]]),  # of every year
        ("May 7", [[(ms(2025, 5, 7), ms(2025, 5, 8)), (ms(2026, 5, 7), ms(2026, 5, 8))]]),
        ("in 2025 or in 2026", [[(ms(2025, 1, 1), ms(2026, 1, 1))], [(ms(2026, 1, 1), ms(2027, 1, 1))]]),
        ("may I ask", []),
        ("port 2026", []),
        ("30 February 2026", []),
        ("on 2019-01-01", []),  # before the history begins
        ("May 12:30", []),
        ("rate limit", []),
    ],
)
def test_named_dates(text: str, ranges: list[list[tuple[int, int]]]) -> None:
    assert named_dates(text, OLDEST, NEWEST) == ranges


def test_a_history_without_times_has_no_dates() -> None:
    assert named_dates("on 2026-05-07", 0, 0) == []


def test_a_named_date_boosts_messages_of_that_time() -> None:
    days = [NOW - DAY_MS * n for n in range(5)]
    index = Index.build([session(f"s{n}", message(f"m{n}", "the lantern", time=day)) for n, day in enumerate(days)])
    assert parts(ask(index, "lantern"))[0] == "m0.1"
    assert parts(ask(index, "lantern on 2026-05-25"))[0] == "m3.1"
    assert set(parts(ask(index, "lantern on 2026-05-25"))) == {f"m{n}.1" for n in range(5)}


def test_messages_of_the_day_after_a_named_day_come_next() -> None:
    days = [NOW - DAY_MS * n for n in range(5)]
    index = Index.build([session(f"s{n}", message(f"m{n}", "the lantern", time=day)) for n, day in enumerate(days)])
    assert parts(ask(index, "lantern on 2026-05-25"))[:2] == ["m3.1", "m2.1"]


def test_a_named_month_has_no_day_after() -> None:
    days = [NOW + DAY_MS * n for n in (3, 4, 5)]  # the last of May and the first two of June
    index = Index.build([session(f"s{n}", message(f"m{n}", "the lantern", time=day)) for n, day in enumerate(days)])
    told = {hit.part_id: hit.explain or {} for hit in ask(index, "lantern in May 2026", explain=True).results}
    assert told["m0.1"]["evidence"] > told["m1.1"]["evidence"]
    assert told["m1.1"]["evidence"] == pytest.approx(told["m2.1"]["evidence"])


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("when did we fix it", True),
        ("What year was it?", True),
        ("in which month", True),
        ("how long are backups kept", True),
        ("whenever", False),
        ("rate limit", False),
        ("say when", False),
    ],
)
def test_questions_for_a_time(question: str, asks: bool) -> None:
    assert bool(answer_cues(question)) is asks


def test_a_question_for_a_time_is_answered_by_one() -> None:
    index = Index.build(
        [session("a", "the lantern was lit, it is bright"), session("b", "the lantern was lit, in january")]
    )
    assert parts(ask(index, "when was the lantern lit"))[0] == "b.0.1"
