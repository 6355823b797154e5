"""Of a run of some promises, only their tests."""

from __future__ import annotations

import os

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests of this folder whose promises `python -m tests.reliability --promise` did not choose."""
    wanted = {key for key in os.environ.get("RECALL_RANK_PROMISES", "").split(",") if key}
    if not wanted:
        return
    out = [
        item
        for item in items
        if item.nodeid.startswith("tests/reliability/")
        and not wanted & {str(mark.args[0]) for mark in item.iter_markers("promise")}
    ]
    items[:] = [item for item in items if item not in out]
    config.hook.pytest_deselected(items=out)
