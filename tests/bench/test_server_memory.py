"""A server that has read a grown history holds about as much as a fresh one."""

from __future__ import annotations

import argparse
import sys

import pytest

from bench.benchmarks.fronts import server_memory
from tests.support.soak import times

pytest.importorskip("mcp")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the memory of another process is read from /proc")
def test_the_memory_of_a_server_returns_to_that_of_a_fresh_one() -> None:
    """Regression: 300 MB more of history left a server four times as large as a fresh one, for ever after."""
    report = server_memory.run(argparse.Namespace(mb=times(30, ci=100, long=300)))
    assert report.checks
    assert report.failed == []
