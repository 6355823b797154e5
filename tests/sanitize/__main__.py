"""Build every kernel with the sanitizers of addresses and of undefined behaviour, and run the kernels' tests on it.

`python -m tests.sanitize [--inputs N] [--seed N] [--examples N] [--tree FOLDER] [--no-properties] [--no-inputs]
[--faults]`. The checkout stays as it is: the kernels are built in a copy, in a temporary folder or in --tree, where a
second run builds only what changed. Then the property tests of the kernels run there with few examples, and
`tests.sanitize.volume` gives the kernels random inputs. The first access outside of memory, or undefined behaviour,
ends with the report of the sanitizer and the status 1.

Why so: kernels that are not optimised are compiled in a third of the time that -O1 takes, and no access is removed
before it is checked. The property tests alone, and few examples of each, because the ordinary suite tries many: here it
is enough that each path runs, and numbers come from `volume`, which is much faster. So `.ci/run` stays below half an
hour. Leaks are not looked for: CPython itself keeps memory to its end.

With --faults the patches of tests/sanitize/kernels are planted one by one instead. The ordinary tests would not notice
them; here each must be reported.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.faults.patches import read_patch

CHECKOUT: Final = Path(__file__).resolve().parents[2]
LEFT_OUT: Final = ("*.so", "*.pyd", "__pycache__", ".*", "*.egg-info", "build")
FAULTS: Final = "tests/sanitize/kernels"
KERNEL_TESTS: Final = "tests/core"  # others reach kernels through a search, which takes ten times as long


def copied(tree: Path) -> Path:
    """Copy the checkout; of an earlier build only the translated C, which is that of a release."""
    for name in ("recall_rank", "src_ext", "tests", "bench"):
        shutil.copytree(CHECKOUT / name, tree / name, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(CHECKOUT / name, tree / name)
    if (CHECKOUT / "build" / "cython").is_dir():
        shutil.copytree(CHECKOUT / "build" / "cython", tree / "build" / "cython", dirs_exist_ok=True)
    return tree


def library(name: str) -> str:
    """Return the path of a library of the compiler. Raises SystemExit where it has none."""
    compiler = os.environ.get("CC", "gcc").split()
    done = subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False)
    found = done.stdout.strip()
    if done.returncode or not Path(found).is_absolute():
        raise SystemExit(f"{compiler[0]} has no {name}: the sanitizers need gcc with its libraries")
    return found


def environment(tree: Path) -> dict[str, str]:
    """Return the variables under which CPython loads sanitized modules."""
    return {
        **os.environ,
        "PYTHONPATH": str(tree),
        "LD_PRELOAD": f"{library('libasan.so')} {library('libubsan.so')}",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:abort_on_error=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONMALLOC": "malloc",  # every object is a block of its own, with guards on both sides
        "RECALL_RANK_SANITIZED": "1",
    }


def properties(tree: Path) -> list[str]:
    """Return the files with property tests of kernels."""
    files = sorted((tree / KERNEL_TESTS).rglob("test_*.py"))
    return [str(path.relative_to(tree)) for path in files if "\nfrom hypothesis import" in path.read_text("utf-8")]


def reported(tree: Path) -> int:
    """Plant each fault in a built copy; return 0 if a sanitizer reported every one."""
    status, build = 0, {**os.environ, "RECALL_RANK_SANITIZE": "1"}
    for path in sorted((tree / FAULTS).glob("*.patch")):
        patch = read_patch(path)
        before = {tree / file: (tree / file).read_bytes() for file in patch.files}
        patch.apply(tree)
        subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=tree, env=build, check=True)
        words = [sys.executable, "-m", "tests.sanitize.volume", "5000"]
        done = subprocess.run(words, cwd=tree, env=environment(tree), capture_output=True, text=True, check=False)
        report = next((line for line in done.stderr.splitlines() if "ERROR: " in line or "runtime error" in line), "")
        sys.stdout.write(f"{'caught' if done.returncode and report else 'MISSED'}  {patch.fault}  {report[:90]}\n")
        status |= not (done.returncode and report)
        for file, data in before.items():
            file.write_bytes(data)
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=tree, env=build, check=True)
    return status


def main(arguments: list[str]) -> int:
    """Build, run, and return 0 if nothing was reported."""
    parser = argparse.ArgumentParser("python -m tests.sanitize", description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000, help="random inputs of kernels")
    parser.add_argument("--seed", type=int, default=0, help="of the first batch of 1,000 inputs")
    parser.add_argument("--examples", type=int, default=5, help="of each property")
    parser.add_argument("--tree", type=Path, help="a folder for the copy, which is kept")
    parser.add_argument("--no-properties", action="store_true")
    parser.add_argument("--no-inputs", action="store_true")
    parser.add_argument("--faults", action="store_true", help="plant faults; each must be reported")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        tree = copied(chosen.tree or Path(folder))
        began = time.monotonic()

        def run(*words: str, sanitized: bool = True, **more: str) -> bool:
            variables = environment(tree) if sanitized else dict(os.environ)
            return subprocess.run([sys.executable, *words], cwd=tree, env=variables | more, check=False).returncode == 0

        def say(what: str) -> None:
            sys.stdout.write(f"sanitized kernels: {what} (after {time.monotonic() - began:.0f} s)\n")
            sys.stdout.flush()

        if not run("setup.py", "-q", "build_ext", "--inplace", sanitized=False, RECALL_RANK_SANITIZE="1"):
            return 1
        say("built")
        if chosen.faults:
            return reported(tree)
        if not chosen.no_properties:
            words = ("-m", "pytest", "-q", "-x", "-m", "hypothesis and not shared", "--hypothesis-profile=ci")
            more = ("-p", "no:cacheprovider", "--timeout=1500", "--capture=sys", *properties(tree))  # reports are shown
            if not run(*words, *more, RECALL_RANK_EXAMPLES=str(chosen.examples)):
                return 1
            say(f"properties with {chosen.examples} examples each: no report")
        if not chosen.no_inputs:
            if not run("-m", "tests.sanitize.volume", str(chosen.inputs), str(chosen.seed)):
                return 1
            say(f"{chosen.inputs:,} random inputs from seed {chosen.seed}: no report")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
