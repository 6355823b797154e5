"""Print docstrings drawn at random, to be read alone: `python -m tests.repository.sample [--count 60] [--seed 1]`.

A reader who knows search engines but not this code should understand each one without the code around it. Drawn are
the docstrings of every module, class and function of the package and of every kernel.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]

# A class or function of a Cython source that begins with a docstring, whatever stands between its name and the colon.
_CYTHON = re.compile(
    r"^(?P<indent>[ ]*)(?P<head>(?:cdef|cpdef|def|class|async)\b[^#\n]*?(?:\([^)]*\)[^:\n]*)?):[ ]*\n"
    r'[ ]*(?:"""|\'\'\')(?P<text>.*?)(?:"""|\'\'\')',
    re.MULTILINE | re.DOTALL,
)
_CYTHON_MODULE = re.compile(r'\A(?:#[^\n]*\n|\s)*"""(?P<text>.*?)"""', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Docstring:
    """A docstring with the file and the definition that it belongs to."""

    path: str
    definition: str
    text: str


def docstrings(root: Path = ROOT) -> list[Docstring]:
    """Every docstring of the package and its kernels, in the order of their files."""
    found: list[Docstring] = []
    for path in sorted((root / "recall_rank").rglob("*.py")):
        found.extend(_python(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")))
    for path in sorted((root / "src_ext").rglob("*.p[yx][xd]")):
        found.extend(_cython(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")))
    return found


def _python(path: str, source: str) -> Iterator[Docstring]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield Docstring(path, _definition(node), text)


def _definition(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if isinstance(node, ast.Module):
        return "module"
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"def {node.name}({ast.unparse(node.args)}){returns}"


def _cython(path: str, source: str) -> Iterator[Docstring]:
    if module := _CYTHON_MODULE.match(source):
        yield Docstring(path, "module", _dedented(module["text"]))
    for found in _CYTHON.finditer(source):
        if found["head"].startswith("cdef extern"):  # a block of C, not a docstring
            continue
        yield Docstring(path, " ".join(found["head"].split()), _dedented(found["text"]))


def _dedented(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


def main(argv: Sequence[str] | None = None) -> int:
    """Print the drawn docstrings, numbered, each with its file and definition."""
    parser = argparse.ArgumentParser(prog="python -m tests.repository.sample", description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    found = docstrings()
    drawn = random.Random(options.seed).sample(found, min(options.count, len(found)))
    for number, each in enumerate(drawn, 1):
        print(f"--- {number}. {each.path}\n{each.definition}\n\n{each.text}\n")
    print(f"{len(drawn)} of {len(found)} docstrings, seed {options.seed}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
