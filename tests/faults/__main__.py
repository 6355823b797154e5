"""Plant faults, one at a time, in a copy of the checkout, and see whether the tests catch them.

`python -m tests.faults` plants every fault, `python -m tests.faults NAME ...` some of them; `--list` shows what there
is. The exit status is 1 if a fault was not caught, did not apply or did not build.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from tests.faults.kernels import is_native
from tests.faults.patches import GROUPS, Patch, PatchError, read_all
from tests.faults.workspace import BuildError, Run, Workspace

HERE: Final = Path(__file__).resolve().parent
CHECKOUT: Final = HERE.parents[1]
LONGEST: Final = 1800.0  # seconds of a test without a fault
TOGETHER: Final = 7200.0  # seconds of all tests without a fault, in one process
LEAST: Final = 90.0  # seconds that a test with a fault may take, however quick it is without
SLOWER: Final = 5.0  # how many times as long as without the fault it may take


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one fault."""

    patch: Patch
    kind: str  # "caught", "MISSED" or "ERROR"
    detail: str
    seconds: float


class Sound:
    """Tests that were run without a fault, each once."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = {}
        self._runs: dict[str, Run] = {}
        self._guard = threading.Lock()

    def run_together(self, workspace: Workspace, tests: Sequence[str]) -> None:
        """Run node ids in one process. What does not pass there is run alone, when its fault comes."""
        passed = workspace.passing([test for test in dict.fromkeys(tests) if " -k " not in test], TOGETHER)
        self._runs |= {test: Run("passed", seconds) for test, seconds in passed.items()}

    def run(self, workspace: Workspace, test: str) -> Run:
        """The run of a test in a tree without a fault."""
        with self._guard:
            lock = self._locks.setdefault(test, threading.Lock())
        with lock:
            if test not in self._runs:
                self._runs[test] = workspace.run(test, LONGEST)
            return self._runs[test]


def judged(patch: Patch, workspace: Workspace, sound: Sound) -> Verdict:
    """Plant a fault, run its test, and leave the tree as it was."""
    started = time.monotonic()

    def verdict(kind: str, detail: str) -> Verdict:
        return Verdict(patch, kind, detail, time.monotonic() - started)

    before = sound.run(workspace, patch.test)
    if before.outcome != "passed":
        failed = before.failed[0] if before.failed else patch.test
        return verdict("ERROR", f"without the fault, {before.outcome} of {failed}: {before.reason}")
    try:
        workspace.plant(patch)
        after = workspace.run(patch.test, max(LEAST, SLOWER * before.seconds))
    except (PatchError, BuildError) as error:
        return verdict("ERROR", str(error))
    finally:
        workspace.restore()
    if after.outcome == "passed":
        return verdict("MISSED", f"{patch.test} passes")
    if after.outcome not in patch.expect:
        wanted = " or ".join(sorted(patch.expect))
        return verdict("MISSED", f"{patch.test}: {after.outcome} ({after.reason}), but expected was {wanted}")
    by = after.failed[0] if after.failed else patch.test
    return verdict("caught", by if after.outcome == "failure" else f"{by} ({after.reason})")


def chosen(patches: Sequence[Patch], names: Sequence[str], group: str | None) -> list[Patch]:
    """Patches of a group that have one of the names, which may be patterns. Raises SystemExit for an unknown one."""
    wanted = [name.removesuffix(".patch") for name in names]
    for name in wanted:
        if not any(_is(patch, name) for patch in patches):
            raise SystemExit(f"there is no fault {name!r}; --list shows what there is")
    return [
        patch
        for patch in patches
        if group in (None, patch.group) and (not wanted or any(_is(patch, name) for name in wanted))
    ]


def _is(patch: Patch, name: str) -> bool:
    return fnmatch(patch.name, name) or fnmatch(patch.name.partition("/")[2], name) or name.endswith(f"/{patch.name}")


def run(checkout: Path, patches: Sequence[Patch], jobs: int) -> list[Verdict]:
    """Judge every patch in copies of a checkout, and print each verdict when it is known."""
    sound = Sound()
    free: SimpleQueue[Workspace] = SimpleQueue()
    printing = threading.Lock()
    done: list[Verdict] = []

    def work(patch: Patch) -> None:
        workspace = free.get()
        try:
            verdict = judged(patch, workspace, sound)
        finally:
            free.put(workspace)
        with printing:
            done.append(verdict)
            place = f"{len(done):>3}/{len(patches)}"
            print(f"{place} {verdict.kind:6} {patch.name:<42} {verdict.seconds:5.0f} s  {verdict.detail}", flush=True)

    with tempfile.TemporaryDirectory(prefix="recall-rank-faults-") as folder:
        original = Workspace.copied(checkout, Path(folder, "original"))
        if any(is_native(file) for patch in patches for file in patch.files):
            print("building the kernels of the copy where they are not up to date", flush=True)
            original.build()
        for number in range(jobs):
            free.put(original.another(Path(folder, f"tree{number}")))
        if len(patches) > 1:
            print("running the tests without a fault", flush=True)
            workspace = free.get()
            sound.run_together(workspace, [patch.test for patch in patches])
            workspace.restore()
            free.put(workspace)
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(work, patches))
    return done


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a fault, with or without its group; * stands for any")
    parser.add_argument("--group", choices=GROUPS, help="only the faults of one group")
    parser.add_argument("--list", action="store_true", help="show names, faults and tests, and plant nothing")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="faults at a time, each in a copy of its own")
    given = parser.parse_args(arguments)
    try:
        patches = chosen(read_all(HERE), given.names, given.group)
    except PatchError as error:
        raise SystemExit(str(error)) from error
    if given.list:
        for patch in patches:
            print(f"{patch.name}\n    {patch.fault}\n    {patch.test}")
        return 0
    started = time.monotonic()
    try:
        done = run(CHECKOUT, patches, max(1, given.jobs))
    except BuildError as error:
        raise SystemExit(str(error)) from error
    bad = [verdict for verdict in done if verdict.kind != "caught"]
    for verdict in bad:
        print(f"{verdict.kind} {verdict.patch.name}: {verdict.patch.fault}\n    {verdict.detail}")
    counts = {kind: sum(verdict.kind == kind for verdict in done) for kind in ("caught", "MISSED", "ERROR")}
    print(
        f"{len(done)} faults: {counts['caught']} caught, {counts['MISSED']} missed, {counts['ERROR']} in error, "
        f"in {time.monotonic() - started:.0f} s"
    )
    return 1 if bad or not done else 0


if __name__ == "__main__":
    sys.exit(main())
