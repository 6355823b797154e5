"""The simulation of searches that wait for many shards, beside what can be said without it."""

from __future__ import annotations

import statistics

import pytest

from bench.reporting.fan_out import Cluster, latencies


def test_an_idle_shard_answers_in_its_service_time() -> None:
    waits = latencies(Cluster(1, 1, 1, network=2.0), [10.0], rate=0.01, searches=50, seed=1)
    assert waits == pytest.approx([14.0] * 50)


def test_the_slowest_of_many_shards_counts() -> None:
    """One service in ten takes 100 ms: of 20 shards, one is slow in 1 - .9 ** 20 = 88 % of the searches."""
    waits = latencies(Cluster(20, 1, 1, 0.0), [1.0] * 9 + [100.0], rate=0.1, searches=4_000, seed=2)
    assert statistics.mean(wait >= 100 for wait in waits) == pytest.approx(1 - 0.9**20, abs=0.03)


@pytest.mark.parametrize("workers", [1, 2])
def test_questions_wait_for_a_worker(workers: int) -> None:
    """M/D/1 waits load / (1 - load) / 2 services on average; with twice the workers at the same rate, far less."""
    waits = latencies(Cluster(1, 1, workers, 0.0), [10.0], rate=50, searches=40_000, seed=3)
    waited = statistics.mean(waits) - 10
    assert waited == pytest.approx(5.0, rel=0.1) if workers == 1 else waited < 1.5


def test_a_replica_answers_for_one_that_is_late() -> None:
    """Both replicas are slow in one case of a hundred; else the wait is the delay plus a service."""
    services = [1.0] * 9 + [1_000.0]
    hedged = latencies(Cluster(1, 2, 8, 0.0, hedge_after=5.0), services, rate=0.1, searches=4_000, seed=4)
    plain = latencies(Cluster(1, 2, 8, 0.0), services, rate=0.1, searches=4_000, seed=4)
    assert statistics.mean(wait >= 1_000 for wait in plain) == pytest.approx(0.1, abs=0.02)
    assert statistics.mean(wait >= 1_000 for wait in hedged) == pytest.approx(0.01, abs=0.006)
    assert {round(wait, 6) for wait in hedged} <= {1.0, 6.0, 1_000.0, 1_005.0}
