"""Copies of the checkout in which faults are planted, kernels built and tests run; the checkout stays as it is."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

from tests.faults.kernels import dependents, is_native
from tests.faults.patches import Patch, PatchError

BUILT: Final = ("*.so", "*.pyd")
_REPORT: Final = re.compile(r"^(FAILED|ERROR) (.+?)(?: - (.*))?$", re.MULTILINE)
_COUNT: Final = re.compile(r"\b(\d+) passed\b")
_PASSED: Final = re.compile(r"^PASSED (.+)$", re.MULTILINE)
_TIME: Final = re.compile(r"^(\d+\.\d+)s (?:setup|call|teardown) +(.+)$", re.MULTILINE)
# Plugins of packages that happen to be installed take longer to load than most of the tests.
_PLUGINS: Final = ("pytest_timeout", "_hypothesis_pytestplugin", "anyio.pytest_plugin")


class BuildError(Exception):
    """The kernels do not compile, or a copy cannot be made."""


@dataclass(frozen=True, slots=True)
class Run:
    """What became of one run of a test."""

    outcome: str  # "passed", "failure", "crash", "timeout" or "no test"
    seconds: float
    failed: tuple[str, ...] = ()  # node ids
    reason: str = ""


class Workspace:
    """A tree with the files of the checkout: `original` is never patched, and restore() makes this tree equal to it."""

    def __init__(self, tree: Path, original: Path) -> None:
        self.tree = tree
        self.original = original

    @classmethod
    def copied(cls, checkout: Path, tree: Path) -> Self:
        """The original: files known to git, compiled modules, and what the last build left to go on from."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=checkout, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if listed.returncode:
            raise BuildError(f"{checkout} is no git checkout: {listed.stderr.strip()}")
        files = [checkout / name for name in listed.stdout.split("\0") if name]
        files += [path for pattern in BUILT for path in (checkout / "recall_rank").rglob(pattern)]
        files += [path for path in (checkout / "build").rglob("*") if path.is_file()]
        for path in files:
            if path.is_file():
                to = tree / path.relative_to(checkout)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, to, follow_symlinks=False)
        # Bytecode that is valid as long as the source has these bytes: that of a changed file is passed over.
        words = ["compileall", "-q", "-x", r"/build/", "--invalidation-mode", "checked-hash", str(tree)]
        subprocess.run([sys.executable, "-m", *words], check=False, stdout=subprocess.DEVNULL)
        return cls(tree, tree)

    def another(self, tree: Path) -> Self:
        """A copy of the original."""
        shutil.copytree(self.original, tree, symlinks=True)
        return type(self)(tree, self.original)

    def restore(self) -> None:
        """Undo a fault: every file is that of the original again, by size and time, and nothing else is there."""
        wanted = _files(self.original)
        there = _files(self.tree)
        for name in there.keys() - wanted.keys():
            (self.tree / name).unlink()
        for name, state in wanted.items():
            if there.get(name) != state:
                shutil.copy2(self.original / name, self.tree / name, follow_symlinks=False)

    def build(self) -> None:
        """Compile what is not up to date. Raises BuildError."""
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--parallel", "1"]
        done = subprocess.run(
            command, cwd=self.tree, env=self._environment(), capture_output=True, text=True, check=False
        )
        if done.returncode:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
            raise BuildError("the kernels do not build: " + " / ".join(last))

    def plant(self, patch: Patch) -> None:
        """Write a fault into the tree and compile the kernels that it changes. Raises PatchError or BuildError."""
        native = [file for file in patch.files if is_native(file)]
        times = {file: (self.tree / file).stat() for file in native if (self.tree / file).is_file()}
        patch.apply(self.tree)
        if not native:
            return
        modules = dependents(self.tree, native)
        if not modules:
            raise PatchError(f"no kernel uses {', '.join(native)}")
        # setup.py compiles by the times of files, and takes a changed header for a change of every kernel
        for file, status in times.items():
            os.utime(self.tree / file, ns=(status.st_atime_ns, status.st_mtime_ns))
        for module in modules:
            module.touch()
        self.build()

    def run(self, test: str, limit: float) -> Run:
        """Run a test, killed with all that it started after `limit` seconds."""
        started = time.monotonic()
        status, output, late = self._pytest(["-x", "-rfE", *_selected(test)], limit)
        seconds = time.monotonic() - started
        reports = _REPORT.findall(output)
        failed = tuple(name for _, name, _ in reports)
        reason = next((said for *_, said in reports if said), "")
        if late:
            return Run("timeout", seconds, failed, f"no end after {limit:.0f} s")
        if status < 0:
            return Run("crash", seconds, failed, f"ended by {signal.Signals(-status).name}")
        if status == 0 and _COUNT.search(output):
            return Run("passed", seconds)
        if status == 1 and failed:
            return Run("failure", seconds, failed, reason)
        return Run("no test", seconds, (), " / ".join(output.strip().splitlines()[-2:]))

    def passing(self, tests: Sequence[str], limit: float) -> dict[str, float]:
        """Run node ids in one process; return those that passed, as a whole, with the seconds that each takes at most.

        The start of a process takes longer than most tests, so this tells quickly that nearly all of them are sound.
        To the time of each is added what the run took besides the tests, since alone it takes a start, too.
        """
        started = time.monotonic()
        _, output, _ = self._pytest(["-rpfE", "--durations=0", "--durations-min=1", *tests], limit)
        passed = set(_PASSED.findall(output))
        failed = {name for _, name, _ in _REPORT.findall(output)}
        times = [(name, float(seconds)) for seconds, name in _TIME.findall(output)]
        besides = time.monotonic() - started - sum(seconds for _, seconds in times)
        return {
            test: besides + sum(seconds for name, seconds in times if _within(name, test))
            for test in tests
            if any(_within(name, test) for name in passed) and not any(_within(name, test) for name in failed)
        }

    def _pytest(self, words: Sequence[str], limit: float) -> tuple[int, str, bool]:
        """Return the exit status, the output, and whether the run was ended after `limit` seconds."""
        arguments = [sys.executable, "-m", "pytest", "-p", "tests.faults.no_shrinking", "-p", "no:cacheprovider"]
        arguments += [word for name in _PLUGINS if find_spec(name.partition(".")[0]) for word in ("-p", name)]
        arguments += ["-q", "--tb=line", f"--basetemp={self.tree}.tests", *words]
        with subprocess.Popen(
            arguments, cwd=self.tree, env=self._environment(), text=True, errors="replace", start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as process:  # fmt: skip
            output, late = "", False
            try:
                output, _ = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                late = True
            finally:
                _kill_group(process.pid)  # what a test started, too
            if late:
                output, _ = process.communicate()
        return process.returncode, output, late

    def _environment(self) -> dict[str, str]:
        # no new .pyc files: Python knows the source of those by size and seconds only
        own = {"PYTHONPATH": str(self.tree), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return {**{name: value for name, value in os.environ.items() if not name.startswith("RECALL_RANK_")}, **own}


def _selected(test: str) -> Sequence[str]:
    """The arguments of pytest for a node id, or for `FILE -k EXPRESSION`."""
    file, option, expression = test.partition(" -k ")
    return [file, "-k", expression] if option else [test]


def _within(item: str, test: str) -> bool:
    """Whether an item of pytest is one of those that a node id names."""
    return item == test or item.startswith((f"{test}[", f"{test}::"))


def _kill_group(process: int) -> None:
    try:
        os.killpg(process, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _files(tree: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file."""
    found = {}
    for folder, _, names in os.walk(tree):
        for name in names:
            status = os.lstat(os.path.join(folder, name))  # noqa: PTH118 - asked of every file, for every fault
            found[os.path.relpath(os.path.join(folder, name), tree)] = status.st_size, status.st_mtime_ns  # noqa: PTH118
    return found
