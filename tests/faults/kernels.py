"""Which compiled modules a changed Cython or C file belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

SOURCES: Final = "src_ext"
NATIVE: Final = (".pyx", ".pxd", ".pxi", ".h")
_FROM: Final = re.compile(r"^\s*from\s+([\w.]+)\s+cimport\s+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_PLAIN: Final = re.compile(r"^\s*cimport\s+([\w.]+)", re.MULTILINE)
_CODE: Final = re.compile(r"^cdef inline |^cdef extern from |^\s*#\s*include ", re.MULTILINE)
_HEADER: Final = re.compile(r'(?:extern from|#\s*include|^include)\s+"([^"]+)"', re.MULTILINE)


def is_native(file: str) -> bool:
    """Whether a change of the file needs a build."""
    return file.endswith(NATIVE)


def dependents(tree: Path, changed: Iterable[str]) -> list[Path]:
    """The .pyx files of a tree that have to be compiled again when code in files of it has changed.

    Follows cimports, which name .pxd files, and included files, which are known by their last name. A .pxd file without
    code of its own leads no further: nothing of what it cimports is compiled into those that cimport it.
    """
    sources = [path for path in sorted((tree / SOURCES).rglob("*")) if path.name.endswith(NATIVE)]
    uses = {path: _uses(path, tree / SOURCES, sources) for path in sources}
    touched = {tree / file for file in changed}
    leading = set(touched)
    while leading:
        found = {path for path, used in uses.items() if path not in touched and used & leading}
        touched |= found
        leading = {path for path in found if _CODE.search(path.read_text(encoding="utf-8"))}
    return sorted(path for path in touched if path.suffix == ".pyx")


def _uses(path: Path, root: Path, sources: list[Path]) -> set[Path]:
    text = path.read_text(encoding="utf-8")
    modules = set(_PLAIN.findall(text))
    for package, names in _FROM.findall(text):
        modules |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))}
    files = {root.joinpath(*module.split(".")).with_suffix(".pxd") for module in modules}
    files.add(path.with_suffix(".pxd"))
    included = {Path(name).name for name in _HEADER.findall(text)}
    files |= {source for source in sources if source.name in included}
    return files - {path}
