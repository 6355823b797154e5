"""One line for each promise at the end of a run: id, what was tried, how often, failures, seconds.

Hooks of pytest that tests/conftest.py imports. A test belongs to a promise by its mark `promise`, or because the table
in promises.py names it. How often something was tried is what the test told `tests.support.soak.tried`, else 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import pytest

from tests.reliability.promises import PROMISES
from tests.support.soak import MODE, take_tried

_OWN: Final = "tests/reliability/"
_TALLIES: Final[dict[str, Tally]] = {}
_STATE: Final = {"shown": bool(MODE)}


@dataclass(slots=True)
class Tally:
    """What the tests of one promise did."""

    tests: int = 0
    tried: int = 0
    failures: int = 0
    skipped: int = 0
    seconds: float = 0.0

    def line(self, key: str) -> str:
        """Return the line of a promise."""
        what = PROMISES[key].tried
        if not self.tests:
            why = f"{self.skipped} skipped" if self.skipped else "not run"
            return f"{key:4}{what:62.62} {why:>13}"
        return (
            f"{key:4}{what:62.62} {self.tried:>13,} tried {self.failures:>4} failures {self.seconds:>9,.1f} s"
            f"  {self.tests} tests" + (f", {self.skipped} skipped" if self.skipped else "")
        )


def promises_of(nodeid: str, marked: Iterable[str]) -> list[str]:
    """Return the ids of the promises that a test is a proof of."""
    found = set(marked)
    for key, promise in PROMISES.items():
        for place in promise.proofs:
            if (
                nodeid == place
                or nodeid.startswith((f"{place}[", f"{place}::"))
                or (place.endswith("/") and nodeid.startswith(place))
            ):
                found.add(key)
    return sorted(found, key=list(PROMISES).index)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    """Add the counts that the test told, and the promises that its marks name, to its report."""
    report: pytest.TestReport = yield
    if report.when == "call":
        report.user_properties.append(("tried", take_tried()))
        marks = [str(mark.args[0]) for mark in item.iter_markers("promise")]
        report.user_properties.append(("promises", promises_of(item.nodeid, marks)))
    elif report.when == "setup" and report.outcome != "passed":
        marks = [str(mark.args[0]) for mark in item.iter_markers("promise")]
        report.user_properties.append(("promises", promises_of(item.nodeid, marks)))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count a test for each of its promises, in the process that hears of the tests of all."""
    _STATE["shown"] = _STATE["shown"] or report.nodeid.startswith(_OWN)
    told = dict(report.user_properties)
    if report.when == "teardown" or not isinstance(keys := told.get("promises"), list):
        return
    for key in keys:
        tally = _TALLIES.setdefault(key, Tally())
        if report.outcome == "skipped":
            tally.skipped += 1
            continue
        tally.tests += 1
        tally.tried += int(str(told.get("tried", 0))) or 1
        tally.failures += report.outcome == "failed"
        tally.seconds += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the report where the regime was asked for, or one of its own tests ran."""
    if not _STATE["shown"]:
        return
    terminalreporter.section(f"promises ({MODE or 'a tiny run'})")
    for key in PROMISES:
        terminalreporter.write_line(_TALLIES.get(key, Tally()).line(key))
