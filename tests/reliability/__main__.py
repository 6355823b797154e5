"""Run the regime, or some promises of it.

`RECALL_RANK_SOAK=ci|long python -m tests.reliability [--promise ID ...] [--seed N] [--share 3/10] [WORDS FOR PYTEST]`.
Runs the tests that prove the promises, those of tests/reliability and those elsewhere that promises.py names, and ends
with one line for each promise. `--list` prints the promises. A long run can be done in pieces: by promise, and by share
of the counts; each share has seeds of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.reliability.promises import PROMISES

ROOT: Final = Path(__file__).resolve().parents[2]


def command_line() -> argparse.ArgumentParser:
    """Return the parser of the options; what it does not know is for pytest."""
    parser = argparse.ArgumentParser("python -m tests.reliability", description=__doc__.partition("\n")[0])
    parser.add_argument("--promise", action="append", choices=list(PROMISES), metavar="ID", help="may be repeated")
    parser.add_argument("--seed", type=int, default=0, help="other random inputs")
    parser.add_argument("--share", default="1/1", help="3/10: the third of ten equal shares of every count")
    parser.add_argument("--list", action="store_true", help="print the promises and end")
    return parser


def main(arguments: list[str]) -> int:
    """Run what the arguments choose; return pytest's exit status."""
    chosen, others = command_line().parse_known_args(arguments)
    if chosen.list:
        for key, promise in PROMISES.items():
            sys.stdout.write(f"{key:4} {promise.sentence}\n")
        return 0
    keys = chosen.promise or list(PROMISES)
    places = sorted({place for key in keys for place in PROMISES[key].proofs})
    environment = {**os.environ, "RECALL_RANK_SEED": str(chosen.seed), "RECALL_RANK_SHARE": chosen.share}
    if chosen.promise:
        environment["RECALL_RANK_PROMISES"] = ",".join(keys)
    command = [sys.executable, "-m", "pytest", "-q", "tests/reliability", *places, *others]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
