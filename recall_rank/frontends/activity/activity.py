"""Count the messages of a history per period, project and agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal

from recall_rank.model import Session
from recall_rank.model.project_scope import place_of, short_name

PERIODS: Final = ("day", "week", "month", "year")
MAX_PERIODS: Final = 40  # when the unit is not given, the shortest with at most so many periods is chosen
_DATE_CHARS: Final = {"month": len("2026-05"), "year": len("2026")}
_DAYS: Final = {"day": 1, "week": 7, "month": 30.4, "year": 365.25}


@dataclass(frozen=True, slots=True)
class Share:
    """The counts of sessions and messages of one project, one agent or one period."""

    name: str
    sessions: int
    messages: int


@dataclass(frozen=True, slots=True)
class Lane:
    """The messages of one project or agent in each period, from the first period of the history to its last."""

    name: str
    messages: tuple[int, ...]


@dataclass(slots=True)
class Activity:
    """The counts of a history, in all and by day, project and agent. Days are UTC.

    Messages without a time are counted as `undated`, and in no period.
    """

    sessions: int = 0
    messages: int = 0
    parts: int = 0
    undated: int = 0
    first: int = 0  # epoch milliseconds, 0 when no message has a time
    last: int = 0
    by_day: dict[date, Counter[str]] = field(default_factory=dict)  # day -> messages of each session
    by_project: dict[str, Counter[str]] = field(default_factory=dict)
    by_agent: dict[str, Counter[str]] = field(default_factory=dict)

    def renamed(self, change: Callable[[str], str]) -> Activity:
        """Return the same counts with other names of projects and agents; those with equal new names are one."""
        return replace(self, by_project=_merged(self.by_project, change), by_agent=_merged(self.by_agent, change))

    def periods(self, unit: str | None = None) -> tuple[str, list[Share]]:
        """Return the unit (day, week, month or year) and the counts of every period from the first to the last, empty
        ones included. Without `unit`, the shortest one that gives at most 40 periods is chosen.
        """
        if not self.by_day:
            return unit or "day", []
        first, last = min(self.by_day), max(self.by_day)
        if unit is None:
            days = (last - first).days + 1
            unit = next((each for each in PERIODS if days / _DAYS[each] <= MAX_PERIODS), "year")
        found: dict[date, Counter[str]] = {}
        start = _start(first, unit)
        while start <= last:
            found[start] = Counter()
            start = _start(_after(start, unit), unit)
        for day, counts in self.by_day.items():
            found[_start(day, unit)].update(counts)
        return unit, [_share(start.isoformat(), counts) for start, counts in found.items()]

    def named_periods(self, unit: str | None = None) -> tuple[str, list[Share]]:
        """Return periods(unit), but with months named as "2026-05" and years as "2026" instead of by their first
        day.
        """
        unit, periods = self.periods(unit)
        chars = _DATE_CHARS.get(unit)
        return unit, [replace(share, name=share.name[:chars]) for share in periods]

    def lanes(self, of: Literal["project", "agent"], unit: str | None = None, most: int = 12) -> list[Lane]:
        """Return the messages in each period of periods(unit) for the `most` busiest projects or agents. Messages
        without a time are in no period.
        """
        unit, periods = self.periods(unit)
        places = {share.name: at for at, share in enumerate(periods)}
        groups = _by_short_name(self.by_project) if of == "project" else self.by_agent
        lane_of = {key: name for name, sessions in groups.items() for key in sessions}
        found = {name: [0] * len(periods) for name in groups}
        for day, sessions in self.by_day.items():
            at = places[_start(day, unit).isoformat()]
            for key, count in sessions.items():
                found[lane_of[key]][at] += count
        lanes = [Lane(name or "unknown", tuple(counts)) for name, counts in found.items()]
        return sorted(lanes, key=lambda lane: (-sum(lane.messages), lane.name))[:most]

    def projects(self) -> list[Share]:
        """Return the counts of each project, by descending number of messages."""
        return _shares(_by_short_name(self.by_project))

    def agents(self) -> list[Share]:
        """Return the counts of each agent, by descending number of messages."""
        return _shares(self.by_agent)


def _merged(groups: dict[str, Counter[str]], change: Callable[[str], str]) -> dict[str, Counter[str]]:
    merged: dict[str, Counter[str]] = {}
    for name, counts in groups.items():
        merged.setdefault(change(name), Counter()).update(counts)
    return merged


def activity(sessions: Iterable[Session]) -> Activity:
    """Return the counts of a history, given as its sessions with their messages."""
    found = Activity()
    for session in sessions:
        key = f"{session.agent} {session.id}"
        count = len(session.messages)
        found.sessions += 1
        found.messages += count
        found.by_project.setdefault(place_of(session), Counter())[key] += count
        found.by_agent.setdefault(session.agent or session.source or "", Counter())[key] += count
        for message in session.messages:
            found.parts += len(message.parts)
            day = _day(message.time)
            if day is None:
                found.undated += 1
                continue
            found.by_day.setdefault(day, Counter())[key] += 1
            found.first = min(found.first or message.time, message.time)
            found.last = max(found.last, message.time)
    return found


def _by_short_name(places: dict[str, Counter[str]]) -> dict[str, Counter[str]]:
    """Replace the keys of `places`, which are paths, by the last component of the path.

    A path keeps its full name when another one has the same last component.
    """
    names = Counter(map(short_name, places))
    return {(short_name(place) if names[short_name(place)] == 1 else place): counts for place, counts in places.items()}


def _shares(counts: dict[str, Counter[str]]) -> list[Share]:
    found = [_share(name or "unknown", sessions) for name, sessions in counts.items()]
    return sorted(found, key=lambda share: (-share.messages, -share.sessions, share.name))


def _share(name: str, sessions: Counter[str]) -> Share:
    return Share(name, len(sessions), sessions.total())


def _day(time: int) -> date | None:
    """Return the UTC day of a time in epoch milliseconds; None for 0 or less and for years beyond 9999."""
    if time <= 0:
        return None
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time)).date()
    except OverflowError:
        return None


def _start(day: date, unit: str) -> date:
    """Return the first day of the period that contains `day`; weeks begin on Mondays."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1 if unit != "day" else day.day, month=1 if unit == "year" else day.month)


def _after(start: date, unit: str) -> date:
    """Return any day in the period that follows the period that begins at `start`; `unit` is its length."""
    return start + timedelta(days={"day": 1, "week": 7, "month": 31, "year": 366}[unit])


def busiest(shares: Sequence[Share]) -> int:
    """Return the largest number of messages among `shares`, at least 1: the number that a bar of full length stands
    for.
    """
    return max((share.messages for share in shares), default=1) or 1
