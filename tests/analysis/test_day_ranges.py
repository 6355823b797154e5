"""Days of a range: what is accepted, that both ends are inclusive, and what is said of other values."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recall_rank.analysis.day_ranges import day_window
from recall_rank.analysis.time_filters import EmptyTimeWindow
from recall_rank.model.option_errors import OptionValueError


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


NOW = ms("2026-03-10T12:00")


@pytest.mark.parametrize(
    ("value", "first", "last"),
    [
        ("2026-03-04", "2026-03-04T00:00", "2026-03-04T23:59:59.999"),
        (" 2026/3/4 ", "2026-03-04T00:00", "2026-03-04T23:59:59.999"),
        ("March 4, 2026", "2026-03-04T00:00", "2026-03-04T23:59:59.999"),
        ("4 March", "2026-03-04T00:00", "2026-03-04T23:59:59.999"),
        ("December 24", "2025-12-24T00:00", "2025-12-24T23:59:59.999"),
        ("2026-02", "2026-02-01T00:00", "2026-02-28T23:59:59.999"),
        ("2025-12", "2025-12-01T00:00", "2025-12-31T23:59:59.999"),
        ("December", "2025-12-01T00:00", "2025-12-31T23:59:59.999"),
        ("2025", "2025-01-01T00:00", "2025-12-31T23:59:59.999"),
        ("today", "2026-03-10T00:00", "2026-03-10T23:59:59.999"),
        ("Yesterday", "2026-03-09T00:00", "2026-03-09T23:59:59.999"),
        ("3d", "2026-03-07T12:00", "2026-03-07T12:00"),
        ("2026-03-04T18:00Z", "2026-03-04T18:00", "2026-03-04T18:00"),
        (ms("2026-03-04T18:00"), "2026-03-04T18:00", "2026-03-04T18:00"),
    ],
)
def test_a_range_contains_both_of_its_ends(value: Any, first: str, last: str) -> None:
    begins, ends = day_window(NOW, value), day_window(NOW, None, value)
    assert (begins.before, ends.after) == (None, None)
    assert ms(first) in begins
    assert ms(first) - 1 not in begins
    assert ms(last) in ends
    assert ms(last) + 1 not in ends
    assert ms(first) in day_window(NOW, value, value)


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_blank_end_is_open(value: Any) -> None:
    window = day_window(NOW, value, value)
    assert (window.after, window.before, window.warnings) == (None, None, ())


@pytest.mark.parametrize(
    "value",
    ["soon", "2026-02-30", "2026-13", "04/03/2026", "9999", "0000", "March 4 and April 5", "x" * 9_000, True, [1], {}],
)
def test_what_is_no_day_is_refused_or_ignored_with_a_warning(value: Any) -> None:
    with pytest.raises(OptionValueError, match=r"^date_to must be a day \(2026-03-04") as refused:
        day_window(NOW, None, value)
    assert len(str(refused.value)) < 300
    window = day_window(NOW, "2026-03-01", value, strict=False)
    assert window.before is None
    assert [(each.category, each.parameter) for each in window.warnings] == [("time_ignored", "date_to")]
    assert window.warnings[0].text.startswith("Ignored date_to: it must be a day")


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(EmptyTimeWindow, match="date_from='2026-03-05' is after date_to='2026-03-04'"):
        day_window(NOW, "2026-03-05", "2026-03-04", strict=False)
