"""The recorded answers of the original tools: every fact holds, is a known defect, or is overridden with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.overrides import OVERRIDES
from tests.conformance.runner import Outcome, run, summary


@pytest.mark.shared
@pytest.mark.parametrize("engine", ["0.12.1"])
def test_the_cases_of_the_contract(shared: Path, engine: str) -> None:
    said: list[str] = []
    failed = summary(
        shared / "conformance", said.append, verbose=True, engine=engine, contract_only=True, skip_defects=True
    )
    assert failed == 0, "\n".join(said)


@pytest.mark.shared
def test_every_override_is_needed(shared: Path) -> None:
    outcomes = run(shared / "conformance", engine="0.12.1", contract_only=True, skip_defects=True)
    overridden = {
        (each.case["id"], fact["path"]) for each in outcomes if isinstance(each, Outcome) for fact in each.overridden
    }
    assert {(each.case, path) for each in OVERRIDES for path in each.paths} == overridden
    assert len(OVERRIDES) <= 12
    assert all(each.reason for each in OVERRIDES)
