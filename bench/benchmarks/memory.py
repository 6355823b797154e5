"""How many bytes does an index in memory keep for each byte of text, once the caller's sessions are released?"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson

from bench.datasets import dataset
from bench.reporting.process_usage import peak_bytes
from bench.reporting.report import Report, Table
from recall_rank.model import Message, Part, Session

LIMIT = 2.2  # resident bytes for each byte of text,
LARGE_BYTES = 50_000_000  # checked from this much text on, where the fixed size of an index does not matter
TINY = Session(id="s", messages=[Message(id="m", role="user", parts=[Part(id="p", type="text", text="hello there")])])
DEFAULT = "ours,fts5,tantivy,bm25s"


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument(
        "--engines", default=DEFAULT, help="names or module:Class, comma separated (default %(default)s)"
    )


def run(options: argparse.Namespace) -> Report:
    report = Report("memory", __doc__ or "", options.data or "")
    rows = []
    for name in options.engines.split(","):
        got = _measure(name, options)
        report.data = got["data"]
        per_byte = got["resident"] / got["text"]
        report.add(f"{name}/resident per byte of text", per_byte, "bytes", "lower", 0.1)
        report.add(f"{name}/peak", got["peak"] / 1e6, "MB", "lower", 0.1)
        report.check(f"{name} still answers", got["found"], got["query"])
        megabytes = [got["text"], got["sessions"], got["resident"], got["peak"]]
        rows.append([name, *(f"{value / 1e6:.0f}" for value in megabytes), f"{per_byte:.2f}"])
        if name == "ours" and got["text"] >= LARGE_BYTES:
            report.check(f"at most {LIMIT} bytes a byte of text", per_byte <= LIMIT, f"{per_byte:.2f}")
    columns = ["engine", "text MB", "caller's sessions MB", "resident MB", "peak MB", "bytes per byte"]
    report.tables.append(Table("memory after the sessions are released; peak of the whole process", columns, rows))
    return report


def _measure(engine: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run `child` in a process of its own: memory that is freed in Python is not always given back to the system."""
    asked = [engine, options.data or "", str(options.parts), str(options.seed)]
    done = subprocess.run(
        [sys.executable, "-m", "bench.benchmarks.memory", *asked],
        capture_output=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    return dict(orjson.loads(done.stdout.splitlines()[-1]))


def child(engine_name: str, data: str, parts: str, seed: str) -> dict[str, Any]:
    """Build one engine, release the sessions, and return the resident bytes above those before the sessions were
    read.
    """
    from bench import engines
    from bench.datasets.documents import documents

    options = argparse.Namespace(data=data or None, parts=int(parts), seed=int(seed))
    engine = engines.create(engine_name)
    engine.build([TINY])  # everything is imported, almost nothing is indexed
    engine = engines.create(engine_name)
    empty = _resident()
    loaded = dataset.load(options)
    text = sum(len(document.text.encode()) for document in documents(loaded.sessions))
    asked = next(query for query in loaded.queries if query.kind == "identifier")
    name, good, full = loaded.name, asked.good, _resident()
    engine.build(loaded.sessions)
    del loaded
    dataset.release()
    _trim()
    resident = _resident() - empty
    found = any(tuple(hit) in good for hit in engine.search(asked.query, 50))
    return {
        "data": name,
        "text": text,
        "sessions": full - empty,
        "resident": resident,
        "peak": peak_bytes(),
        "query": asked.query,
        "found": found,
    }


def _resident() -> int:
    with Path("/proc/self/statm").open(encoding="ascii") as fields:
        return int(fields.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _trim() -> None:
    """Give freed memory back to the system, where the C library can."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


if __name__ == "__main__":
    sys.stdout.buffer.write(orjson.dumps(child(*sys.argv[1:5])) + b"\n")
