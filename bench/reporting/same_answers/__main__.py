"""Compares the full answers of two checkouts: results, order, scores, snippets, coverage and errors.

    python -m bench.reporting.same_answers BASE CHECKOUT [--quick]

Both checkouts must be built in place. A child process for each checkout asks equal searches of equal histories through
the public API and writes a JSON line for each answer; the lines are compared. Durations are left out. Exit status 0:
every answer is equal; 1: an answer differs or a child failed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.datasets.history_files import SHARED
from bench.reporting.same_answers import child
from bench.reporting.same_answers.comparison import AnswerComparison, compare_files
from bench.reporting.same_answers.searches import FULL, QUICK, prepare

CODE: Final = (".py", ".so", ".pyd", ".json", ".jsonl", ".gz")  # files of a package that can change an answer


@dataclass(frozen=True, slots=True)
class Answers:
    """The file with a checkout's answers, and the end of the child that wrote it."""

    path: Path
    ended: str
    failed: bool = False


def ask(checkout: Path, folder: Path, working: Path) -> Answers:
    """Return the checkout's answers to the searches in `folder`, written into the new folder `working`.

    Home, caches and settings lie in the working folder: nothing of the user's is read.
    """
    working.mkdir(parents=True)
    out = working / "answers.jsonl"
    out.touch()
    homes = {name: str(working / "home") for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    environment = os.environ | homes | {"PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0", "TZ": "UTC"}
    words = [str(Path(child.__file__).resolve()), str(checkout), str(folder), str(out)]
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-P", "-X", "faulthandler", *words], cwd=working, env=environment, check=False
    )
    if done.returncode:
        return Answers(out, f"exit status {done.returncode}", failed=True)
    return Answers(out, f"{time.monotonic() - started:.0f} s")


def fingerprint(base: Path, folder: Path) -> str:
    """Return a name that changes with the interpreter, the files of the base, the corpora and the searches."""
    seen = hashlib.sha256(f"{sys.executable} {base}".encode())
    seen.update(Path(child.__file__).read_bytes())
    for path in sorted((base / "recall_rank").rglob("*")):
        if path.suffix in CODE:
            status = path.stat()
            seen.update(f"{path}/{status.st_size}/{status.st_mtime_ns}".encode())
    for path in sorted(folder.rglob("*.jsonl*")):
        seen.update(path.read_bytes())
    return seen.hexdigest()[:16]


def compare(options: argparse.Namespace, folder: Path) -> tuple[AnswerComparison, Answers, Answers]:
    """Ask both checkouts in the working folder, and return the comparison and both files of answers."""
    prepared = folder / "prepared"
    prepared.mkdir()
    prepare(options.histories, prepared, QUICK if options.quick else FULL, options.seed)
    kept = options.keep / f"{fingerprint(options.base, prepared)}.jsonl" if options.keep else None
    ready = Answers(kept, "kept from an earlier run") if kept is not None and kept.is_file() else None
    with ThreadPoolExecutor(options.jobs) as pool:
        asked = None if ready is not None else pool.submit(ask, options.base, prepared, folder / "base")
        checkout = pool.submit(ask, options.checkout, prepared, folder / "checkout").result()
        base = ready if asked is None else asked.result()
    assert base is not None
    if kept is not None and ready is None and not base.failed:
        _keep(base.path, kept)
    searches = prepared / "searches.jsonl"
    return compare_files(searches, base.path, checkout.path, options.digits), base, checkout


def _keep(answers: Path, kept: Path) -> None:
    """Copy answers to `kept` in a way that no other run sees half a file."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    copying = kept.with_suffix(f".{os.getpid()}")
    shutil.copy(answers, copying)
    copying.rename(kept)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.reporting.same_answers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("base", type=Path, metavar="BASE", help="checkout whose answers are expected")
    parser.add_argument("checkout", type=Path, metavar="CHECKOUT", help="checkout whose answers are compared with them")
    parser.add_argument("--quick", action="store_true", help="fewer queries, and a smaller generated history")
    parser.add_argument("--seed", type=int, default=1, help="seed of the generated history and of the queries")
    parser.add_argument("--jobs", type=int, choices=(1, 2), default=2, help="children that run at once (default 2)")
    parser.add_argument("--digits", type=int, help="compare floats rounded to so many decimals; exactly unless given")
    parser.add_argument("--keep", type=Path, help="folder that keeps the base's answers for later runs")
    parser.add_argument(
        "--data", type=Path, default=SHARED, help="data folder with real histories (default: ../shared, where it is)"
    )
    options = parser.parse_args(arguments)
    options.base, options.checkout = options.base.resolve(), options.checkout.resolve()
    options.keep = options.keep and options.keep.resolve()
    for checkout in (options.base, options.checkout):
        if not (checkout / "recall_rank" / "__init__.py").is_file():
            parser.error(f"{checkout} is no checkout: it has no recall_rank/__init__.py")
    histories = options.data.resolve() / "histories"
    options.histories = histories if histories.is_dir() else None
    return options


def main(arguments: Sequence[str]) -> int:
    """Compare two checkouts and print the differences. Returns 0 when every answer is equal, else 1."""
    options = _parse(arguments)
    if options.histories is None:
        print("there is no data folder with histories: only the generated history is searched")
    with tempfile.TemporaryDirectory(prefix="same_answers.") as folder:
        comparison, base, checkout = compare(options, Path(folder).resolve())
    print("\n".join(comparison.lines()))
    print(f"base: {base.ended}; checkout: {checkout.ended}")
    return 1 if comparison.different or base.failed or checkout.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
