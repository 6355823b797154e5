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

from bench.datasets.agent_lines import FORMATS
from bench.datasets.agent_stores import write
from bench.reporting.report import Report, Table

if TYPE_CHECKING:
    import argparse

LIMIT_MS = 30.0
HISTORY_BYTES = 30 << 20
# CPU of a hook by that of an interpreter that imports nothing, in turns: 120 ms where Python starts in 20.
MOST_OF_BARE = {"refers to nothing earlier": 2.0, "refers to earlier work": 6.0}
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
    """Measure `recall-rank hook` over a generated history and two messages of Claude Code, for a message of each sort.

    Each turn starts a bare interpreter, too, so that other load affects both.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        store = home / ".claude" / "projects" / "-srv-quay" / "5e0f9d2a-0000-4000-8000-00000000000a.jsonl"
        store.parent.mkdir(parents=True)
        store.write_text("".join(_record(at, said) for at, said in enumerate(SAID)), encoding="utf-8")
        write(FORMATS["claude-code"], home / ".claude", HISTORY_BYTES)
        environ = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        environ |= {"HOME": folder, "PYTHONPYCACHEPREFIX": str(home / "compiled")}
        _hook(environ, "refresh", "")
        rows = []
        for what, prompt in MESSAGES.items():
            call = json.dumps({"session_id": "asks", "cwd": folder, "prompt": prompt})
            words = "hook claude-code UserPromptSubmit"
            has_hit = "recall-auto" in _hook(environ, words, call)[2]
            report.check(f"a message that {what} is answered rightly", has_hit == (prompt == ASKS), str(has_hit))
            spent = [(_ended(environ, "-c", "pass"), _hook(environ, words, call)) for _ in range(rounds)]
            wall = statistics.median(hook[0] for _, hook in spent) * 1e3
            used = statistics.median(hook[1] for _, hook in spent) * 1e3
            ratio = statistics.median(hook[1] / bare[1] for bare, hook in spent)
            rows.append([what, f"{wall:.0f}", f"{used:.0f}", f"{ratio:.1f}"])
            report.add(f"hook, a message that {what}", used, "ms", "lower", 0.5, rounds)
            report.add(f"hook / bare interpreter, a message that {what}", ratio, "ratio", "lower", 0.2, rounds)
            most = MOST_OF_BARE[what]
            told = f"a message that {what} takes at most {most:g} times the CPU of a bare interpreter"
            report.check(told, ratio <= most, f"{ratio:.1f}")
        title = f"recall-rank hook over {HISTORY_BYTES >> 20} MiB, median of processes"
        report.tables.append(Table(title, ["a message that", "wall ms", "CPU ms", "of a bare interpreter"], rows))


def _record(at: int, said: str) -> str:
    role = "assistant" if at % 2 else "user"
    about = {"type": role, "uuid": f"u{at}", "sessionId": "5e0f9d2a-0000-4000-8000-00000000000a", "cwd": "/srv/quay"}
    stamp = {"timestamp": f"2026-03-01T10:00:0{at}.000Z"}
    return json.dumps({**about, **stamp, "message": {"role": role, "content": said}}) + "\n"


def _hook(environ: dict[str, str], words: str, call: str) -> tuple[float, float, str]:
    """Return wall seconds, CPU seconds and stdout of `recall-rank WORDS`."""
    return _ended(environ, "-m", "recall_rank", *words.split(), call=call)


def _ended(environ: dict[str, str], *words: str, call: str = "") -> tuple[float, float, str]:
    """Return wall seconds, CPU seconds and stdout of Python with these words, which must end with 0."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, *words],
        input=call, capture_output=True, text=True, check=False, env=environ, cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def _python(code: str, *arguments: str) -> str:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, cwd=root
    )
    return done.stdout.strip()
