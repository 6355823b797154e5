"""Search one history again and again: `python -m tests.reliability.grown_memory COUNT`, prints how memory grew, in KiB.

The first tenth of the searches, 200 at least, fills pools and caches, which are bounded, and is not counted.
"""

from __future__ import annotations

import gc
import itertools
import sys
from pathlib import Path

from recall_rank.corpus import Index
from tests.support.index.history import ASKED, MODES, history
from tests.support.search.samples import ENOUGH_MS, NOW


def resident() -> int:
    """Return the KiB of this process that are in memory."""
    gc.collect()
    status = Path("/proc/self/status").read_text("ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))


def main(count: int) -> None:
    index = Index.build(history())
    asked = itertools.cycle(itertools.product(ASKED, MODES, ("part", "session")))

    def search(times: int) -> None:
        for text, match, group in itertools.islice(asked, times):
            index.search(text, match=match, group=group, now=NOW, budget_ms=ENOUGH_MS, explain=True)

    search(max(200, count // 10))
    before = resident()
    search(count)
    sys.stdout.write(str(resident() - before))


if __name__ == "__main__":
    main(int(sys.argv[1]))
