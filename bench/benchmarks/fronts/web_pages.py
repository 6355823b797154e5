"""How soon is a page for a browser there, how soon do hits follow a key, and how smoothly does a session scroll?"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from bench.datasets import dataset
from bench.reporting.report import Report, Table
from recall_rank.frontends.cli.output.export_formats import history_lines
from recall_rank.model import Message, Part, Session

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

LONG: Final = 5_000  # messages of the session that is scrolled
LONG_ID: Final = "web-pages-long"
MOST_PAINT_MS: Final = 300.0
MOST_TASK_MS: Final = 100.0
MOST_KEY_MS: Final = 300.0  # p95 from a key to its hits, of which the page waits 120 ms for the next key
TYPED: Final = ("lighthouse ferry", "rate limit", "flaky test")
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_ROOT: Final = str(Path(__file__).resolve().parents[3])
_WATCH: Final = """
window.longTasks = [];
new PerformanceObserver((list) => list.getEntries().forEach((task) => window.longTasks.push(task.duration)))
  .observe({ type: "longtask", buffered: true });
"""
_PAINT: Final = "(performance.getEntriesByName('first-contentful-paint')[0] || {}).startTime || 0"


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument("--calls", type=int, default=60, help="loads of each page (default %(default)s)")
    parser.add_argument("--paints", type=int, default=7, help="pages painted in Chromium (default %(default)s)")


def run(options: argparse.Namespace) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        data = dataset.load(options)
        report = Report("web_pages", __doc__ or "", data.name)
        history = _written([*data.sessions, _long()], Path(folder))
        queries = [one.query for one in data.queries[:: max(1, len(data.queries) // options.calls)]][: options.calls]
        with _server(history, Path(folder) / "cache") as first:
            _loads(report, first, queries, options.calls)
            browser = next(filter(None, map(shutil.which, BROWSERS)), None)
            if browser is None:
                report.tables.append(Table("Chromium is absent: nothing was painted", ["page"], []))
            else:
                _painted(report, first, browser, options.paints)
        return report


def add_page_loads(report: Report, sessions: Iterable[Session], queries: Sequence[str], calls: int) -> None:
    """Add the times of page loads over these sessions and a long one to a report."""
    with tempfile.TemporaryDirectory() as folder:
        history = _written([*sessions, _long()], Path(folder))
        with _server(history, Path(folder) / "cache") as first:
            _loads(report, first, [queries[at % len(queries)] for at in range(calls)], calls)


def _loads(report: Report, first: str, queries: Sequence[str], calls: int) -> None:
    """Time the loads of pages over HTTP, one after the other."""
    base = first.partition("/?")[0]
    client = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    began = time.perf_counter()
    client.open(first).read()
    report.add("first page", (time.perf_counter() - began) * 1e3, "ms", "lower", 0.5)
    pages = {
        "search": [f"/?{urllib.parse.urlencode({'q': query[:200]})}" for query in queries],
        f"session of {LONG:,} messages": [f"/session?id={LONG_ID}&page={1 + at % 50}" for at in range(calls)],
        "the same with matches": [f"/session?id={LONG_ID}&q=lighthouse&page={1 + at % 50}" for at in range(calls)],
        "activity": ["/activity"] * max(1, calls // 4),
        "sources": ["/coverage"] * max(1, calls // 4),
    }
    rows = []
    for name, addresses in pages.items():
        spent = sorted(_seconds(lambda at=at: client.open(base + at).read()) * 1e3 for at in addresses)  # type: ignore[misc]
        middle, high = statistics.median(spent), spent[int(len(spent) * 0.95)]
        rows.append([name, str(len(spent)), f"{middle:.1f}", f"{high:.1f}", f"{spent[-1]:.1f}"])
        report.add(f"{name}, p50", middle, "ms", "lower", 0.5, len(spent))
        report.add(f"{name}, p95", high, "ms", "lower", 0.5, len(spent))
    report.tables.append(Table("ms from a request to the whole page", ["page", "n", "p50", "p95", "most"], rows))


def _painted(report: Report, first: str, browser: str, paints: int) -> None:
    """Time paints, keys and scrolling in Chromium."""
    from playwright.sync_api import sync_playwright

    base = first.partition("/?")[0]
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1000, "height": 720})
        page.add_init_script(_WATCH)
        page.goto(first)
        rows = []
        for name, path in (("search", "/?q=rate+limit"), ("session", f"/session?id={LONG_ID}&q=lighthouse")):
            spent = sorted(_paint(page, base + path) for _ in range(paints))
            rows.append([name, str(paints), f"{statistics.median(spent):.0f}", f"{spent[-1]:.0f}"])
            report.add(f"first paint, {name}", statistics.median(spent), "ms", "lower", 0.5, paints)
            worst = statistics.median(spent)
            report.check(
                f"first paint of a {name} within {MOST_PAINT_MS:.0f} ms", worst <= MOST_PAINT_MS, f"{worst:.0f} ms"
            )
        report.tables.append(Table("ms to the first contentful paint", ["page", "n", "p50", "most"], rows))
        longest = _scrolled(page)
        report.add("longest task while scrolling", longest, "ms", "lower", 1.0)
        report.check(
            f"no task above {MOST_TASK_MS:.0f} ms while scrolling", longest <= MOST_TASK_MS, f"{longest:.0f} ms"
        )
        keys = sorted(_keys(page, base))
        middle, high = statistics.median(keys), keys[int(len(keys) * 0.95)]
        report.tables.append(
            Table("ms from a key to its hits", ["n", "p50", "p95"], [[str(len(keys)), f"{middle:.0f}", f"{high:.0f}"]])
        )
        report.add("key to hits, p50", middle, "ms", "lower", 0.5, len(keys))
        report.add("key to hits, p95", high, "ms", "lower", 0.5, len(keys))
        report.check(f"hits within {MOST_KEY_MS:.0f} ms of a key, p95", high <= MOST_KEY_MS, f"{high:.0f} ms")
        chromium.close()


def _paint(page: Any, address: str) -> float:
    page.goto(address)
    while not (painted := page.evaluate(_PAINT)):
        page.wait_for_timeout(5)
    return float(painted)


def _scrolled(page: Any) -> float:
    """Return the longest task, in ms, while the session that is shown is scrolled over many pages."""
    for _ in range(60):
        page.mouse.wheel(0, 20_000)
        page.wait_for_timeout(25)
    page.wait_for_timeout(200)
    return float(page.evaluate("Math.max(0, ...window.longTasks)"))


def _keys(page: Any, base: str) -> Iterator[float]:
    """Yield, for each key of some queries, the ms until its hits have replaced the last ones."""
    page.goto(f"{base}/")
    page.wait_for_load_state()
    for query in TYPED:
        page.locator("input.query").fill("")
        page.wait_for_timeout(500)
        for key in query:
            page.evaluate(
                "window.swapped = 0; document.body.addEventListener('htmx:afterSettle',"
                " () => { window.swapped = performance.now(); }, { once: true });"
                " document.addEventListener('keydown', () => { window.pressed = performance.now(); }, { once: true });"
            )
            page.keyboard.press("Space" if key == " " else key)
            for _ in range(1_000):
                if page.evaluate("window.swapped"):
                    yield float(page.evaluate("window.swapped - window.pressed"))
                    break
                page.wait_for_timeout(3)


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


@contextmanager
def _server(history: Path, cache: Path) -> Iterator[str]:
    """Start `recall-rank web` over a history; gives its first address."""
    words = ["-m", "recall_rank", "web", "--no-open", "--history", str(history), "--cache", str(cache)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (_ROOT, os.environ.get("PYTHONPATH", ""))))}
    with subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address.startswith("http://"):
                raise RuntimeError("recall-rank web did not start")
            yield address
        finally:
            process.terminate()


def _long() -> Session:
    """Return a session of LONG messages, of which each 50th names the lighthouse."""
    now = 1_780_000_000_000

    def said(number: int) -> Message:
        word = "the lighthouse blinks" if number % 50 == 0 else "the ferry waits"
        text = Part(
            f"p{number}", "text", f"{word}, line {number}\n\n```python\ndef berth(n):\n    return n + {number}\n```"
        )
        call = Part(f"t{number}", "tool", tool="bash", input={"command": f"ls -l /srv/{number}"}, output="ok\n" * 20)
        parts = (text, call) if number % 3 == 0 else (text,)
        return Message(f"m{number}", "assistant" if number % 2 else "user", now + number * 1000, parts)

    return Session(
        LONG_ID, tuple(map(said, range(1, LONG + 1))), "A long watch", "/srv/harbor", updated=now + LONG * 1000
    )


def _written(sessions: Iterable[Session], folder: Path) -> Path:
    path = folder / "history.jsonl"
    with path.open("wb") as file:
        file.writelines(orjson.dumps(line) + b"\n" for session in sessions for line in history_lines(session))
    return path
