"""Compares the command line of two checkouts: stdout, stderr and exit status of some two hundred command lines.

    python -m bench.reporting.same_cli BASE CHECKOUT [--quick]

Both checkouts must be built in place. Each of them runs `python -m recall_rank` at one fixed time, on copies of equal
histories, with a home, a cache and a working folder of its own. Durations and the names of cache folders are replaced
before the comparison. Exit status 0: every command line did equal things; 1: one did not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.datasets.history_files import SHARED
from bench.reporting.same_cli.command_lines import CommandLine, demo_command_lines, store_command_lines
from bench.reporting.same_cli.outcomes import WIDEST, Outcome, difference, furnish, run, run_all, session_ids


def compare(
    base: Path, checkout: Path, lines: Sequence[CommandLine], folders: Sequence[Path], now: float, jobs: int
) -> list[tuple[CommandLine, Outcome, Outcome]]:
    """Run the command lines with both checkouts, each in its furnished folder of the two `folders`."""
    with ThreadPoolExecutor(jobs) as pool:
        left = pool.submit(run_all, base, folders[0], lines, now)
        right = pool.submit(run_all, checkout, folders[1], lines, now)
        return list(zip(lines, left.result(), right.result(), strict=True))


def main(arguments: Sequence[str]) -> int:
    """Compare two checkouts and print the differences. Returns 0 when every command line did equal things, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.reporting.same_cli",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("base", type=Path, metavar="BASE", help="checkout whose output is expected")
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT", help="checkout whose output is compared with it")
    parser.add_argument("--jobs", type=int, choices=(1, 2), default=2, help="checkouts that run at once (default 2)")
    parser.add_argument("--quick", action="store_true", help="leave the stores of agents out")
    parser.add_argument(
        "--data", type=Path, default=SHARED, help="data folder with stores of agents (default: ../shared, where it is)"
    )
    parser.add_argument("--verbose", action="store_true", help="print every command line with its status and sizes")
    options = parser.parse_args(arguments)
    base, checkout = options.base.resolve(), options.checkout.resolve()
    found = options.data.resolve() / "stores"
    stores = found if found.is_dir() and not options.quick else None
    if stores is None:
        print("the stores of agents are left out")
    now, started = float(int(time.time())), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="same_cli.") as folder:
        # names of one length, because the length of a path shows in the width of a table
        listing, *folders = (Path(folder).resolve() / name for name in ("own", "one", "two"))
        names = [furnish(working, stores) for working in (listing, *folders)][-1]
        lines = [
            *demo_command_lines(),
            *store_command_lines(names, lambda line: session_ids(run(base, listing, line, now))),
        ]
        outcomes = compare(base, checkout, lines, folders, now, options.jobs)
    different = 0
    for line, one, other in outcomes:
        if options.verbose:
            print(f"{one.status} {len(one.stdout):>7} {len(one.stderr):>5}  {str(line)[:120]}")
        if shown := list(difference(one, other)):
            different += 1
            print(f"{str(line)[:WIDEST]}", *shown, sep="\n")
    print(f"{len(outcomes)} command lines, {different} different, {time.monotonic() - started:.0f} s")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
