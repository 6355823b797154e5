"""Builds every src_ext/recall_rank/_core/<room>.pyx as the module recall_rank._core.<room>.

Everything else about the package stands in pyproject.toml. Two environment variables choose another build:
RECALL_RANK_DEBUG=1 turns Cython's checks on; RECALL_RANK_TRACE=1 records executed lines for coverage.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

# Relative on purpose: setuptools refuses absolute source paths, and its hooks run with the project as directory.
ROOMS = Path("src_ext/recall_rank/_core")
JOBS = 2


def wanted(variable: str) -> bool:
    """Whether an environment switch is on: set, and neither empty nor 0."""
    return os.environ.get(variable, "0") not in {"", "0"}


DEBUG = wanted("RECALL_RANK_DEBUG")
TRACE = wanted("RECALL_RANK_TRACE")
MODE = "-".join(["release", *["debug"] * DEBUG, *["trace"] * TRACE])

DIRECTIVES: dict[str, Any] = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": DEBUG,
    "initializedcheck": DEBUG,
    # Not nonecheck, which needs the GIL, nor overflowcheck: hashes wrap on purpose, and Cython 3.3 fails on enum sums.
    "cdivision": True,  # also under DEBUG: a check may raise, it may never change what is computed
    "embedsignature": True,
    "binding": True,
    "freethreading_compatible": True,
    "linetrace": TRACE,
}


def compile_args() -> list[str]:
    """Optimised for any machine of the architecture: wheels travel, so never -march=native."""
    if sys.platform == "win32":
        return ["/Od" if DEBUG else "/O2"]
    return ["-O1", "-g"] if DEBUG or TRACE else ["-O3", "-g0"]


def macros() -> list[tuple[str, str | None]]:
    """C switches that go with the chosen build."""
    debug: list[tuple[str, str | None]] = [("RECALL_RANK_DEBUG", "1")] if DEBUG else []
    # sys.monitoring reports no lines of nogil functions to coverage's C tracer, hence the older interface.
    names = ["CYTHON_TRACE", "CYTHON_TRACE_NOGIL"] if TRACE else []
    off: list[tuple[str, str | None]] = [("CYTHON_USE_SYS_MONITORING", "0")] if TRACE else []
    return [*debug, *[(name, "1") for name in names], *off]


def rooms() -> list[Extension]:
    """One Extension a .pyx, named as its path says."""
    return [
        Extension(
            ".".join(source.relative_to("src_ext").with_suffix("").parts),
            [str(source)],
            include_dirs=[str(ROOMS)],
            depends=[str(header) for header in sorted(ROOMS.rglob("*.h"))],
            define_macros=macros(),
            extra_compile_args=compile_args(),
        )
        for source in sorted(ROOMS.rglob("*.pyx"))
    ]


def cython_dir() -> str | None:
    """Where generated C goes: out of the tree, one folder a mode (Cython does not notice changed directives).

    Coverage looks for the C beside its .pyx, so a traced build leaves it there.
    """
    return None if TRACE else f"build/cython-{MODE}" if DEBUG else "build/cython"


class BuildRooms(build_ext):
    """Translates and compiles the rooms, says so when there is no compiler, rebuilds all when the mode has changed."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or JOBS
        stamp = Path(self.build_temp, "mode")
        if not stamp.is_file() or stamp.read_text() != MODE:
            self.force = True

    def run(self) -> None:
        # Here and not when this file is read: every other command, and every hook of pip, comes by without Cython.
        translated = cythonize(
            self.extensions,
            include_path=["src_ext"],
            build_dir=cython_dir(),
            nthreads=JOBS,
            compiler_directives=DIRECTIVES,
        )
        found = {extension.name: extension for extension in translated}
        for extension in self.extensions:  # kept, not replaced: setuptools has already written on them
            extension.sources = found[extension.name].sources
            extension.depends = found[extension.name].depends
        super().run()

    def build_extensions(self) -> None:
        command = getattr(self.compiler, "compiler_so", None) or []
        if command and shutil.which(command[0]) is None:
            raise CompileError(
                f"recall_rank needs a C compiler to build, and {command[0]!r} was not found. "
                "Install one (gcc or clang; on Debian: apt install build-essential) or point CC at yours."
            )
        stamp = Path(self.build_temp, "mode")
        stamp.unlink(missing_ok=True)
        super().build_extensions()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(MODE)


if __name__ == "__main__":  # Cython's worker processes import this file again where fork is not the default
    setup(ext_modules=rooms(), cmdclass={"build_ext": BuildRooms})
