"""How soon does `recall-rank browse` draw its first frame and its list, and how soon does a key change the list?"""

from __future__ import annotations

import asyncio
import os
import pty
import re
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.datasets.generate import sessions
from bench.reporting.report import Report, Table
from recall_rank import Recall
from recall_rank.frontends.cli.output.export_formats import history_lines
from recall_rank.loaders import open_sources
from recall_rank.model.serialize import json_line

if TYPE_CHECKING:
    import argparse

    from recall_rank.frontends.cli.browse.app import PickerApp

QUERIES = ("cannot read property", "connection refused", "retry backoff", "KeyError line", "missing import")
FIRST_MS = 300.0
KEY_MS = 30.0
SIZE = (80, 24)
# The first frame, and the figures of the status row, which come with the list.
FRAME = re.compile(rb"opening the histories")
LIST = re.compile(rb"sessions, newest")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--parts", type=int, default=37_853, help="parts of the generated history (default %(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=7, help="pickers started (default %(default)s)")


def run(options: argparse.Namespace) -> Report:
    report = Report("browse", __doc__ or "", f"generated, {options.parts:,} parts", vars(options))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.jsonl"
        with path.open("wb") as file:
            for session in sessions(options.parts):
                file.writelines(json_line(entry) + b"\n" for entry in history_lines(session))
        cache = Path(folder) / "cache"
        started = [_start(path, cache) for _ in range(options.rounds + 1)][1:]  # the first one makes the cache
        _tell_starts(report, started)
        with Recall(open_sources(path), cache / "pilot") as recall:
            recall.prepare()
            asyncio.run(_keys(report, recall))
    return report


def _start(path: Path, cache: Path) -> tuple[float, float, float]:
    """Return wall ms until the first frame and until the list are written to a terminal, and CPU ms of the process."""
    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONPATH": str(root), "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-m", "recall_rank", "browse", "--history", str(path), "--cache", str(cache)]
    control, side = pty.openpty()
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    written, frame, listed = b"", 0.0, 0.0
    with subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=env, start_new_session=True) as process:
        os.close(side)
        while not listed and time.perf_counter() - began < 120:
            if select.select([control], [], [], 0.05)[0]:
                written += os.read(control, 65536)
                passed = (time.perf_counter() - began) * 1e3
                frame = frame or (passed if FRAME.search(written) else 0.0)
                listed = passed if LIST.search(written) else 0.0
        os.write(control, b"\x03")
        while process.poll() is None and time.perf_counter() - began < 150:
            if select.select([control], [], [], 0.05)[0]:
                try:
                    os.read(control, 65536)
                except OSError:
                    break
        process.wait(10)
    os.close(control)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not (frame and listed):
        raise SystemExit(f"no list was drawn: {written[-2000:].decode('utf-8', 'replace')}")
    return frame, listed, (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e3


def _tell_starts(report: Report, started: list[tuple[float, float, float]]) -> None:
    rows = []
    for at, name in enumerate(("first frame, wall", "first list, wall", "whole process, CPU")):
        values = [each[at] for each in started]
        rows.append([name, f"{statistics.median(values):.0f}", f"{max(values):.0f}"])
        report.add(name, statistics.median(values), "ms", "lower", 0.5, len(values))
    report.tables.append(
        Table("ms from the start of the process, with the index in the cache", ["", "median", "most"], rows)
    )
    frame = statistics.median(each[0] for each in started)
    report.check(f"first frame within {FIRST_MS:g} ms", frame <= FIRST_MS, f"{frame:.0f} ms")


async def _keys(report: Report, recall: Recall) -> None:
    """Measure each key of some queries, from the key until the list that answers it is drawn, and compare the list with
    a search.
    """
    from textual import events

    from recall_rank.frontends.cli.browse.app import PickerApp
    from recall_rank.frontends.cli.browse.outcome import Surroundings
    from recall_rank.frontends.cli.browse.state import SearchState

    app = PickerApp(recall, SearchState(), Surroundings(lambda _: None, lambda _: ""))
    spent: list[float] = []
    used: list[float] = []
    wrong = 0
    async with app.run_test(size=SIZE):
        await _answered(app, "")
        for query in QUERIES:
            for end in range(1, len(query) + 1):
                began, cpu = time.perf_counter(), time.process_time()
                letter = query[end - 1]
                app.post_message(events.Key("space" if letter == " " else letter, letter))
                await _answered(app, query[:end])
                spent.append((time.perf_counter() - began) * 1e3)
                used.append((time.process_time() - cpu) * 1e3)
                await asyncio.sleep(0.1)  # as a person types
            expected = recall.search(query, results=app.state.limit, budget_ms=2000, syntax=True).results
            await asyncio.sleep(0.5)  # a search that the budget cut is made in full meanwhile
            shown = [entry.part_id for entry in app.hit_list.entries]
            wrong += shown != [hit.part_id for hit in expected]
            app.query_line.value = ""
            await _answered(app, "")
    spent.sort()
    used.sort()
    rows = []
    for name, values in (("key to results, wall", spent), ("key to results, CPU", used)):
        middle, late = statistics.median(values), values[int(len(values) * 0.95)]
        rows.append([name, f"{middle:.1f}", f"{late:.1f}", f"{values[-1]:.1f}"])
        report.add(f"{name}, p50", middle, "ms", "lower", 0.5, len(values))
        report.add(f"{name}, p95", late, "ms", "lower", 0.5, len(values))
    report.tables.append(Table(f"ms, {SIZE[0]} x {SIZE[1]}, {len(spent)} keys", ["", "p50", "p95", "most"], rows))
    late = spent[int(len(spent) * 0.95)]
    report.check(f"key to results within {KEY_MS:g} ms, p95", late <= KEY_MS, f"{late:.1f} ms")
    report.check("the list shows what a search finds", not wrong, f"{wrong} of {len(QUERIES)} queries differ")


async def _answered(app: PickerApp, query: str) -> None:
    """Wait until the list that answers the query is on the screen."""
    while app.found is None or app.found.state.query != query:  # noqa: ASYNC110 - the picker has no event for it
        await asyncio.sleep(0.001)
    drawn = asyncio.Event()
    app.call_after_refresh(drawn.set)
    await drawn.wait()
