"""Runs the cases of a conformance directory against the tools of this checkout: `python -m tests.conformance
[DIR]`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .runner import summary

SHARED = Path(__file__).resolve().parents[3] / "shared" / "conformance"


def main() -> int:
    """Run the cases. Returns exit status 0, 1 when a case failed, or 2 when there are no cases."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=SHARED, help="default: ../shared/conformance")
    parser.add_argument("--engine", default="0.12.1", help="cases of this version of the original (default 0.12.1)")
    parser.add_argument("--all-facts", action="store_true", help="facts that pin mere behaviour or a defect too")
    parser.add_argument("--only", default="", help="cases whose ids begin so")
    parser.add_argument("--verbose", "-v", action="store_true", help="show the facts that do not hold")
    given = parser.parse_args()
    if not (given.folder / "check.py").is_file():
        print(f"no conformance cases at {given.folder}", file=sys.stderr)
        return 2
    strict = not given.all_facts
    failed = summary(
        given.folder,
        print,
        verbose=given.verbose,
        engine=given.engine,
        contract_only=strict,
        skip_defects=strict,
        only=given.only,
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
