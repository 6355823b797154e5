"""Write the tables of docs/glossary.md from docstrings: `python -m tests.repository.glossary [--write]`.

The table of terms is written by hand. The tables of classes, modules and kernels hold the first sentence of each
docstring, so that a name and its meaning cannot drift apart.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.repository.sample import ROOT, docstrings

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE = ROOT / "docs" / "glossary.md"
MADE = "## Classes\n"
_SENTENCE = re.compile(r"(?<=[a-z0-9)`\]][.:;])\s+(?=[A-Z`])")


@dataclass(frozen=True, slots=True)
class Entry:
    """A public name and the first sentence of its docstring."""

    name: str
    place: str
    meaning: str


def classes() -> list[Entry]:
    """Every public class of the package and its kernels, sorted by name."""
    found = []
    for each in docstrings():
        head = each.definition.split("(")[0].split()
        if "class" in head and not head[-1].startswith("_"):
            found.append(Entry(head[-1], module_of(each.path), first_sentence(each.text)))
    return sorted(found, key=lambda entry: (entry.name.lower(), entry.place))


def class_names() -> list[tuple[str, str]]:
    """Name and module of every class, with a docstring or without."""
    found = []
    for path in sorted((ROOT / "recall_rank").rglob("*.py")):
        module = module_of(path.relative_to(ROOT).as_posix())
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [(node.name, module) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for path in sorted((ROOT / "src_ext").rglob("*.p[yx][xd]")):
        if path.suffix == ".pyx" or not path.with_suffix(".pyx").exists():
            module = module_of(path.relative_to(ROOT).as_posix())
            source = path.read_text(encoding="utf-8")
            names = re.findall(r"^(?:@\S+\n)?(?:cdef )?class (\w+)", source, re.MULTILINE)
            found += [(name, module) for name in names]
    return found


def modules() -> list[Entry]:
    """Every module and kernel with its docstring, in the order of its path."""
    found = {}
    for each in docstrings():
        if each.definition == "module":
            found[module_of(each.path)] = Entry("", module_of(each.path), first_sentence(each.text))
    return [found[name] for name in sorted(found)]


def module_of(path: str) -> str:
    """The dotted name of a source below the package, kernels as `_core.…`."""
    name = path.removeprefix("src_ext/").removeprefix("recall_rank/").rpartition(".")[0].replace("/", ".")
    return name.removesuffix(".__init__") if name != "__init__" else "recall_rank"


def first_sentence(text: str) -> str:
    """The first sentence of a docstring, on one line, safe in a Markdown table."""
    paragraph = " ".join(text.split("\n\n", 1)[0].split())
    return _SENTENCE.split(paragraph)[0].replace("|", "\\|")


def tables() -> str:
    """The generated part of the page."""
    every = modules()
    python = [each for each in every if not each.place.startswith("_core.")]
    kernels = [each for each in every if each.place.startswith("_core.")]
    return "\n".join(
        [
            MADE,
            "| class | module | meaning |",
            "| --- | --- | --- |",
            *(f"| `{each.name}` | `{each.place}` | {each.meaning} |" for each in classes()),
            "",
            *_modules("Modules", python),
            *_modules("Kernels", kernels),
        ]
    )


def _modules(heading: str, entries: Iterable[Entry]) -> list[str]:
    rows = [f"| `{each.place}` | {each.meaning} |" for each in entries]
    return [f"## {heading}\n", "| module | meaning |", "| --- | --- |", *rows, ""]


def main() -> int:
    """Print the tables, or write them to the page."""
    if "--write" in sys.argv:
        written = PAGE.read_text(encoding="utf-8").split(MADE)[0].rstrip("\n")
        PAGE.write_text(f"{written}\n\n{tables().rstrip()}\n", encoding="utf-8")
    else:
        print(tables())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
