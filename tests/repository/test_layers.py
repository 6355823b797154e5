"""Imports go only downward: the nine floors of ARCHITECTURE.md, read from the source of every module."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "recall_rank"

# From the lowest floor to the highest. A module belongs to the longest prefix that names it, and may import modules of
# lower floors and of its own prefix. Prefixes of one line are neighbours: they may not import each other.
FLOORS: tuple[tuple[str, ...], ...] = (
    # 1: kernels
    ("_core",),
    ("_core.runtime",),
    ("_core.text",),
    ("_core.index",),
    ("_core.search",),
    ("_core.rank",),
    # 2: records
    ("model",),
    # 3: what the wording of a text tells, and the numbers that rank
    ("analysis", "weights"),
    # 4: segments; agents' stores
    ("index", "index.errors"),
    ("index.segment",),
    ("index.vectors",),
    ("index.reader",),
    ("index.shards",),
    ("index.merge",),
    ("index.storage", "loaders"),
    ("index.live", "index.remote"),
    # between: vectors of passages and of queries, where the user gives an embedder
    ("semantic",),
    ("semantic.adapters",),
    # 5: one search; sources combined into one history
    ("search", "search.options", "search.deadline"),
    ("search.query", "search.types"),
    ("search.filters",),
    ("search.expansion",),
    ("search.retrieval",),
    ("search.context",),
    ("search.ranking",),
    ("search.results",),
    ("search.engine", "histories"),
    # 6: Index, rerank
    ("corpus", "reranking"),
    ("shards", "exchange"),
    ("shards.building",),
    # 7: Recall
    ("recall", "evaluation"),
    # 8: fronts
    ("frontends", "frontends.demo", "frontends.redaction"),
    ("frontends.activity", "frontends.curators", "frontends.file_edits"),
    ("frontends.transcripts",),
    ("frontends.tools",),
    ("frontends.hooks", "frontends.praisonai"),
    ("frontends.compression", "frontends.notes"),
    ("frontends.mcp", "frontends.compaction"),
    ("frontends.hosts.events",),
    ("frontends.hosts", "frontends.web"),
    ("frontends.cli",),
    # 9: the public surface
    ("__main__", ""),
)
FLOOR_OF = {prefix: number for number, floor in enumerate(FLOORS) for prefix in floor}
MODEL_ONLY = ("loaders",)  # floor 4, but of the package it knows the records alone
# Packages that lie below and are unknown all the same: a search reads no store, and histories get the index factory.
NEVER = (("search", "loaders"), ("histories", "search"), ("corpus", "loaders"))

# (importer, imported): reason. At most five.
EXEMPT: dict[tuple[str, str], str] = {}

# Modules of others, and the prefixes that may import them.
FOREIGN: dict[str, tuple[str, ...]] = {
    "rapidfuzz": ("search.ranking",),
    "re2": ("search.retrieval",),
    "Stemmer": ("analysis",),
    "numpy": ("index", "corpus", "evaluation", "semantic", "shards.building"),
    "xxhash": ("index", "loaders", "histories", "shards.building", "exchange"),
    "sqlite3": ("loaders",),
    "json": ("loaders", "frontends", "histories", "shards.building"),
    "orjson": ("model", "loaders", "frontends", "histories", "semantic.adapters", "shards", "exchange"),
    "ijson": ("loaders",),
    "gzip": ("loaders", "frontends"),
    "lzma": ("loaders", "frontends"),
    "bz2": ("loaders", "frontends"),
    "subprocess": ("loaders", "frontends", "shards", "exchange"),
    "os": ("index", "histories", "loaders", "frontends", "recall", "corpus", "shards", "exchange"),
    "io": ("index", "loaders", "frontends"),
    "pathlib": ("index", "histories", "loaders", "frontends", "recall", "corpus", "shards", "exchange"),
    "mmap": ("index", "loaders"),
    "tempfile": ("index", "loaders", "frontends", "exchange"),
    "shutil": ("index", "loaders", "frontends", "shards.building", "exchange"),
    "tomllib": ("histories", "frontends.hosts"),
    "click": ("frontends",),
    "rich": ("frontends",),
    **dict.fromkeys(("jinja2", "markupsafe", "starlette", "uvicorn", "pygments"), ("frontends.web",)),
    "textual": ("frontends.cli",),
    **dict.fromkeys(("mcp", "mcp_types", "anyio", "pydantic"), ("frontends.mcp",)),
    "llm": ("frontends.curators",),
    "platformdirs": ("histories", "index.remote"),
    "ray": ("shards",),
    "fsspec": ("index.remote",),
    # Code could come in through these, or data go out.
    **dict.fromkeys(("pickle", "marshal", "shelve", "dill", "socket", "ctypes"), ()),
    **dict.fromkeys(("http", "urllib"), ("semantic.adapters",)),  # only to this machine, unless the user says otherwise
}
# One module starts a process and sends it sources, over the pipes between the two: nothing else writes there.
OF_ONE_MODULE = {
    (f"{PACKAGE}.histories.cache.reading_process", "subprocess"),
    (f"{PACKAGE}.histories.cache.reading_process", "pickle"),
}
OPENS_FILES = ("index.storage", "index.remote", "loaders", "histories", "frontends")
RUNS_TEXT = "recall_rank.model.record_classes"  # compiles constructors from the names of fields
CYTHON_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\b|c?import\s+([\w.]+))", re.MULTILINE)


@dataclass(slots=True, frozen=True)
class Import:
    """One module named by another."""

    target: str
    line: int


def prefix_of(module: str) -> str | None:
    """The longest prefix in FLOORS of a dotted name inside the package, None when there is none."""
    name = module.removeprefix(PACKAGE).removeprefix(".")
    while name not in FLOOR_OF:
        if not name or "." not in name:
            return None
        name = name.rpartition(".")[0]
    return name


def below(prefix: str, roots: tuple[str, ...]) -> bool:
    """Whether a prefix is one of `roots` or lies inside one."""
    return any(prefix == root or prefix.startswith(f"{root}.") for root in roots)


def imports_of(module: str, source: str, *, is_package: bool = False) -> Iterator[Import]:
    """Every import of a Python source, the ones inside functions and TYPE_CHECKING blocks included."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module.split(".")[: None if is_package and node.level == 1 else -node.level + is_package]
                base = ".".join([*above, *([base] if base else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield Import(full if exists(full) else base, node.lineno)


def exists(module: str) -> bool:
    """Whether a dotted name is a module of this package, as opposed to a name inside one."""
    if not module.startswith(f"{PACKAGE}."):
        return False
    path = ROOT.joinpath(*module.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file() or path.with_suffix(".pyi").is_file()


def cython_imports_of(source: str) -> Iterator[Import]:
    """Every import and cimport of a Cython source."""
    for found in CYTHON_IMPORT.finditer(source):
        yield Import(found[1] or found[2], source.count("\n", 0, found.start()) + 1)


def complaints(module: str, imports: Iterator[Import]) -> Iterator[str]:
    """One line for every import that the module may not make."""
    prefix = prefix_of(module)
    if prefix is None:
        yield f"{module} has no floor: add it to FLOORS"
        return
    for found in imports:
        top = found.target.partition(".")[0]
        if top != PACKAGE:
            if top in FOREIGN and not below(prefix, FOREIGN[top]) and (module, top) not in OF_ONE_MODULE:
                yield f"{module}:{found.line} must not import {found.target}: only {FOREIGN[top]} may"
            continue
        target = prefix_of(found.target)
        if target is None:
            yield f"{module}:{found.line} imports {found.target}, which has no floor"
        elif target != prefix and (prefix, target) not in EXEMPT:
            if target == "" or FLOOR_OF[target] >= FLOOR_OF[prefix]:
                yield f"{module}:{found.line} must not import {found.target}: it does not lie below"
            elif any(below(prefix, (importer,)) and below(target, (other,)) for importer, other in NEVER):
                yield f"{module}:{found.line} must not import {found.target}: it knows nothing of that package"
            elif below(prefix, MODEL_ONLY) and not below(target, ("model", *MODEL_ONLY)):
                yield f"{module}:{found.line} must not import {found.target}: it knows the records alone"


def opened(module: str, source: str) -> Iterator[str]:
    """Calls of the builtins `open`, `eval` and `exec` where no file may be touched and no text run."""
    prefix = prefix_of(module)
    forbidden = {"eval", "exec"} if prefix is not None and below(prefix, OPENS_FILES) else {"open", "eval", "exec"}
    if module == RUNS_TEXT:
        forbidden.remove("exec")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in forbidden:
            yield f"{module}:{node.lineno} must not call {node.func.id}()"


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected sets of more than one module (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = low[module] = len(number)
        stack.append(module)
        for target in graph[module]:
            if target not in number:
                visit(target)
                low[module] = min(low[module], low[target])
            elif target in stack:
                low[module] = min(low[module], number[target])
        if low[module] == number[module]:
            members = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(members) > 1:
                found.append(sorted(members))

    for module in graph:
        if module not in number:
            visit(module)
    return found


def packages(graph: dict[str, set[str]]) -> list[str]:
    """The packages of the modules in an import graph."""
    return sorted({above for module in graph for above in ancestors(module)})


def ancestors(module: str) -> Iterator[str]:
    """The packages that a module lies in, the innermost first."""
    while module := module.rpartition(".")[0]:
        yield module


def children(graph: dict[str, set[str]], package: str) -> dict[str, set[str]]:
    """The import graph of what lies in a package: each of its modules, and each of its packages as one node."""
    inside: dict[str, set[str]] = {}
    for module, targets in graph.items():
        if (child := child_of(module, package)) is not None:
            others = {child_of(target, package) for target in targets} - {child, None}
            inside.setdefault(child, set()).update(other for other in others if other is not None)
    return inside


def child_of(module: str, package: str) -> str | None:
    """The module or package directly in `package` that holds `module`, None when none does."""
    if not module.startswith(f"{package}."):
        return None
    return f"{package}.{module.removeprefix(f'{package}.').partition('.')[0]}"


def dotted(path: Path) -> str:
    """The dotted name of the module that a file holds."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def python_modules() -> list[tuple[str, Path]]:
    """Dotted name and file of every Python module of the package, stubs of kernels included."""
    paths = [*(ROOT / PACKAGE).rglob("*.py"), *(ROOT / PACKAGE / "_core").rglob("*.pyi")]
    return sorted((dotted(path.relative_to(ROOT)), path) for path in paths)


def kernel_sources() -> list[tuple[str, Path]]:
    """Dotted name and file of every Cython source."""
    base = ROOT / "src_ext"
    return [(dotted(path.relative_to(base)), path) for path in sorted(base.rglob("*.p[yx][xd]"))]


def import_graph() -> dict[str, set[str]]:
    """For every module of the package, kernels included, the other modules of the package that it imports."""
    graph: dict[str, set[str]] = {}
    for module, path in [*python_modules(), *kernel_sources()]:
        source = path.read_text(encoding="utf-8")
        imports = (
            imports_of(module, source, is_package=path.stem == "__init__")
            if path.suffix in (".py", ".pyi")
            else cython_imports_of(source)
        )
        graph.setdefault(module, set()).update(found.target for found in imports)
    return {module: {target for target in targets if target in graph} - {module} for module, targets in graph.items()}


@pytest.mark.parametrize(("module", "path"), [pytest.param(*row, id=row[0]) for row in python_modules()])
def test_a_module_imports_only_what_lies_below_it(module: str, path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    imports = imports_of(module, source, is_package=path.stem == "__init__")
    found = [*complaints(module, imports), *opened(module, source)]
    assert not found, "\n".join(found)


def test_kernels_import_only_kernels_below_them() -> None:
    found = [
        complaint
        for module, path in kernel_sources()
        for complaint in complaints(module, cython_imports_of(path.read_text(encoding="utf-8")))
    ]
    assert not found, "\n".join(found)


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(import_graph()) == []


def test_no_packages_and_modules_of_one_folder_import_each_other_in_a_circle() -> None:
    graph = import_graph()
    assert {package: found for package in packages(graph) if (found := circles(children(graph, package)))} == {}


def test_a_circle_of_packages_without_a_circle_of_modules_is_found() -> None:
    """histories.cache and histories.removal once imported each other in this way."""
    graph = {"h.cache.rules": {"h.removal.list"}, "h.removal.list": set(), "h.removal.purge": {"h.cache.table"}}
    graph |= {"h.cache.table": set(), "h.backend": {"h.cache.rules"}, "h": {"h.backend"}}
    assert circles(graph) == []
    assert packages(graph) == ["h", "h.cache", "h.removal"]
    assert children(graph, "h")["h.removal"] == {"h.cache"}
    assert circles(children(graph, "h")) == [["h.cache", "h.removal"]]
    assert circles(children(graph, "h.cache")) == []


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


def test_every_floor_names_a_package_or_module_that_exists() -> None:
    assert [prefix for prefix in FLOOR_OF if prefix and not exists(f"{PACKAGE}.{prefix}")] == []


def test_exemptions_are_few_and_needed() -> None:
    assert len(EXEMPT) <= 5
    assert all(EXEMPT.values())


def test_the_root_holds_the_public_surface_only() -> None:
    assert len(list((ROOT / PACKAGE).glob("*.py"))) <= 6


def test_no_folder_has_more_than_twenty_modules() -> None:
    folders = {
        path.parent
        for name in (PACKAGE, "src_ext", "tests", "bench", "examples")
        for path in (ROOT / name).rglob("*.py*")
    }
    crowded = {
        str(folder.relative_to(ROOT)): count
        for folder in folders
        if (count := len({path.stem for path in folder.iterdir() if path.suffix in (".py", ".pyx", ".pxd")})) > 20
    }
    assert crowded == {}


@pytest.mark.parametrize(
    ("module", "source", "words"),
    [
        pytest.param("model.sessions", "from recall_rank.analysis.normalize import fold", "below", id="model is low"),
        pytest.param("search.ranking.rerank", "import rapidfuzz\nimport numpy", "numpy", id="no numpy in a search"),
        pytest.param("search.results.snippet", "import rapidfuzz.fuzz", "rapidfuzz", id="only ranking has rapidfuzz"),
        pytest.param("search.engine", "def f():\n    import recall_rank.loaders", "loaders", id="late counts too"),
        pytest.param("search.engine", "from recall_rank.frontends import cli", "frontends", id="no frontend below"),
        pytest.param("loaders.codex.source", "from ...index import errors", "records alone", id="loaders know records"),
        pytest.param("loaders.codex.source", "from recall_rank import Recall", "below", id="nobody imports the root"),
        pytest.param("search.ranking.group", "from recall_rank.search.results.page import page", "below", id="upward"),
        pytest.param("corpus", "from recall_rank.histories.cache.refresh import refresh\nimport sqlite3", "sqlite3"),
        pytest.param("histories.backend", "from recall_rank.search.engine import search", "below", id="neighbours"),
        pytest.param("index.merge.rows", "import pickle", "pickle", id="code is never loaded from data"),
        pytest.param("_core.text.tokens", "from recall_rank._core.rank.matcher import x", "below", id="kernels too"),
        pytest.param("misc", "import math", "no floor", id="every module has a floor"),
    ],
)
def test_a_forbidden_import_is_found(module: str, source: str, words: str) -> None:
    name = f"{PACKAGE}.{module}"
    assert any(words in complaint for complaint in complaints(name, imports_of(name, source)))


def test_ray_is_imported_in_one_module() -> None:
    importers = [
        module
        for module, path in python_modules()
        for found in imports_of(module, path.read_text(encoding="utf-8"), is_package=path.stem == "__init__")
        if found.target.partition(".")[0] == "ray"
    ]
    assert importers == [f"{PACKAGE}.shards.ray_cluster"]


def test_a_file_opened_in_a_stage_is_found() -> None:
    assert list(opened("recall_rank.search.results.snippet", "text = open('x').read()"))
