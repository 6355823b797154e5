"""How many times faster is each kernel than its slow version in tests/reference, with equal results?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench.datasets import generate
from bench.datasets.documents import documents
from bench.datasets.kernel_cases import Case, cases
from bench.reporting.report import Report, Table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

MIN_SPEEDUP = 3.0  # a kernel with a smaller one is not worth its build
MIN_TIMING_S = 0.05  # calls are repeated until they take so long


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--parts", type=int, default=2_000, help="parts of generated text (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Report:
    report = Report("kernels", __doc__ or "", f"generated, {options.parts:,} parts, seed {options.seed}")
    texts = [document.text.encode() for document in documents(generate.sessions(options.parts, options.seed))]
    rows = []
    for case in cases(texts):
        report.check(f"{case.kernel} equals the slow version", case.native() == case.slow())
        native, slow = _seconds(case.native), _seconds(case.slow)
        speedup = f"{slow / native:.1f}"
        rows.append([case.kernel, f"{case.amount:,} {case.unit}", _rate(case, native), _rate(case, slow), speedup])
        report.add(f"{case.kernel}/times faster", slow / native, "times", "higher", 0.4)
        report.check(f"{case.kernel} at least {MIN_SPEEDUP:g} times faster", slow >= MIN_SPEEDUP * native, speedup)
    report.tables.append(Table("CPU", ["kernel", "input", "native", "slow version", "times faster"], rows))
    return report


def _seconds(call: Callable[[], object]) -> float:
    """Return the CPU seconds of one call, the best of three timings."""
    best = float("inf")
    for _ in range(3):
        calls, before = 0, time.process_time()
        while (spent := time.process_time() - before) < MIN_TIMING_S:
            call()
            calls += 1
        best = min(best, spent / calls)
    return best


def _rate(case: Case, seconds: float) -> str:
    return f"{case.amount / seconds / 1e6:,.2f} M{case.unit}/s"
