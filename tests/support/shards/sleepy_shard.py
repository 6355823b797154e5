"""A shard whose actor sleeps for ten seconds before each answer while a file beside its index says so."""

from __future__ import annotations

import time
from pathlib import Path
from typing import ClassVar, Final

from recall_rank.shards.ray_shard import RayShard, ShardActor

SLEEP: Final = "sleep"
SECONDS: Final = 10.0


class SleepyActor(ShardActor):
    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self._sign = Path(folder).parent / SLEEP

    def reply_to(self, data: bytes) -> bytes:
        if self._sign.exists():
            with (self._sign.parent / "asked").open("a", encoding="utf-8") as asked:
                asked.write("asked\n")
            time.sleep(SECONDS)
        return super().reply_to(data)


class SleepyShard(RayShard):
    actor_class: ClassVar[type[ShardActor]] = SleepyActor
