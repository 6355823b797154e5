"""Drawings of a page as numbers: what was searched as bars, activity as lanes of periods. Templates draw them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from recall_rank.frontends.activity.activity import Activity, Lane, Share, busiest

if TYPE_CHECKING:
    from recall_rank.model import Coverage
    from recall_rank.model.response import Count

WIDTH: Final = 600  # units of a bar of full length
LEVELS: Final = 5  # shades of a lane
_LANES: Final[tuple[Literal["project", "agent"], ...]] = ("project", "agent")
_SEARCHED: Final = "searched"
_NOT_REACHED: Final = "not reached"


@dataclass(frozen=True, slots=True)
class BarSegment:
    """One stretch of a bar: what it stands for, how many, and where it lies, in units of WIDTH."""

    name: str
    css: str
    count: int
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class CoverageBar:
    """All known sessions, messages or parts as one bar: those searched, left out by a reason, and not reached."""

    noun: str
    known: int
    segments: Sequence[BarSegment]


@dataclass(frozen=True, slots=True)
class TimelineLane:
    """One row of a timeline: a project or agent, its messages in each period, and the shade of each, from 0."""

    name: str
    total: int
    cells: Sequence[tuple[int, int]]  # messages, shade


def coverage_bars(coverage: Coverage) -> list[CoverageBar]:
    """Return a bar for the sessions, messages and parts of a search."""
    counts = (("sessions", coverage.sessions), ("messages", coverage.messages), ("parts", coverage.parts))
    return [CoverageBar(noun, count.known, tuple(_segments(_shares(count), count.known))) for noun, count in counts]


def _shares(count: Count) -> Iterator[tuple[str, str, int]]:
    yield _SEARCHED, "searched", count.searched
    for reason, left in count.skipped.items():
        yield f"left out: {reason.replace('_', ' ')}", "skipped", left
    yield _NOT_REACHED, "unreached", count.not_reached


def _segments(shares: Iterable[tuple[str, str, int]], known: int) -> Iterator[BarSegment]:
    at = 0.0
    for name, css, count in shares:
        if count:
            width = count / max(1, known) * WIDTH
            yield BarSegment(name, css, count, round(at, 2), round(width, 2))
            at += width


@dataclass(frozen=True, slots=True)
class TimelineView:
    """The activity of a history by period, project and agent."""

    activity: Activity
    unit: str
    periods: Sequence[Share]
    projects: Sequence[TimelineLane]
    agents: Sequence[TimelineLane]
    busiest: int


def timeline(found: Activity, unit: str | None) -> TimelineView:
    """Return the activity of a history in periods of a length, or of the one that gives at most 40 of them."""
    unit, periods = found.named_periods(unit)
    projects, agents = (tuple(map(_lane, found.lanes(of, unit))) for of in _LANES)
    return TimelineView(found, unit, periods, projects, agents, busiest(periods))


def _lane(lane: Lane) -> TimelineLane:
    most = max(lane.messages, default=0) or 1
    cells = tuple((count, -(-count * LEVELS // most) if count else 0) for count in lane.messages)
    return TimelineLane(lane.name, sum(lane.messages), cells)
