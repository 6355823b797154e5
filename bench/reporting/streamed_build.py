"""Builds an index on disk from a stream of sessions in a process of its own, and measures that process."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson

from bench.datasets.spooled_history import SpooledHistory, read_spool
from bench.datasets.timed_sessions import TimedSessions
from bench.reporting.process_usage import peak_bytes
from recall_rank import Index
from recall_rank.index.storage.publish import open_generation


def built_apart(history: SpooledHistory, folder: Path) -> dict[str, Any]:
    """Return the CPU seconds and peak bytes of a process that builds the index of a history into `folder`."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.reporting.streamed_build", str(history.path), str(folder)],
        capture_output=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    return dict(orjson.loads(done.stdout.splitlines()[-1]))


def child(history: Path, folder: Path) -> dict[str, Any]:
    given = TimedSessions(read_spool(history))
    before = time.process_time()
    Index.build(given, folder=folder).close()
    return {"cpu": time.process_time() - before - given.spent, "peak": peak_bytes()}


def sizes_of(folder: Path) -> tuple[int, int]:
    """Return the bytes of the text in an index on disk, unpacked, and the bytes in its folder that do not store it."""
    segments = open_generation(folder).segments
    text = sum(len(segment.text_for(())) for segment in segments)
    stored = sum(segment.stored_bytes(("text_dictionary", "text_starts", "text")) for segment in segments)
    return text, sum(path.stat().st_size for path in folder.iterdir()) - stored


if __name__ == "__main__":
    sys.stdout.buffer.write(orjson.dumps(child(Path(sys.argv[1]), Path(sys.argv[2]))) + b"\n")
