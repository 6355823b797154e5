"""A task that tells the process that runs it and sleeps; `python -m tests.support.shards.sleeping_task` runs it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from recall_rank.shards.building.task_workers import ProcessWorkers

SECONDS = 120.0


@dataclass(frozen=True)
class SleepingTask:
    seconds: float

    def done_before(self) -> None:
        return None

    def run(self) -> int:
        print(os.getpid(), flush=True)
        time.sleep(self.seconds)
        return os.getpid()


if __name__ == "__main__":
    list(ProcessWorkers(1).run([SleepingTask(SECONDS)]))
