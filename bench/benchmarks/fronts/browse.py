"""How soon are the list of `recall-rank browse`, the answer to a key, and a page of `recall-rank web` there?"""

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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.benchmarks.fronts import web_pages
from bench.datasets.generate import sessions
from bench.reporting.report import Report, Table
from recall_rank import Recall
from recall_rank.frontends.cli.commands.hits.browse import FRAMES
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
_ROOT = Path(__file__).resolve().parents[3]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--parts", type=int, default=37_853, help="parts of the generated history (default %(default)s)"
    )
    parser.add_argument("--loads", type=int, default=20, help="loads of each page of web (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=7, help="pickers started (default %(default)s)")


def run(options: argparse.Namespace) -> Report:
    settings = {"parts": options.parts, "rounds": options.rounds, "loads": options.loads}
    report = Report("browse", __doc__ or "", f"generated, {options.parts:,} parts", settings)
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
        web_pages.add_page_loads(report, sessions(options.parts), QUERIES, options.loads)
    return report


def _start(path: Path, cache: Path) -> tuple[float, float, float]:
    """Return wall ms until the first frame and until the list are written to a terminal, and CPU ms of the process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with _picker(path, cache) as control:
        written = _written(control, FRAME)
        frame = (time.perf_counter() - began) * 1e3
        _written(control, LIST, written)
        listed = (time.perf_counter() - began) * 1e3
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
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
    os.environ.setdefault(*FRAMES)  # as the command does, before Textual is imported
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


@contextmanager
def _picker(path: Path, cache: Path) -> Iterator[int]:
    """Start `recall-rank browse` on a terminal; gives the descriptor that reads what it writes and takes keys."""
    env = {**os.environ, "PYTHONPATH": str(_ROOT), "TERM": "xterm-256color"}
    env |= {"COLUMNS": str(SIZE[0]), "LINES": str(SIZE[1])}
    command = [sys.executable, "-m", "recall_rank", "browse", "--history", str(path), "--cache", str(cache)]
    control, side = pty.openpty()
    with subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=env, start_new_session=True) as process:
        os.close(side)
        try:
            yield control
            os.write(control, b"\x03")
            end = time.perf_counter() + 30
            while process.poll() is None and time.perf_counter() < end:
                _rest(control, 0.05)
        finally:
            os.close(control)
            process.kill()


def _written(control: int, wanted: re.Pattern[bytes], written: bytes = b"") -> bytes:
    """Wait until `wanted` and the rest of its frame are written to the terminal; return what was read, behind
    `written`.
    """
    end = time.perf_counter() + 120
    while not wanted.search(written):
        if time.perf_counter() > end:
            raise SystemExit(f"not drawn: {wanted.pattern!r}, but {written[-2000:]!r}")
        if select.select([control], [], [], 0.05)[0]:
            written += os.read(control, 65536)
    while select.select([control], [], [], 0.0)[0]:
        written += os.read(control, 65536)
    return written


def _rest(control: int, seconds: float) -> None:
    """Let time pass; what is written meanwhile is read."""
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        if select.select([control], [], [], left)[0]:
            try:
                os.read(control, 65536)
            except OSError:  # the process has ended
                return
