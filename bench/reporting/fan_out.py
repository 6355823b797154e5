"""A simulation of searches that wait for every one of many shards, each of which has replicas with few processors."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Cluster:
    """Shards that are asked at the same time. Times are in ms.

    A replica works on `workers` questions at once, the others wait in the order in which they came. A question and its
    answer take `network` each. When a replica has not answered after `hedge_after`, another one is asked as well, and
    the first answer counts; None asks one only. Nothing that was asked is taken back.
    """

    shards: int
    replicas: int
    workers: int
    network: float
    hedge_after: float | None = None


def latencies(cluster: Cluster, services: Sequence[float], rate: float, searches: int, seed: int) -> list[float]:
    """Return how long each of `searches` searches waits for its slowest shard, in ms.

    Searches arrive at random, `rate` a second on average (a Poisson process). The time that a shard works is one of
    `services`, chosen at random for each question, so that the slow queries of different shards do not coincide.
    """
    chance = random.Random(seed)
    free = [[[0.0] * cluster.workers for _ in range(cluster.replicas)] for _ in range(cluster.shards)]
    waits = [0.0] * searches
    # Questions in the order of reaching a replica: (time, number, search, shard, replica, asked, answer so far).
    events: list[tuple[float, int, int, int, int, float, float]] = []
    number = 0
    at = 0.0
    for search in range(searches):
        at += chance.expovariate(rate) * 1e3
        for shard in range(cluster.shards):
            events.append((at + cluster.network, number, search, shard, search % cluster.replicas, at, float("inf")))
            number += 1
    heapq.heapify(events)
    while events:
        time, _, search, shard, replica, asked, before = heapq.heappop(events)
        done = max(time, heapq.heappop(free[shard][replica])) + chance.choice(services)
        heapq.heappush(free[shard][replica], done)
        answered = min(before, done + cluster.network)
        late = cluster.hedge_after is not None and answered - asked > cluster.hedge_after and before == float("inf")
        if late and cluster.replicas > 1 and cluster.hedge_after is not None:
            other = (replica + 1) % cluster.replicas
            again = asked + cluster.hedge_after + cluster.network
            heapq.heappush(events, (again, number, search, shard, other, asked, answered))
            number += 1
        else:
            waits[search] = max(waits[search], answered - asked)
    return waits
