"""How much CPU do `import recall_rank` and a hook of a host take, beyond a bare interpreter?"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.reporting.report import Report, Table

if TYPE_CHECKING:
    import argparse

LIMIT_MS = 30.0
HEAVY = ("numpy", "rapidfuzz", "orjson")
ASKS = "what did we decide about the ferry tariff last time?"
MESSAGES = {"refers to nothing earlier": "please write a parser for dates", "refers to earlier work": ASKS}
SAID = ("which color has the ferry tariff page?", "We decided to use amber for the ferry tariff.")
CODE = """
import resource, sys
{statement}
usage = resource.getrusage(resource.RUSAGE_SELF)
print(usage.ru_utime + usage.ru_stime, *(name for name in {heavy!r} if name in sys.modules))
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rounds", type=int, default=15, help="interpreters started of each sort (default %(default)s)"
    )


def run(options: argparse.Namespace) -> Report:
    report = Report("startup", __doc__ or "", "none")
    statements = {"bare": "pass", "recall_rank": "import recall_rank", "Index": "from recall_rank import Index"}
    spent: dict[str, list[float]] = {name: [] for name in statements}
    loaded: dict[str, list[str]] = {}
    for _ in range(options.rounds):  # interleaved, so that other load affects all of them
        for name, statement in statements.items():
            words = _python(CODE.format(statement=statement, heavy=HEAVY)).split()
            spent[name].append(float(words[0]) * 1e3)
            loaded[name] = words[1:]
    rows = []
    bare = statistics.median(spent["bare"])
    for name, values in spent.items():
        middle = statistics.median(values)
        rows.append([statements[name], f"{middle:.1f}", f"{middle - bare:+.1f}", " ".join(loaded[name]) or "none"])
    report.tables.append(Table("CPU ms of an interpreter, median", ["statement", "CPU ms", "over bare", "loads"], rows))
    over = statistics.median(spent["recall_rank"]) - bare
    report.add("import over bare", over, "ms", "lower", 0.5, options.rounds)
    report.check(f"import within {LIMIT_MS:g} ms CPU", over <= LIMIT_MS, f"{over:.1f} ms")
    report.check(f"import loads none of {', '.join(HEAVY)}", not loaded["recall_rank"], " ".join(loaded["recall_rank"]))
    _hooks(report, options.rounds)
    return report


def _hooks(report: Report, rounds: int) -> None:
    """Measure `recall-rank hook` over the demo history, for a message of each sort."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        store = home / ".claude" / "projects" / "-srv-quay" / "5e0f9d2a-0000-4000-8000-00000000000a.jsonl"
        store.parent.mkdir(parents=True)
        store.write_text("".join(_record(at, said) for at, said in enumerate(SAID)), encoding="utf-8")
        environ = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        environ |= {"HOME": folder, "PYTHONPYCACHEPREFIX": str(home / "compiled")}
        _hook(environ, "refresh", "", status=0)
        rows = []
        for what, prompt in MESSAGES.items():
            call = json.dumps({"session_id": "asks", "cwd": folder, "prompt": prompt})
            words = "hook claude-code UserPromptSubmit"
            has_hit = "recall-auto" in _hook(environ, words, call)[2]
            report.check(f"a message that {what} is answered rightly", has_hit == (prompt == ASKS), str(has_hit))
            spent = [_hook(environ, words, call)[:2] for _ in range(rounds)]
            wall, used = (statistics.median(each[at] for each in spent) * 1e3 for at in (0, 1))
            rows.append([what, f"{wall:.0f}", f"{used:.0f}"])
            report.add(f"hook, a message that {what}", used, "ms", "lower", 0.5, rounds)
        report.tables.append(
            Table("recall-rank hook, median of processes", ["a message that", "wall ms", "CPU ms"], rows)
        )


def _record(at: int, said: str) -> str:
    role = "assistant" if at % 2 else "user"
    about = {"type": role, "uuid": f"u{at}", "sessionId": "5e0f9d2a-0000-4000-8000-00000000000a", "cwd": "/srv/quay"}
    stamp = {"timestamp": f"2026-03-01T10:00:0{at}.000Z"}
    return json.dumps({**about, **stamp, "message": {"role": role, "content": said}}) + "\n"


def _hook(environ: dict[str, str], words: str, call: str, status: int = 0) -> tuple[float, float, str]:
    """Return wall seconds, CPU seconds and stdout of `recall-rank WORDS`, which must end with `status`."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "recall_rank", *words.split()],
        input=call, capture_output=True, text=True, check=False, env=environ, cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != status:
        raise SystemExit(f"recall-rank {words}: {done.stderr}")
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def _python(code: str, *arguments: str) -> str:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, cwd=root
    )
    return done.stdout.strip()
