"""How much CPU does it take to score a list of texts, in a process that just started and later?"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from bench.datasets.documents import documents
from bench.datasets.generate import sessions
from bench.reporting.report import Report, Table
from recall_rank import Index, rerank
from recall_rank.search.options import MAX_RESULTS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

TEXTS = 500
CALL_MS, FIRST_MS = 12.0, 60.0
TEXT_CHARACTERS = 300  # of a text: about what a search engine shows of a page
PROCESSES = 9  # that make a first call
FIRST = """
import sys, time
texts = sys.stdin.buffer.read().decode().split("\\0")
started = time.process_time()
import recall_rank
found = recall_rank.rerank(texts[0], texts[1:])
print((time.process_time() - started) * 1e3, found[0].index)
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--texts", type=int, default=TEXTS, help="texts of a list (default %(default)s)")
    parser.add_argument("--queries", type=int, default=50, help="calls that are measured (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Report:
    report = Report("rerank", __doc__ or "", f"generated, {options.texts:,} texts, seed {options.seed}")
    written = (each.text[:TEXT_CHARACTERS] for each in documents(sessions(4 * options.texts, options.seed)))
    texts = list(islice(dict.fromkeys(text for text in written if text), options.texts))
    asked = _queries(texts, options.queries, random.Random(options.seed))
    report.check("there are texts and queries", len(texts) == options.texts and len(asked) == options.queries)
    rerank(asked[0][0], texts)
    spent, wrong, scores = [], 0, []
    for query, answer in asked:
        started = time.process_time()
        found = rerank(query, texts)
        spent.append((time.process_time() - started) * 1e3)
        wrong += found[0].index != answer or sorted(each.index for each in found) != list(range(len(texts)))
        scores.append({f"{each.index:09}": each.score for each in found if each.stage != "none"})
    # ids that sort as the texts do: of equal texts, the earlier is the first in both
    index = Index.from_texts([{"id": f"{at:09}", "text": text} for at, text in enumerate(texts)])
    searched = [_searched(index, query) for query, _ in asked]
    first = [_first(*asked[at % len(asked)], texts) for at in range(PROCESSES)]
    middle, soonest = statistics.median(spent), statistics.median(value for value, _ in first)
    bare = statistics.median(_bare() for _ in range(PROCESSES))
    rows = [
        ["a call", f"{middle:.1f}", f"{min(spent):.1f}", f"{max(spent):.1f}"],
        ["the first call, with the import", f"{soonest:.1f}", f"{min(first)[0]:.1f}", f"{max(first)[0]:.1f}"],
        ["a bare interpreter, for comparison", f"{bare:.1f}", "", ""],
    ]
    report.tables.append(Table("CPU ms", ["what", "median", "least", "most"], rows))
    report.add("a call", middle, "ms", "lower", 0.3, len(spent))
    report.add("the first call", soonest, "ms", "lower", 0.3, len(first))
    report.check("the text that a query was made from is the first", not wrong, f"{wrong} of {len(asked)} wrong")
    report.check("scores are those of a search over an index of the texts", scores == searched)
    report.check("first calls find it, too", all(right for _, right in first))
    if options.texts == TEXTS:
        report.check(f"a call within {CALL_MS:g} ms CPU", middle <= CALL_MS, f"{middle:.1f} ms")
        report.check(f"the first call within {FIRST_MS:g} ms CPU", soonest <= FIRST_MS, f"{soonest:.1f} ms")
    return report


def _queries(texts: Sequence[str], wanted: int, chance: random.Random) -> list[tuple[str, int]]:
    """Return (query, index of its text): two words that no other text has, between two that others have."""
    words = [text.casefold().split() for text in texts]
    known = Counter(word for each in words for word in set(each))
    found: list[tuple[str, int]] = []
    for at in chance.sample(range(len(texts)), len(texts)):
        own = [word for word in words[at] if word.isalpha() and known[word] == 1 and len(word) > 5]
        common = [word for word in words[at] if word.isalpha() and known[word] > 5]
        if len(own) > 1 and len(common) > 1 and len(found) < wanted:
            found.append((" ".join([common[0], *own[:2], common[1]]), at))
    return found


def _searched(index: Index, query: str) -> dict[str, float]:
    """Return the score of every hit of a search, by the id of its session."""
    response = index.search(query, results=min(MAX_RESULTS, len(index)), budget_ms=60_000)
    return {result.session_id: result.score for result in response.results}


def _first(query: str, answer: int, texts: Sequence[str]) -> tuple[float, bool]:
    """Return the CPU ms of a first call in a process of its own, and whether it finds the answer."""
    root = Path(__file__).resolve().parents[3]
    given = "\0".join([query, *texts]).encode()
    done = subprocess.run([sys.executable, "-c", FIRST], input=given, cwd=root, capture_output=True, check=True)
    spent, found = done.stdout.split()
    return float(spent), int(found) == answer


def _bare() -> float:
    """Return the CPU ms of an interpreter that does nothing."""
    code = "import time; print(time.process_time() * 1e3)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
