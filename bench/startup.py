"""What does `import recall_rank` cost over a bare interpreter, and how soon does a saved index answer?"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench import dataset
from bench.report import Report, Table

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
OPEN = """
import sys, time
before = time.process_time()
from recall_rank import Index
imported = time.process_time()
index = Index.open(sys.argv[1])
opened = time.process_time()
response = index.search(sys.argv[2], scope="global", results=10)
first = time.process_time()
index.search(sys.argv[2], scope="global", results=10)
print(imported - before, opened - imported, first - opened, time.process_time() - first)
print(any(result.part_id == sys.argv[3] for result in response.results))
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument(
        "--rounds", type=int, default=15, help="interpreters started of each sort (default %(default)s)"
    )
    parser.add_argument("--no-open", action="store_true", help="leave the saved index out")


def run(options: argparse.Namespace) -> Report:
    report = Report("startup", __doc__ or "", "none")
    statements = {"bare": "pass", "recall_rank": "import recall_rank", "Index": "from recall_rank import Index"}
    spent: dict[str, list[float]] = {name: [] for name in statements}
    loaded: dict[str, list[str]] = {}
    for _ in range(options.rounds):  # interleaved: a noisy moment strikes all alike
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
    if not options.no_open:
        _open(report, options)
    return report


def _open(report: Report, options: argparse.Namespace) -> None:
    """A fresh process opens a saved index and asks it something."""
    from recall_rank import Index

    data = dataset.load(options)
    report.data = data.name
    asked = next(query for query in data.queries if query.kind == "identifier")
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        index = Index.build(data.sessions)
        built = time.process_time()
        index.save(Path(folder))
        saved = time.process_time()
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        figures, found = _python(OPEN, folder, asked.query, asked.relevant[0][2] or "").splitlines()
    names = ("import", "open", "first search", "second search")
    times = dict(zip(names, (float(word) * 1e3 for word in figures.split()), strict=True))
    rows = [["build", f"{(built - before) * 1e3:.1f}"], ["save", f"{(saved - built) * 1e3:.1f}"]]
    rows += [[name, f"{value:.1f}"] for name, value in times.items()]
    report.tables.append(Table(f"CPU ms, {size / 1e6:.0f} MB on disk", ["step", "CPU ms"], rows))
    for name, value in times.items():
        report.add(f"saved index/{name}", value, "ms", "lower", 0.5)
    report.check("the saved index finds the asked part", found == "True", asked.query)


def _python(code: str, *arguments: str) -> str:
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, cwd=root
    )
    return done.stdout.strip()
