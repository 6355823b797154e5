"""Is the second result file worse than the first?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench import report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Change:
    """One figure, before and after."""

    name: str
    before: float
    after: float
    regressed: bool
    changed: bool

    def __str__(self) -> str:
        mark = "WORSE" if self.regressed else "     "
        return f"{mark} {self.name}: {self.before:g} -> {self.after:g}"


def main(before: Path, after: Path) -> int:
    """Print what changed. 1 when a figure or check regressed, 2 when a file cannot be compared."""
    try:
        old, new = report.read(before), report.read(after)
    except (OSError, ValueError) as error:
        print(error)
        return 2
    changes = list(figures(old, new))
    broken = list(checks(old, new))
    if not changes and not broken:
        print("the files have no figure in common")
        return 2
    for change in changes:
        if change.changed:
            print(change)
    for name in broken:
        print(f"WORSE {name}: held, no longer does")
    worse = sum(change.regressed for change in changes) + len(broken)
    print(f"{len(changes)} figures compared, {worse} regressed")
    return 1 if worse else 0


def figures(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Iterator[Change]:
    """Every figure of both, where the same benchmark ran on the same data; tolerance is the newer file's."""
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


def checks(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Iterator[str]:
    """Checks that held before and do not now."""
    before = {(one["benchmark"], one["data"], check["name"]): check["ok"] for one in old for check in one["checks"]}
    for one in new:
        for check in one["checks"]:
            if not check["ok"] and before.get((one["benchmark"], one["data"], check["name"])):
                yield f"{one['benchmark']} {check['name']}"


def _figures(reports: list[dict[str, Any]]) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {(one["benchmark"], one["data"], figure["name"]): figure for one in reports for figure in one["figures"]}
