"""Forms of time filters, and the window that several of them make."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.analysis.time_filters import (
    DAY_MS,
    HOUR_MS,
    MAX_TIME_MS,
    MINUTE_MS,
    EmptyTimeWindow,
    TimeWindow,
    parse_duration,
    parse_instant,
    resolve_window,
)

NOW = 1_780_000_000_000  # 2026-05-28 20:26:40 UTC
MIDNIGHT = 1_779_926_400_000
DATED = (*("after", "before", "from_", "last", "since", "to", "until"),)


def ms(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp()) * 1000  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("30m", 30 * MINUTE_MS),
        ("5 min", 5 * MINUTE_MS),
        ("2h", 2 * HOUR_MS),
        ("2D", 2 * DAY_MS),
        ("3 days ago", 3 * DAY_MS),
        ("1w AGO", 7 * DAY_MS),
        ("2mo", 60 * DAY_MS),
        ("1 month", 30 * DAY_MS),
        ("2 months", 60 * DAY_MS),
        ("1y", 365 * DAY_MS),
        (" 0d ", 0),
        ("1.5d", None),
        ("-2d", None),
        ("d", None),
        ("5", None),
        ("5 apples", None),
        ("2d ago ago", None),
        ("٣d", None),
        ("", None),
    ],
)
def test_durations(text: str, duration: int | None) -> None:
    assert parse_duration(text) == duration


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("now", NOW),
        (" NOW ", NOW),
        ("today", MIDNIGHT),
        ("Yesterday", MIDNIGHT - DAY_MS),
        ("2026-05-27", ms(2026, 5, 27)),
        ("2026-05", ms(2026, 5, 1)),
        ("2025", ms(2025, 1, 1)),
        ("2026-05-28T18:00Z", ms(2026, 5, 28, 18)),
        ("2026-05-28 18:00", ms(2026, 5, 28, 18)),
        ("2026-05-28T18:00:30.25z", ms(2026, 5, 28, 18, 0, 30) + 250),
        ("2026-05-28T18:00:30,1234567Z", ms(2026, 5, 28, 18, 0, 30) + 123),
        ("2026-05-28T18:00+02:00", ms(2026, 5, 28, 16)),
        ("2026-05-28T18:00-0530", ms(2026, 5, 28, 23, 30)),
        ("1779740800000", 1_779_740_800_000),
        ("100000000000", 100_000_000_000),
        (1_779_740_800_000, 1_779_740_800_000),
        (7, 7),
        (7.5, 7),
        ("7", None),
        ("20260528", None),
        ("tomorrow 5", None),
        ("2026-13-01", None),
        ("2026-02-30", None),
        ("2026-05-28T24:00", None),
        ("2026-05-28T18:00+99:00", None),
        ("1969-12-31", None),
        ("0000-01-01", None),
        ("9" * 20, None),
        (0, None),
        (-5, None),
        (float("nan"), None),
        (float("inf"), None),
        (float("-inf"), None),
        (10**400, None),
    ],
)
def test_instants(value: Any, time: int | None) -> None:
    assert parse_instant(value, NOW) == time


def test_a_date_just_before_1970_in_utc_may_lie_after_it_by_its_zone() -> None:
    assert parse_instant("1969-12-31T23:30-01:00", NOW) == 30 * MINUTE_MS


@pytest.mark.parametrize(
    ("given_bounds", "after", "before", "categories"),
    [
        ({}, None, None, []),
        ({"last": "2h"}, NOW - 2 * HOUR_MS, None, []),
        ({"since": "2026-05-27"}, ms(2026, 5, 27), None, []),
        ({"from_": "7d ago", "to": "now"}, NOW - 7 * DAY_MS, NOW, []),
        ({"until": "3d"}, None, NOW - 3 * DAY_MS, []),
        ({"until": "0h"}, None, NOW, ["time_normalized:until"]),
        ({"last": "0d"}, None, None, ["time_zero_width:last"]),
        ({"after": "0d"}, None, None, ["time_ignored:after"]),
        ({"last": "-2d"}, None, None, ["time_ignored:last"]),
        ({"last": 7}, None, None, ["time_ignored:last"]),
        ({"last": NOW - 1}, NOW - 1, None, []),
        ({"to": "3d"}, None, None, ["time_ignored:to"]),
        ({"after": "soonish"}, None, None, ["time_ignored:after"]),
        ({"after": float("nan")}, None, None, ["time_ignored:after"]),
        ({"after": {"a": 1}}, None, None, ["time_ignored:after"]),
        ({"after": True}, None, None, ["time_ignored:after"]),
        ({"after": 0, "before": -5, "since": "  ", "until": ""}, None, None, []),
        ({"after": 7.9, "before": 9.1}, 7, 10, []),
        ({"last": "9999999d"}, 1, None, []),
        ({"last": "2d", "from_": "40d ago"}, NOW - 2 * DAY_MS, None, ["lower_bound_chosen:last"]),
        ({"before": NOW - DAY_MS, "until": "3d"}, None, NOW - 3 * DAY_MS, ["upper_bound_chosen:until"]),
        ({"last": "2d", "since": "2d"}, NOW - 2 * DAY_MS, None, []),
    ],
)
def test_forgiving_windows(given_bounds: Any, after: int | None, before: int | None, categories: list[str]) -> None:
    window = resolve_window(NOW, **given_bounds, strict=False)
    assert (window.after, window.before) == (after, before)
    assert [f"{warning.category}:{warning.parameter}" for warning in window.warnings] == categories


def test_a_lost_bound_is_named() -> None:
    (warning,) = resolve_window(NOW, after=5, last="2d", since="3d").warnings
    assert warning.text == "Used last as the lower time bound; ignored less restrictive after, since"


@pytest.mark.parametrize(
    ("given_bounds", "words"),
    [
        ({"after": "soonish"}, ["after", "'soonish'", "2026-05-27", "epoch milliseconds", "until"]),
        ({"from_": "7"}, ["from must", "'7'", "3d"]),
        ({"last": "0d"}, ["last", "'0d'", "zero"]),
        ({"before": "3d"}, ["before", "'3d'", "durations go into since or until"]),
        ({"before": 0}, ["before", "0"]),
        ({"since": ""}, ["since", "''"]),
        ({"to": True}, ["to", "True"]),
        ({"until": [1]}, ["until", "[1]"]),
        ({"last": 7}, ["last", "7"]),
    ],
)
def test_strict_windows_name_parameter_value_and_what_is_accepted(given_bounds: Any, words: list[str]) -> None:
    with pytest.raises(ValueError) as caught:
        resolve_window(NOW, **given_bounds)
    assert not [word for word in words if word not in str(caught.value)]


def test_strict_until_zero_is_now() -> None:
    assert resolve_window(NOW, until="0h") == TimeWindow(before=NOW)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    "bounds", [{"last": "2h", "until": "3d"}, {"after": 1_779_913_600_000, "before": 1_779_913_600_000}]
)
def test_an_empty_window_is_an_error(bounds: Any, strict: bool) -> None:
    with pytest.raises(EmptyTimeWindow, match="empty window"):
        resolve_window(NOW, **bounds, strict=strict)


FORMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.integers(1, NOW * 2),
    st.from_regex(r"[0-9]{1,20}( ?(m|h|d|w|mo|y))?( ago)?", fullmatch=True),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.sampled_from(["now", "today", "yesterday", "2026-05-27", [], {}]),
)


@given(st.fixed_dictionaries(dict.fromkeys(DATED, FORMS)), st.integers(1, MAX_TIME_MS))
def test_forgiving_never_fails_and_says_what_it_left_out(bounds: Any, now: int) -> None:
    try:
        window = resolve_window(now, **bounds, strict=False)
    except EmptyTimeWindow:
        return
    assert window.after is None or 0 < window.after <= MAX_TIME_MS
    assert window.before is None or 0 < window.before <= MAX_TIME_MS
    if window.after is not None and window.before is not None:
        assert window.after < window.before


@given(st.fixed_dictionaries(dict.fromkeys(DATED, FORMS)), st.integers(1, MAX_TIME_MS))
def test_what_strict_accepts_forgiving_reads_the_same(bounds: Any, now: int) -> None:
    try:
        strict = resolve_window(now, **bounds)
    except ValueError:
        return
    forgiving = resolve_window(now, **bounds, strict=False)
    assert (strict.after, strict.before) == (forgiving.after, forgiving.before)


@given(st.lists(st.integers(1, NOW), min_size=1, max_size=7), st.integers(1, NOW))
def test_the_window_is_the_intersection_of_its_bounds(times: list[int], probe: int) -> None:
    bounds: Any = dict(zip(("after", "before", "since", "until", "from_", "to", "last"), times, strict=False))
    sized = {name: time for name, time in bounds.items() if name in ("after", "before") or time >= 10**11}
    lower = [time for name, time in sized.items() if name in ("after", "since", "from_", "last")]
    upper = [time for name, time in sized.items() if name in ("before", "until", "to")]
    try:
        window = resolve_window(NOW, **sized)
    except EmptyTimeWindow:
        assert max(lower) >= min(upper)
        return
    assert (probe in window) == (all(time < probe for time in lower) and all(probe < time for time in upper))


@given(st.integers(0, 10**6), st.sampled_from(["m", "h", "d", "w", "mo", "y"]))
def test_a_longer_duration_reaches_further_back(number: int, unit: str) -> None:
    shorter, longer = parse_duration(f"{number}{unit}"), parse_duration(f"{number + 1} {unit} ago")
    assert shorter is not None
    assert longer is not None
    assert shorter < longer


@given(st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(9999, 12, 30)))  # noqa: DTZ001
def test_iso_round_trip(moment: datetime) -> None:
    expected = round((moment.replace(microsecond=0, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
    expected = expected * 1000 + moment.microsecond // 1000
    for text in (moment.isoformat(), moment.isoformat(" ") + "Z", moment.isoformat() + "+00:00"):
        assert parse_instant(text, NOW) == expected
