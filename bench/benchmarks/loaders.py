"""How fast and in how much memory do loaders read stores, and how much does a look at an unchanged store cost?"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import orjson

from bench.datasets import agent_lines, agent_rows, agent_stores
from bench.reporting.process_usage import bytes_read_by, peak_bytes
from bench.reporting.report import Report, Table

FORMATS = {**agent_lines.FORMATS, **agent_rows.FORMATS}
WANTED = {"lines": 80.0, "database": 40.0}  # MB a second of CPU; of a database, of its text
MEMORY_MB = 64 * 1.048576  # above the largest record
STALL_MS = 50.0  # the time that a line over a mebibyte may block other threads
HUGE = 1 << 25  # bytes of that line
SHARED = Path(__file__).resolve().parents[3] / "shared" / "stores"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--megabytes", type=int, default=200, help="of every generated store (default %(default)s)")
    parser.add_argument("--formats", default=",".join(FORMATS), help="comma separated (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="readings; the fastest counts (default %(default)s)")
    parser.add_argument("--stores", type=Path, default=SHARED, help="real stores, read too where they are there")


def run(options: argparse.Namespace) -> Report:
    report = Report("loaders", __doc__ or "", f"{options.megabytes} MB a format, generated")
    names, rows = options.formats.split(","), []
    if unknown := [name for name in names if name not in FORMATS]:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {', '.join(unknown)}")
    for name in names:
        form = FORMATS[name]
        with tempfile.TemporaryDirectory(prefix="bench-loaders-") as folder:
            made = agent_stores.write(form, Path(folder) / "store", options.megabytes * 1_000_000)
            got = _measure("read", str(made.where), str(options.rounds))
        rate = made.size / 1e6 / got["cpu"]
        whole = (got["sessions"], got["malformed"]) == (made.sessions, 0)
        whole &= form.kind == "markdown" or got["parts"] == made.parts
        report.check(f"{name}: all of it is read", whole, f"{got['sessions']} sessions, {got['parts']} parts")
        report.add(f"{name}/rate", rate, "MB/s CPU", "higher", 0.15, options.rounds)
        report.add(f"{name}/memory", got["memory"], "MB", "lower", 0.2)
        report.add(f"{name}/idle", got["idle"] * 1e6, "us a unit", "lower", 0.3)
        if form.kind in WANTED:
            report.check(f"{name}: at least {WANTED[form.kind]:g} MB/s CPU", rate >= WANTED[form.kind], f"{rate:.0f}")
        report.check(f"{name}: at most {MEMORY_MB:.0f} MB", got["memory"] <= MEMORY_MB, f"{got['memory']:.0f} MB")
        if form.kind != "database" and got["read"] is not None:  # signatures of a database read from it
            report.check(f"{name}: idle, no content is read", not got["read"], f"{got['read']} bytes")
        idle = f"{got['idle'] * 1e6:.0f}"
        rows.append([name, f"{made.size / 1e6:.0f}", f"{rate:.0f}", f"{got['memory']:.0f}", idle])
    columns = ["format", "MB", "MB/s CPU", "MB above before", "idle us a unit"]
    report.tables.append(Table("generated stores; of databases the text counts", columns, rows))
    if options.stores.is_dir():
        got = _measure("read", str(options.stores), str(options.rounds))
        rate = got["bytes"] / 1e6 / got["cpu"]
        report.add("real stores/rate", rate, "MB/s CPU", "higher", 0.15, options.rounds)
        figures = [str(got["sessions"]), f"{got['bytes'] / 1e6:.1f}", f"{rate:.0f}", f"{got['memory']:.0f}"]
        report.tables.append(Table("real stores", ["sessions", "MB", "MB/s CPU", "MB above before"], [figures]))
        report.check("real stores are read", got["sessions"] > 0, str(options.stores.name))
    _huge(report)
    return report


def _huge(report: Report) -> None:
    """Measure one line of 32 MiB: the memory it needs beyond itself, and the time it keeps another thread waiting."""
    with tempfile.TemporaryDirectory(prefix="bench-loaders-") as folder:
        path = Path(folder) / "huge.jsonl"
        text = "a line that is far too long, " * (HUGE // 29)
        parts = [{"id": "p", "type": "tool", "tool": "cat", "output": text}]
        path.write_bytes(orjson.dumps({"t": "message", "id": "m", "session": "s", "role": "assistant", "parts": parts}))
        got = _measure("stall", str(path), "5")
    over = got["memory"] - HUGE / 1e6
    report.add("line of 32 MiB/memory above it", over, "MB", "lower", 0.2)
    report.add("line of 32 MiB/stall", got["stall"], "ms", "lower", 0.5, 5)
    report.check(
        f"a line of 32 MiB needs at most {MEMORY_MB:.0f} MB beyond itself", over <= MEMORY_MB, f"{over:.0f} MB"
    )
    found = f"{got['stall']:.1f} ms, {got['noise']:.1f} ms without it"
    report.check(f"it stalls no thread over {STALL_MS:g} ms", got["stall"] - got["noise"] <= STALL_MS, found)


def _measure(what: str, where: str, rounds: str) -> dict[str, Any]:
    """Run `child` in a process of its own, so that its peak memory is its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.benchmarks.loaders", what, where, rounds],
        capture_output=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    return dict(orjson.loads(done.stdout.splitlines()[-1]))


