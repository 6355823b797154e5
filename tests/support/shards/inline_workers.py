"""Workers of a build that run its tasks in this process."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from recall_rank.shards.building.unit_tasks import ReadTask, Task, run_task


class InlineWorkers:
    """Runs tasks in this process, and counts those that do not find their folder done."""

    def __init__(self, fail_after: int = 1 << 30) -> None:
        self.done: list[str] = []
        self.fail_after = fail_after

    def run(self, tasks: Sequence[Task[Any]]) -> Iterator[tuple[int, Any]]:
        for number, task in enumerate(tasks):
            if len(self.done) >= self.fail_after:
                raise KeyboardInterrupt
            found = run_task(pickle.loads(pickle.dumps(task)))  # as another process gets it
            if not found.reused:
                self.done.append("read" if isinstance(task, ReadTask) else "merge")
            yield number, pickle.loads(pickle.dumps(found))

    def close(self) -> None:
        pass
