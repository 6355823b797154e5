"""Compares two result files and tells what regressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.reporting import report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Change:
    """One figure in both result files."""

    name: str
    before: float
    after: float
    regressed: bool
    changed: bool

    def __str__(self) -> str:
        mark = "WORSE" if self.regressed else "     "
        return f"{mark} {self.name}: {self.before:g} -> {self.after:g}"


def main(before: Path, after: Path) -> int:
    """Print what changed. Returns 0, or 1 when a figure or check regressed, or 2 when a file cannot be compared."""
    try:
        old, new = report.read(before), report.read(after)
        changes, asked = list(figures(old, new)), list(checks(old, new))
        gone = sorted(" ".join(key) for key in _figures(old).keys() - _figures(new).keys())
    except (OSError, ValueError) as error:
        print(error)
        return 2
    except (KeyError, TypeError, AttributeError) as error:
        print(f"not a result file: {type(error).__name__} {error}")
        return 2
    if not changes and not asked:
        print("the files have nothing in common: not the same benchmark on the same data")
        return 2
    for change in changes:
        if change.changed:
            print(change)
    broken = [name for name, held in asked if not held]
    for name in broken:
        print(f"WORSE {name}: held, no longer does")
    for name in gone:
        print(f"      {name}: only in {before}")
    worse = sum(change.regressed for change in changes) + len(broken)
    print(f"{len(changes)} figures and {len(asked)} checks compared, {worse} regressed")
    return 1 if worse else 0


def figures(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Iterator[Change]:
    """Yield the figures of both files with equal benchmark, data and name. The tolerance is that of the newer file."""
    before = _figures(old)
    for key, figure in _figures(new).items():
        if key in before:
            was, now = before[key]["value"], figure["value"]
            yield Change(" ".join(key), was, now, _regressed(was, now, figure), was != now)


def _regressed(was: float, now: float, figure: Mapping[str, Any]) -> bool:
    slack = abs(was) * figure["tolerance"] + 1e-12
    match figure["better"]:
        case "higher":
            return bool(now < was - slack)
        case "lower":
            return bool(now > was + slack)
    return False


def checks(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Iterator[tuple[str, bool]]:
    """Yield the name of every check in both files, and whether it did not regress: it holds, or it did not hold
    before.
    """
    before = _checks(old)
    for key, ok in _checks(new).items():
        if key in before:
            yield f"{key[0]} {key[2]}", ok or not before[key]


def _checks(reports: list[dict[str, Any]]) -> dict[tuple[str, str, str], bool]:
    return {(one["benchmark"], one["data"], check["name"]): check["ok"] for one in reports for check in one["checks"]}


def _figures(reports: list[dict[str, Any]]) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {(one["benchmark"], one["data"], figure["name"]): figure for one in reports for figure in one["figures"]}
