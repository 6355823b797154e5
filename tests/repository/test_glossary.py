"""The glossary names every public class and module, each once, with the meaning its docstring gives."""

from __future__ import annotations

from collections import defaultdict

from tests.repository.glossary import MADE, PAGE, class_names, classes, modules, tables
from tests.repository.sample import ROOT
from tests.repository.test_docs import rows

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_docstrings() -> None:
    made = MADE + TEXT.split(MADE)[1]
    assert made.rstrip() == tables().rstrip(), "run: python -m tests.repository.glossary --write"


def test_a_class_name_exists_once() -> None:
    places = defaultdict(set)
    for name, module in class_names():
        places[name].add(module)
    assert {name: sorted(found) for name, found in places.items() if len(found) > 1} == {}


def test_every_public_class_has_a_docstring() -> None:
    described = {(entry.name, entry.place) for entry in classes()}
    public = {(name, module) for name, module in class_names() if not name.startswith("_")}
    assert sorted(public - described) == []


def test_every_module_has_a_docstring() -> None:
    described = {entry.place for entry in modules()}
    paths = [path.relative_to(ROOT / "recall_rank") for path in (ROOT / "recall_rank").rglob("*.py")]
    there = {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths}
    assert {name for name in there if not name.startswith("_core") and name != "__init__"} - described == set()


def test_terms_are_sorted_sentences() -> None:
    terms = rows(TEXT, "Terms")
    names = [cells[0] for cells in terms]
    assert names == sorted(names)
    assert all(len(cells) == 2 and cells[1].endswith(".") for cells in terms)
