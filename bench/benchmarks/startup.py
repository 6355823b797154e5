"""How much CPU does `import recall_rank` take beyond a bare interpreter?"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench.reporting.report import Report, Table

if TYPE_CHECKING:
    import argparse

LIMIT_MS = 30.0
HEAVY = ("numpy", "rapidfuzz", "orjson")
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
    return report


def _python(code: str, *arguments: str) -> str:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, cwd=root
    )
    return done.stdout.strip()
