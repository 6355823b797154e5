"""Runs command lines with the package of one checkout, and compares what two checkouts did."""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.reporting.same_cli.command_lines import QUERIES, CommandLine

TIMEOUT_S: Final = 120.0
LINES_SHOWN: Final = 16  # lines of a difference that are printed
WIDEST: Final = 400  # characters of a printed line
MODIFIED: Final = 1_790_000_000  # modification time of the history files, s
CLOCK: Final = "import os, time\nNOW = float(os.environ['SAME_CLI_NOW'])\ntime.time = lambda: NOW\n"  # sitecustomize
STORE_HOMES: Final = {"claude-code": ".claude", "codex": ".codex", "gemini-cli": ".gemini"}  # where discovery looks
_DURATIONS: Final = r"elapsed_ms|cpu_ms|stale_ms|ms|cpu_ms_p\d\d|elapsedMs|cpuMs|staleMs"
# durations; the name and size of a cache folder, which are made from full paths; the number that marks quotes
_VARYING: Final = (
    (re.compile(rf'(\\?"(?:{_DURATIONS})\\?": ?)[-+\d.e]+'), r"\1#"),
    (re.compile(r"\bin [\d,.]+ ms$", re.MULTILINE), "in # ms"),
    (re.compile(r"(\d%) +[\d.]+ +[\d.]+$", re.MULTILINE), r"\1 # #"),
    (re.compile(r" +ms p50 +ms p95$", re.MULTILINE), " ms p50 ms p95"),
    (re.compile(r"\bindex-[0-9a-f]{16}\b"), "index-#"),
    (re.compile(r"\b[0-9a-f]{32}\b(?=>>>|\.)"), "#"),
    (re.compile(r'("ok":true,"files":\d+,"bytes":)\d+'), r"\1#"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The exit status of a command line, and its output without durations and paths."""

    status: int
    stdout: str
    stderr: str


def furnish(working: Path, stores: Path | None) -> list[str]:
    """Fill a new working folder with histories, queries, a fixed clock and copies of the stores; return their names."""
    from recall_rank.frontends import demo

    home = working / "home"
    home.mkdir(parents=True)
    (working / "clock").mkdir()
    (working / "clock" / "sitecustomize.py").write_text(CLOCK, encoding="utf-8")
    shutil.copy2(Path(next(iter(demo.__path__))) / "history.jsonl", working / "history.jsonl")
    (working / "queries.jsonl").write_text(QUERIES, encoding="utf-8")
    lines = (working / "history.jsonl").read_text("utf-8").splitlines()[:4]
    broken = [*lines[:3], lines[3][: len(lines[3]) // 2], '{"t": "other"}', "[]", '{"t": "message", "parts": 3}']
    (working / "broken.jsonl").write_text("\n".join(broken), encoding="utf-8")
    for path in working.glob("*.jsonl"):
        os.utime(path, (MODIFIED, MODIFIED))
    if stores is None:
        return []
    names = sorted(path.name for path in stores.iterdir() if path.is_dir())
    for name in names:
        shutil.copytree(stores / name, working / "stores" / name)
        if name in STORE_HOMES:
            shutil.copytree(stores / name, home / STORE_HOMES[name])
    for path in working.rglob("*"):
        path.chmod(path.stat().st_mode | 0o600 | (0o100 if path.is_dir() else 0))  # the data folder may be read-only
    return names


def run(checkout: Path, working: Path, line: CommandLine, now: float) -> Outcome:
    """Run one command line with a checkout's package in a furnished folder, at the time `now` (s)."""
    home = working / "home"
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config")}
    environment |= {"XDG_DATA_HOME": str(home / "data"), "PYTHONPATH": f"{checkout}{os.pathsep}{working / 'clock'}"}
    environment |= {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8", "COLUMNS": "100", "SAME_CLI_NOW": str(now)}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "recall_rank", *line.words],
            cwd=working,
            env=environment,
            input=line.stdin.encode(),
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(-1, "", f"no end after {TIMEOUT_S:.0f} seconds")
    texts = (written.decode("utf-8", "backslashreplace") for written in (done.stdout, done.stderr))
    return Outcome(done.returncode, *(normalized(text, checkout, working) for text in texts))


def normalized(text: str, checkout: Path, working: Path) -> str:
    """Return the text with durations and the names of both folders replaced."""
    text = text.replace(str(working), "<working>").replace(str(checkout), "<checkout>")
    for pattern, replacement in _VARYING:
        text = pattern.sub(replacement, text)
    return text


def run_all(checkout: Path, working: Path, lines: Sequence[CommandLine], now: float) -> list[Outcome]:
    """Run every command line in order: later ones find the cache of earlier ones.

    Raises SystemExit when the package that runs is not the checkout's.
    """
    version = run(checkout, working, CommandLine(("--version",)), now)
    imported = subprocess.run(
        [sys.executable, "-P", "-c", "import recall_rank; print(recall_rank.__file__)"],
        env=os.environ | {"PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    if version.status or not Path(imported.strip()).resolve().is_relative_to(checkout):
        raise SystemExit(f"{checkout} does not run: {version.stderr or imported}")
    return [run(checkout, working, line, now) for line in lines]


def session_ids(outcome: Outcome) -> list[str]:
    """Return the ids that a command line `sessions --json` lists."""
    return [session["id"] for session in json.loads(outcome.stdout).get("sessions", [])]


def difference(base: Outcome, checkout: Outcome) -> Iterator[str]:
    """Yield the lines that show the differences of two outcomes; none when they are equal."""
    if base.status != checkout.status:
        yield f"    exit status: base {base.status}, checkout {checkout.status}"
    outputs = (("stdout", base.stdout, checkout.stdout), ("stderr", base.stderr, checkout.stderr))
    for name, left, right in outputs:
        if left != right:
            lines = difflib.unified_diff(_lines(left), _lines(right), "base", "checkout", n=0, lineterm="")
            shown = list(lines)[2:]
            yield f"    {name}:"
            yield from (f"      {line[:WIDEST]}" for line in shown[:LINES_SHOWN])
            if len(shown) > LINES_SHOWN:
                yield f"      and {len(shown) - LINES_SHOWN} more lines"


def _lines(text: str) -> list[str]:
    """Return the lines of an output; lines of JSON are cut at their commas, so that a difference is visible."""
    cut = (re.sub(r',(?=")', ",\n", line) if line.startswith("{") else line for line in text.splitlines())
    return [piece for line in cut for piece in line.split("\n")]
