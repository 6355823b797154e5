"""Read and search one history in little memory: `python bounded_child.py PATH CACHE QUERY BYTES`, with JSON on stdout.

BYTES limits the address space of this process.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path


def peak() -> int:
    """The most bytes that were resident in this process; ru_maxrss counts those of its parent too."""
    status = Path("/proc/self/status").read_text("ascii")
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:"))


def main(arguments: list[str]) -> None:
    path, cache, query, most = arguments
    resource.setrlimit(resource.RLIMIT_AS, (int(most), int(most)))

    import recall_rank as rr

    stages: dict[str, int] = {}

    def progress(stage: str, done: int, total: int | None) -> None:
        stages[stage] = stages.get(stage, 0) + 1

    with rr.Recall(rr.open_sources(path), cache) as recall:
        reports = recall.prepare(progress)
        response = recall.search(query)
    told = {
        "peak": peak(),
        "cpu": sum(resource.getrusage(resource.RUSAGE_SELF)[:2]),
        "hits": [hit.snippet for hit in response.results],
        "sessions": sum(report.sessions for report in reports),
        "malformed": sum(report.malformed_count for report in reports),
        "listed": sum(len(report.malformed) for report in reports),
        "reasons": [bad.reason for report in reports for bad in report.malformed[:3]],
        "errors": [error for report in reports for error in report.errors],
        "warnings": [warning for report in reports for warning in report.warnings],
        "stages": stages,
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1:])