def child(what: str, where: str, rounds: int) -> dict[str, Any]:
    """Read all units one after the other and release each of them, as a refresh does."""
    from recall_rank.loaders import open_sources

    sources = open_sources(where)
    if what == "stall":
        return _stalled(sources, rounds)
    before = peak_bytes()
    best = float("inf")
    counts: dict[str, int] = {}
    for _ in range(rounds):
        begun = time.process_time()
        counts = _read(sources)
        best = min(best, time.process_time() - begun)
    memory = (peak_bytes() - before) / 1e6
    units = [(source, list(source.units())) for source in sources]
    for source, listed in units:
        for unit in listed[:1]:
            source.signature(unit)  # a database is asked once for all of its sessions

    def look_again() -> None:
        for source, listed in units:
            for unit in listed:
                source.signature(unit)

    begun = time.process_time()
    read = bytes_read_by(look_again)
    idle = (time.process_time() - begun) / max(1, sum(len(listed) for _, listed in units))
    size = sum(path.stat().st_size for path in Path(where).rglob("*") if path.is_file()) if Path(where).is_dir() else 0
    return {**counts, "cpu": best, "memory": memory, "idle": idle, "read": read, "bytes": size}


def _read(sources: list[Any], most: int | None = None) -> dict[str, int]:
    sessions = parts = malformed = 0
    for source in sources:
        with source if hasattr(source, "__enter__") else contextlib.nullcontext():
            for unit in list(source.units())[:most]:
                reading = source.read(unit)
                sessions += len(reading.sessions)
                parts += sum(len(message.parts) for session in reading.sessions for message in session.messages)
                malformed += len(reading.malformed)
                del reading
    return {"sessions": sessions, "parts": parts, "malformed": malformed}


def _stalled(sources: list[Any], rounds: int) -> dict[str, Any]:
    """The longest wait of a thread that wants to go on every millisecond, in the middle of several readings."""
    longest: list[float] = []
    quiet: list[float] = []
    counts: dict[str, int] = {}
    before = peak_bytes()
    for _ in range(rounds):
        done = threading.Event()
        gaps: list[float] = []

        def tick(done: threading.Event = done, gaps: list[float] = gaps) -> None:
            last = time.perf_counter()
            while not done.is_set():
                time.sleep(0.001)
                now = time.perf_counter()
                gaps.append(now - last)
                last = now

        thread = threading.Thread(target=tick)
        thread.start()
        begun = time.perf_counter()
        counts = _read(sources)
        took, read = time.perf_counter() - begun, len(gaps)
        time.sleep(took)  # gaps without reading, which are the machine's own
        done.set()
        thread.join()
        longest.append(max(gaps[:read], default=took))
        quiet.append(max(gaps[read + 1 :], default=0.0))
    stall, noise = statistics.median(longest) * 1e3, statistics.median(quiet) * 1e3
    return {**counts, "stall": stall, "noise": noise, "memory": (peak_bytes() - before) / 1e6}


if __name__ == "__main__":
    sys.stdout.buffer.write(orjson.dumps(child(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
