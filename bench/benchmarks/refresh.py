"""How much does it cost to refresh an index on disk, and to search with a process that just started?"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.datasets.agent_lines import claude
from bench.datasets.agent_stores import KEY
from bench.datasets.generate import sessions
from bench.datasets.history_files import HISTORIES
from bench.reporting.process_usage import bytes_read_by
from bench.reporting.report import Report, Table
from recall_rank.corpus import index_of_segments
from recall_rank.histories.cache.refresh import RefreshOutcome, refresh
from recall_rank.histories.cache.store import find
from recall_rank.index.segment.build import build
from recall_rank.loaders import open_sources, read_all

if TYPE_CHECKING:
    import argparse

    from recall_rank.model import Source

CHANGED = 10
REFRESH_MS, OPEN_MS, SEARCH_MS, SEARCH_MIB = 50.0, 2.0, 250.0, 150.0
# the process reports its own peak: the system counts the parent's memory in that of a child
SEARCH = """
import atexit, sys
from bench.reporting.process_usage import peak_bytes
from recall_rank.frontends.cli.main import main
atexit.register(lambda: sys.stderr.write(str(peak_bytes())))
main()
"""
BESIDE = ("pass", "import rapidfuzz, numpy")
PER_FILE = 4096  # bytes that a signature reads: both ends of a file


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sessions", type=int, default=300, help="transcripts (default %(default)s)")
    parser.add_argument("--refreshes", type=int, default=7, help="refreshes that are measured (default %(default)s)")
    parser.add_argument("--searches", type=int, default=20, help="processes that search (default %(default)s)")
    parser.add_argument("--beside", type=float, default=5.0, help="seconds beside a database (default %(default)s)")


def run(options: argparse.Namespace) -> Report:
    report = Report("refresh", __doc__ or "", f"generated, {options.sessions} transcripts")
    with tempfile.TemporaryDirectory() as folder:
        home, index = Path(folder) / "home", Path(folder) / "index"
        files = _written(home, options.sessions)
        sources = open_sources(home)
        first = refresh(index, sources)
        grown = [first]
        for number in range(options.refreshes):
            grown.append(_appended(index, sources, files, number, grown[-1]))
        del grown[0]
        idle, read = _idle(index, sources)
        opening = _opening(index)
        spent = statistics.median(each.report.cpu_ms for each in grown)
        size = sum(path.stat().st_size for path in files)
        rows = [
            ["first", f"{first.report.cpu_ms:.0f}", f"{first.report.indexed:,} sessions, {size / 1e6:.0f} MB"],
            [f"{CHANGED} messages more", f"{spent:.1f}", f"{grown[-1].report.units} files read"],
            ["nothing", f"{idle:.1f}", f"{'?' if read is None else f'{read:,}'} bytes read of {len(files)} files"],
            ["open", f"{opening:.2f}", f"{len(grown[-1].state.segments)} segments"],
        ]
        report.tables.append(Table("CPU ms of a refresh", ["after", "CPU ms", "what"], rows))
        report.add("refresh", spent, "ms", "lower", 0.2, options.refreshes)
        report.add("idle refresh", idle, "ms", "lower", 0.2, options.refreshes)
        report.check(f"{CHANGED} messages within {REFRESH_MS:g} ms CPU", spent <= REFRESH_MS, f"{spent:.1f} ms")
        report.check("only grown files are read", all(each.report.units == CHANGED for each in grown))
        if read is not None:
            most = PER_FILE * len(files) + (1 << 20)
            report.check("an idle refresh reads the ends of files", 0 < read <= most, f"{read:,}")
        report.check(f"open within {OPEN_MS:g} ms", opening <= OPEN_MS, f"{opening:.2f} ms")
        report.check("answers equal those of an index built anew", _answers_alike(grown[-1], sources))
        _beside(report, Path(folder), options.beside)
    _searches(report, options)
    return report


def _written(home: Path, count: int) -> list[Path]:
    folder = home / ".claude" / "projects" / "-home-mara-lamp"
    folder.mkdir(parents=True)
    files = []
    for number, session in enumerate(sessions(120 * count)):
        if number == count:
            break
        key = f"{number:08x}-aaaa-4bbb-8ccc-000000000001"
        path = folder / f"{key}.jsonl"
        path.write_bytes(claude(session).replace(KEY.encode(), key.encode()))
        files.append(path)
    return files


def _appended(
    index: Path, sources: list[Source], files: list[Path], number: int, held: RefreshOutcome
) -> RefreshOutcome:
    for at in range(CHANGED):
        path = files[(number * CHANGED + at) % len(files)]
        record = json.loads(path.read_bytes().splitlines()[-1])
        record["parentUuid"], record["uuid"] = record["uuid"], f"{record['uuid']}-{number}"
        record["type"], record["message"] = "user", {"role": "user", "content": f"And now number {number} of this?"}
        with path.open("ab") as file:
            file.write(json.dumps(record).encode() + b"\n")
    return refresh(index, sources, held=held.state)


def _idle(index: Path, sources: list[Source]) -> tuple[float, int | None]:
    """Return the CPU time in ms of a refresh of unchanged sources, and the bytes it reads; None where the system
    does not tell.
    """
    read = bytes_read_by(lambda: refresh(index, sources))
    done = [refresh(index, sources).report for _ in range(5)]
    if any(each.changed for each in done):
        raise ValueError("there was something to do")
    return statistics.median(each.cpu_ms for each in done), read


def _opening(index: Path) -> float:
    spent = []
    for _ in range(20):
        started = time.process_time()
        state = find(index).state
        spent.append((time.process_time() - started) * 1e3)
        if state is None:
            return float("nan")
    return statistics.median(spent)


def _answers_alike(done: RefreshOutcome, sources: list[Source]) -> bool:
    one = index_of_segments(done.state.segments, done.state.dead)
    two = index_of_segments([build(read_all(sources)[0])])
    asked = ("And now number 3 of this?", "error", "build the parser")
    found = [
        [[(hit.part_id, hit.score) for hit in each.search(text, now=0).results] for text in asked]
        for each in (one, two)
    ]
    return found[0] == found[1]


def _beside(report: Report, folder: Path, seconds: float) -> None:
    """Count the refreshes that happen beside a database that another connection holds open without changing it."""
    path = folder / "db" / "opencode.db"
    path.parent.mkdir()
    schema = """
    CREATE TABLE session (id text PRIMARY KEY, time_updated integer); CREATE TABLE project (id text, worktree text);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text);
    INSERT INTO session VALUES ('s', 1); INSERT INTO message VALUES ('m', 's', '{"role": "user"}');
    INSERT INTO part VALUES ('p', 'm', 's', '{"type": "text", "text": "lantern"}');
    """
    with contextlib.closing(sqlite3.connect(path)) as program:
        program.execute("PRAGMA journal_mode=WAL")
        program.executescript(schema)
        index, sources = folder / "beside", open_sources(path)
        refresh(index, sources)
        ends = time.monotonic() + seconds
        looks = changed = 0
        while time.monotonic() < ends:
            changed += refresh(index, sources).report.changed
            looks += 1
            time.sleep(0.05)
    report.check(f"{seconds:g} s beside a quiet database: no refresh", not changed, f"{changed} in {looks} looks")


def _searches(report: Report, options: argparse.Namespace) -> None:
    """Measure searches by processes that just started, with a warm cache."""
    history = HISTORIES / "history.jsonl.xz"
    if not history.exists():
        return
    with tempfile.TemporaryDirectory() as cache:
        words = ["search", "retry backoff", "--history", str(history), "--cache", cache, "--json"]
        first = _searched(words)
        runs: list[dict[str, Any]] = []
        beside: dict[str, list[dict[str, Any]]] = {f"python -c {code}": [] for code in BESIDE}
        for _ in range(options.searches):  # interleaved, so that other load affects all of them
            runs.append(_searched(words))
            for code in BESIDE:
                beside[f"python -c {code}"].append(_timed(["-c", code])[0])
        wall = statistics.median(each["wall"] for each in runs)
        memory = max(each["memory"] for each in runs)
        cpu = statistics.median(each["cpu"] for each in runs)
    bare = statistics.median(each["cpu"] for each in beside["python -c pass"])
    shown = {"search, cold": [first], "search, warm": runs, **beside}
    rows = [
        [
            name,
            f"{statistics.median(each['wall'] for each in timed):.0f}",
            f"{statistics.median(each['cpu'] for each in timed):.0f}",
            f"{statistics.median(each['cpu'] for each in timed) / bare:.1f}",
            f"{max(each['memory'] for each in timed):.0f}" if "memory" in timed[0] else "",
        ]
        for name, timed in shown.items()
    ]
    columns = ["process", "wall ms", "CPU ms", "times a bare one", "MiB"]
    report.tables.append(Table(f"whole processes, medians of {len(runs)} interleaved", columns, rows))
    report.add("search, CPU over a bare process", cpu / bare, "x", "lower", 0.2, len(runs))
    report.add("search, whole process", wall, "ms", "lower", 0.3, len(runs))
    report.check(f"a search within {SEARCH_MS:g} ms", wall <= SEARCH_MS, f"{wall:.0f} ms wall, {cpu:.0f} ms CPU")
    report.check(f"a search within {SEARCH_MIB:g} MiB", memory <= SEARCH_MIB, f"{memory:.0f} MiB")
    report.check(
        "searches with and without a cache find equal results", all(each["found"] == first["found"] for each in runs)
    )


def _searched(words: list[str]) -> dict[str, Any]:
    spent, out, told = _timed(["-c", SEARCH, *words])
    return {
        **spent,
        "memory": int(told.split()[-1]) / 2**20,
        "found": [hit["part_id"] for hit in json.loads(out)["results"]],
    }


def _timed(arguments: list[str]) -> tuple[dict[str, float], bytes, bytes]:
    """Return the time of an interpreter, and its output. Modules are compiled already, as those of an installed
    package.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    root = Path(__file__).resolve().parents[2]
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root, env=environment
    ) as process:
        out, told = process.stdout.read(), process.stderr.read()  # type: ignore[union-attr]
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    wall = (time.perf_counter() - started) * 1e3
    return {"wall": wall, "cpu": (used.ru_utime + used.ru_stime) * 1e3}, out, told
