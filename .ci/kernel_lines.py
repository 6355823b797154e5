"""A plugin of coverage that knows which lines of a kernel can be executed, as Cython's does, and keeps what it found.

Cython's plugin reads the generated C of every kernel that is loaded, in every process: together 50 MB, which takes
longer than most of the commands that tests start. Here the first process writes the lines beside the C file, in a file
named like it with `.lines` behind; the others read that. `.ci/run` installs this module into its environment, because
processes that cannot see the checkout load it, too.
"""

from __future__ import annotations

import marshal
import operator
import os
from collections import defaultdict
from typing import Any

import Cython.Coverage
from coverage.plugin import FileTracer


class KernelTracer(FileTracer):
    """Tells coverage the source and the line of a step of a kernel, without a call of Python.

    Cython's tracer answers both in Python, for every call and every line. The source of a frame is always the file that
    coverage asked for, since a function of a .pxd has a frame of its own.
    """

    line_number_range = operator.attrgetter("f_lineno", "f_lineno")

    def __init__(self, path: str) -> None:
        self._path = path

    def source_filename(self) -> str:
        """Return the path of the .pyx or .pxd."""
        return self._path


class KernelLines(Cython.Coverage.Plugin):  # type: ignore[misc]
    """Cython's plugin with a file of lines beside each C file, valid as long as that does not change."""

    def file_tracer(self, filename: str) -> Any:
        """Return the tracer of a kernel; None for other files."""
        return None if super().file_tracer(filename) is None else KernelTracer(filename)

    def _parse_cfile_lines(self, c_file: str) -> dict[str, dict[int, str]]:
        """Return the executable lines of every source in a C file, by path and number."""
        kept = f"{c_file}.lines"
        every = self._excluded_lines_map or defaultdict(set)
        found: tuple[dict[str, dict[int, str]], dict[str, set[int]]]
        try:
            with open(kept, "rb") as file:  # noqa: PTH123 - in every process that is measured: pathlib is not loaded yet
                found = marshal.load(file)  # noqa: S302 - written below
        except (OSError, EOFError, ValueError, TypeError):
            self._excluded_lines_map = defaultdict(set)
            lines = super()._parse_cfile_lines(c_file)
            found = {name: dict(each) for name, each in lines.items()}, dict(self._excluded_lines_map)
            self._keep(kept, found)
        for name, numbers in found[1].items():
            every[name] |= numbers
        self._excluded_lines_map = every
        return found[0]

    @staticmethod
    def _keep(path: str, found: tuple[Any, ...]) -> None:
        own = f"{path}.{os.getpid()}"
        try:
            with open(own, "wb") as file:  # noqa: PTH123
                marshal.dump(found, file)
            os.replace(own, path)  # noqa: PTH105
        except OSError:  # a process without the right to write there reads the C file itself
            return


def coverage_init(registry: Any, options: Any) -> None:  # noqa: ARG001 - coverage passes both
    """Register the plugin, as coverage asks for."""
    plugin = KernelLines()
    registry.add_configurer(plugin)
    registry.add_file_tracer(plugin)
