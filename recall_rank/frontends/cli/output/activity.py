"""How much was said when, in which project and with which agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

from recall_rank.model import Session

PERIODS: Final = ("day", "week", "month", "year")
MOST_ROWS: Final = 40  # of periods that are chosen for the reader
_LETTERS: Final = {"month": len("2026-05"), "year": len("2026")}
_DAYS: Final = {"day": 1, "week": 7, "month": 30.4, "year": 365.25}


@dataclass(frozen=True, slots=True)
class Share:
    """What belongs to one name or one period."""

    name: str
    sessions: int
    messages: int


@dataclass(slots=True)
class Activity:
    """Counts of a whole history. Days are those of UTC; what has no time is in the counts, and in no period."""

    sessions: int = 0
    messages: int = 0
    parts: int = 0
    undated: int = 0
    first: int = 0  # ms, 0 where nothing has a time
    last: int = 0
    by_day: dict[date, Counter[str]] = field(default_factory=dict)  # day -> messages of each session
    by_project: dict[str, Counter[str]] = field(default_factory=dict)
    by_agent: dict[str, Counter[str]] = field(default_factory=dict)

    def periods(self, unit: str | None = None) -> tuple[str, list[Share]]:
        """The unit, and what was said in every period from the first to the last; those in between may be empty."""
        if not self.by_day:
            return unit or "day", []
        first, last = min(self.by_day), max(self.by_day)
        if unit is None:
            days = (last - first).days + 1
            unit = next((each for each in PERIODS if days / _DAYS[each] <= MOST_ROWS), "year")
        found: dict[date, Counter[str]] = {}
        start = _start(first, unit)
        while start <= last:
            found[start] = Counter()
            start = _start(_after(start, unit), unit)
        for day, counts in self.by_day.items():
            found[_start(day, unit)].update(counts)
        return unit, [_share(start.isoformat(), counts) for start, counts in found.items()]

    def called(self, unit: str | None = None) -> tuple[str, list[Share]]:
        """The same with names as people write them: a month without a day, a year without both."""
        unit, periods = self.periods(unit)
        letters = _LETTERS.get(unit)
        return unit, [replace(share, name=share.name[:letters]) for share in periods]

    def projects(self) -> list[Share]:
        """Projects, the busiest first."""
        return _shares(_called(self.by_project))

    def agents(self) -> list[Share]:
        """Programs, the busiest first."""
        return _shares(self.by_agent)


def activity(sessions: Iterable[Session]) -> Activity:
    """What the sessions hold."""
    found = Activity()
    for session in sessions:
        key = f"{session.agent} {session.id}"
        count = len(session.messages)
        found.sessions += 1
        found.messages += count
        place = session.worktree or session.directory or session.project or ""
        found.by_project.setdefault(place, Counter())[key] += count
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


def _called(places: dict[str, Counter[str]]) -> dict[str, Counter[str]]:
    """The counts by the last name of each place, by the whole of it where several end alike."""
    ends = Counter(_end(place) for place in places)
    return {(_end(place) if ends[_end(place)] == 1 else place): counts for place, counts in places.items()}


def _end(place: str) -> str:
    return place.replace("\\", "/").rstrip("/").rpartition("/")[2] or place


def _shares(counts: dict[str, Counter[str]]) -> list[Share]:
    found = [_share(name or "unknown", sessions) for name, sessions in counts.items()]
    return sorted(found, key=lambda share: (-share.messages, -share.sessions, share.name))


def _share(name: str, sessions: Counter[str]) -> Share:
    return Share(name, len(sessions), sessions.total())


def _day(time: int) -> date | None:
    if time <= 0:
        return None
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time)).date()
    except OverflowError:
        return None


def _start(day: date, unit: str) -> date:
    """The first day of the period that holds `day`; weeks begin on Mondays."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1 if unit != "day" else day.day, month=1 if unit == "year" else day.month)


def _after(start: date, unit: str) -> date:
    """A day of the period behind that which begins at `start`."""
    return start + timedelta(days={"day": 1, "week": 7, "month": 31, "year": 366}[unit])


def busiest(shares: Sequence[Share]) -> int:
    """The most messages of one of them, at least 1: what a full bar stands for."""
    return max((share.messages for share in shares), default=1) or 1
