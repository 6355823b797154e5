"""Builds every src_ext/recall_rank/_core/<package>/<kernel>.pyx as the module recall_rank._core.<package>.<kernel>.

Everything else about the package stands in pyproject.toml. Environment variables choose another build:
RECALL_RANK_DEBUG=1 turns Cython's checks on; RECALL_RANK_TRACE=1 records executed lines for coverage;
RECALL_RANK_SANITIZE=1 stops the process at a read or write outside of memory and at undefined behaviour
(`python -m tests.sanitize` builds and runs it).
"""

from __future__ import annotations

import gzip
import os
import shutil
import sys
import tarfile
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist
from setuptools.errors import CompileError

# Relative on purpose: setuptools refuses absolute source paths, and its hooks run with the project as directory.
KERNELS = Path("src_ext/recall_rank/_core")
JOBS = 2


def wanted(variable: str) -> bool:
    """Return whether an environment variable is set, and neither empty nor 0."""
    return os.environ.get(variable, "0") not in {"", "0"}


DEBUG = wanted("RECALL_RANK_DEBUG")
TRACE = wanted("RECALL_RANK_TRACE")
SANITIZE = wanted("RECALL_RANK_SANITIZE")
MODE = "-".join(["release", *["debug"] * DEBUG, *["trace"] * TRACE, *["sanitize"] * SANITIZE])

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]

DIRECTIVES: dict[str, Any] = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": DEBUG,
    "initializedcheck": DEBUG,
    # Not nonecheck, which needs the GIL, nor overflowcheck: hashes wrap on purpose, and Cython 3.3 fails on enum sums.
    "cdivision": True,  # also under DEBUG: a check may raise, it may never change what is computed
    "embedsignature": True,
    "binding": True,
    "linetrace": TRACE,
}


def compile_args() -> list[str]:
    """Return compiler options that suit every processor of the architecture: wheels travel, so never -march=native."""
    if sys.platform == "win32":
        return ["/Od" if DEBUG else "/O2"]
    if SANITIZE:
        # -O0: compiling with -O1 takes three times as long, which the tests do not win back, and no optimisation
        # removes an access before it is checked. -g1: a report names files and lines.
        return ["-O0", "-g1", "-fno-omit-frame-pointer", *SANITIZERS]
    if TRACE:
        return ["-O0", "-g0"]  # recording a line takes longer than the line: what -O1 saves, compiling with it costs
    return ["-O1", "-g"] if DEBUG else ["-O3", "-g0"]


def macros() -> list[tuple[str, str | None]]:
    """Return the C macros of the chosen build."""
    debug: list[tuple[str, str | None]] = [("RECALL_RANK_DEBUG", "1")] if DEBUG else []
    # sys.monitoring reports no lines of nogil functions to coverage's C tracer, hence the older interface.
    names = ["CYTHON_TRACE", "CYTHON_TRACE_NOGIL"] if TRACE else []
    off: list[tuple[str, str | None]] = [("CYTHON_USE_SYS_MONITORING", "0")] if TRACE else []
    return [*debug, *[(name, "1") for name in names], *off]


def kernels() -> list[Extension]:
    """Return one Extension for each .pyx, named by its path.

    Cython adds the .pxd files and the C headers that a kernel includes to what it depends on.
    """
    return [
        Extension(
            ".".join(source.relative_to("src_ext").with_suffix("").parts),
            [str(source)],
            include_dirs=[str(KERNELS)],
            define_macros=macros(),
            extra_compile_args=compile_args(),
            extra_link_args=SANITIZERS if SANITIZE else [],
        )
        for source in sorted(KERNELS.rglob("*.pyx"))
    ]


def cython_dir() -> str | None:
    """Return the folder of generated C: one for each mode, because Cython does not notice changed directives.

    None, the folder of the .pyx, in a traced build: coverage looks for the C there.
    """
    return None if TRACE else f"build/cython-{MODE}" if DEBUG else "build/cython"


class BuildKernels(build_ext):
    """Translates and compiles the kernels: all of them when the mode has changed; CompileError without a C compiler."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or JOBS
        stamp = Path(self.build_temp, "mode")
        if not stamp.is_file() or stamp.read_text() != MODE:
            self.force = True

    def run(self) -> None:
        # Here and not when this file is read: other commands and the hooks of pip need no Cython.
        translated = cythonize(
            self.extensions,
            include_path=["src_ext"],
            build_dir=cython_dir(),
            nthreads=JOBS,
            compiler_directives=DIRECTIVES,
        )
        found = {extension.name: extension for extension in translated}
        for extension in self.extensions:  # changed in place: setuptools has already set attributes of them
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


class SameArchive(sdist):
    """Makes the source archive, with the same bytes from the same files wherever SOURCE_DATE_EPOCH, in seconds, is set.

    setuptools writes the times and owners of the files on this machine into it; those of a wheel it sets itself.
    """

    def make_archive(
        self,
        base_name: str,
        format: str,  # noqa: A002 - setuptools passes it by this name
        root_dir: str | None = None,
        base_dir: str | None = None,
        owner: str | None = None,
        group: str | None = None,
    ) -> str:
        moment = os.environ.get("SOURCE_DATE_EPOCH")
        if moment is None or format != "gztar" or base_dir is None:
            return super().make_archive(base_name, format, root_dir, base_dir, owner, group)
        name = f"{base_name}.tar.gz"
        with (
            Path(name).open("wb") as file,
            gzip.GzipFile("", "wb", mtime=int(moment), fileobj=file) as packed,
            tarfile.open(mode="w", fileobj=packed, format=tarfile.PAX_FORMAT) as archive,
        ):
            for path in sorted([Path(base_dir), *Path(base_dir).rglob("*")]):
                entry = archive.gettarinfo(path)
                entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = int(moment), 0, 0, "", ""
                entry.mode = 0o755 if path.is_dir() or entry.mode & 0o100 else 0o644
                if path.is_dir():
                    archive.addfile(entry)
                else:
                    with path.open("rb") as content:
                        archive.addfile(entry, content)
        return name


if __name__ == "__main__":  # Cython's worker processes import this file again where fork is not the default
    setup(ext_modules=kernels(), cmdclass={"build_ext": BuildKernels, "sdist": SameArchive})
