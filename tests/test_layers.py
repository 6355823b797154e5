"""Who may import whom: ARCHITECTURE.md's layers, read from the source of every module."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "recall_rank"
STAGES = ("eligible", "literal", "prefilter", "score", "boost", "fuse", "group", "snippet")

# Longest prefix wins. A module that nothing here names fails the test: give it a layer before it grows.
LAYERS = {
    "": "api",
    "model": "model",
    "records": "records",
    **dict.fromkeys(("wire", "wire_camel", "wire_transcript"), "wire"),
    "times": "times",
    "dates": "times",
    "text": "text",
    "cues": "text",
    "speech_acts": "text",
    "edits": "text",
    "irregular": "text",
    "weights": "weights",
    "budget": "budget",
    "query": "query",
    "expand": "expand",
    "forms": "expand",
    "lexicon": "expand",
    "substring": "substring",
    "in_context": "substring",
    "candidate": "candidate",
    **{stage: stage for stage in STAGES},
    "state": "state",
    "near": "near",
    **dict.fromkeys(("respond", "result"), "respond"),
    "coverage": "coverage",
    **dict.fromkeys(("ranking", "calibrate"), "ranking"),
    "tail": "tail",
    "page": "page",
    "engine": "engine",
    "corpus": "surface",
    **dict.fromkeys(("evaluation", "figures", "labelled", "measures", "places"), "surface"),
    **dict.fromkeys(("catalogue", "transcript", "reports", "own_reports"), "surface"),
    **dict.fromkeys(("progress", "wrapped"), "progress"),
    "cache": "cache",
    "held": "surface",
    **dict.fromkeys(("recall", "config", "holders", "in_memory", "on_disk", "on_disk_view"), "recall"),
    "index": "index",
    "loaders": "loaders",
    "__main__": "frontends",
    "frontends": "frontends",
    "demo": "demo",
    "_core": "core",
}

BASE = {"model", "core", "text", "weights", "budget", "times"}
# What a stage is given and gives back; no stage stands in it.
BELOW_STAGES = BASE | {"query", "index", "expand", "substring", "candidate"}
BELOW_ENGINE = BELOW_STAGES | {*STAGES, "state", "ranking", "tail", "page", "near", "coverage", "respond"}
BELOW_SURFACE = BELOW_ENGINE | {"engine", "records", "wire"}
MAY_IMPORT = {
    "core": {"core"},
    "model": {"model"},
    "records": {"model"},
    "wire": {"model", "wire"},
    "times": {"model"},
    "text": {"model", "core"},
    "weights": {"model"},
    "budget": {"model", "core"},
    "query": BASE,
    "index": {"model", "text", "core", "index"},
    "expand": BASE | {"query", "index", "expand"},
    "substring": BASE | {"index"},
    "candidate": BASE | {"index"},
    **dict.fromkeys(STAGES, BELOW_STAGES),
    # What the stages of one search found: the types of two of them, none of their work.
    "state": BELOW_STAGES | {"eligible", "group"},
    # Asks the prefilter once more, for a search that found nothing.
    "near": BELOW_STAGES | {"state", "prefilter"},
    # The last stage shows what is returned: it alone calls others, the snippet's and the text scan's.
    "respond": BELOW_STAGES | {"state", "group", "literal", "snippet", "coverage", "respond"},
    "coverage": BELOW_STAGES | {"state"},
    # Several stages as one step of engine.search(): the survivors, what comes behind them, the page made of both.
    "ranking": BELOW_STAGES | {"state", "score", "boost", "group"},
    "tail": BELOW_STAGES | {"state", "prefilter", "literal"},
    "page": BELOW_STAGES | {"state", "group", "ranking", "tail"},
    "engine": BELOW_ENGINE,
    "surface": BELOW_SURFACE | {"surface", "cache", "progress"},
    "progress": {"model"},
    "cache": {"model", "core", "index", "loaders", "progress", "cache"},
    "recall": BELOW_SURFACE | {"surface", "cache", "progress", "recall", "loaders", "api"},
    "api": {"model", "query", "surface", "recall", "loaders"},
    "loaders": {"model", "loaders"},
    "frontends": BELOW_SURFACE | {"surface", "cache", "progress", "recall", "loaders", "frontends", "demo", "api"},
    "demo": {"model", "demo"},
}

# Inside a function only, where the record turns itself into an answer.
LATE = {("model", "wire"), ("model", "orjson")}

# Modules of others, and the layers that may touch them.
FOREIGN = {
    "rapidfuzz": {"score"},
    "re2": {"literal"},
    "Stemmer": {"text"},
    "numpy": {"index", "surface"},
    "xxhash": {"index", "loaders", "cache"},
    "sqlite3": {"loaders", "frontends"},
    "json": {"loaders", "frontends", "demo", "cache"},
    "orjson": {"loaders", "frontends", "cache"},
    "gzip": {"loaders", "frontends"},
    "lzma": {"loaders", "frontends"},
    "bz2": {"loaders", "frontends"},
    "subprocess": {"loaders", "frontends"},
    "os": {"index", "cache", "loaders", "frontends", "recall", "surface"},
    "io": {"index", "loaders", "frontends", "recall", "surface"},
    "pathlib": {"index", "cache", "loaders", "frontends", "recall", "surface", "demo"},
    "mmap": {"index", "loaders"},
    "tempfile": {"index", "loaders", "frontends"},
    "shutil": {"index", "loaders", "frontends"},
    "tomllib": {"recall"},
    "click": {"frontends"},
    **{key: {"frontends"} for key in ("mcp", "mcp_types", "anyio", "pydantic")},
    "rich": {"frontends"},
    "platformdirs": {"cache", "recall"},
    # Code could come in through these, or data go out.
    **{name: set[str]() for name in ("pickle", "marshal", "shelve", "dill", "socket", "urllib", "http", "ctypes")},
}
OPENS_FILES = {"index", "loaders", "frontends", "recall", "surface"}

CYTHON_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\b|c?import\s+([\w.]+))", re.MULTILINE)


@dataclass(slots=True, frozen=True)
class Import:
    """One module named by another."""

    target: str
    line: int
    late: bool


def layer_of(module: str) -> str | None:
    """The layer of a dotted name inside the package, None when no row names it."""
    name = module.removeprefix(PACKAGE).removeprefix(".")
    while name and name not in LAYERS:
        name = name.rpartition(".")[0]
        if not name:
            return None
    return LAYERS[name]


def imports_of(module: str, source: str, *, is_package: bool = False) -> Iterator[Import]:
    """Every import of a Python source, with the ones inside functions marked late."""
    tree = ast.parse(source)
    late = {
        id(inner)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, id(node) in late)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module.split(".")[: None if is_package and node.level == 1 else -node.level + is_package]
                base = ".".join([*above, *([base] if base else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield Import(full if exists(full) else base, node.lineno, id(node) in late)


def exists(module: str) -> bool:
    """Whether a dotted name is a module of this package, as opposed to a name inside one."""
    if not module.startswith(f"{PACKAGE}."):
        return False
    if module.removeprefix(f"{PACKAGE}.") in LAYERS:
        return True
    path = ROOT.joinpath(*module.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file() or path.with_suffix(".pyi").is_file()


def cython_imports_of(source: str) -> Iterator[Import]:
    """Every import and cimport of a Cython source."""
    for found in CYTHON_IMPORT.finditer(source):
        yield Import(found[1] or found[2], source.count("\n", 0, found.start()) + 1, late=False)


def complaints(module: str, imports: Iterator[Import]) -> Iterator[str]:
    """What a module imports and may not."""
    layer = layer_of(module)
    if layer is None:
        yield f"{module} has no layer: add it to LAYERS"
        return
    for found in imports:
        top = found.target.partition(".")[0]
        if top == PACKAGE:
            target = layer_of(found.target)
            allowed = target in MAY_IMPORT[layer] or found.target == module
        else:
            target = top
            allowed = layer in FOREIGN.get(top, {layer})
        if not allowed and not (found.late and (layer, target) in LATE):
            yield f"{module}:{found.line} ({layer}) must not import {found.target} ({target})"


def opened(module: str, source: str) -> Iterator[str]:
    """Calls of the builtin `open` where no file may be touched."""
    if layer_of(module) in OPENS_FILES:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"open", "eval", "exec"}:
            yield f"{module}:{node.lineno} must not call {node.func.id}()"


def python_modules() -> list[tuple[str, Path]]:
    """Dotted name and file of every Python module of the package, stubs of compiled rooms included."""
    paths = [*(ROOT / PACKAGE).rglob("*.py"), *(ROOT / PACKAGE / "_core").rglob("*.pyi")]
    return sorted((dotted(path.relative_to(ROOT)), path) for path in paths)


def dotted(path: Path) -> str:
    """The module that a file is."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize(("module", "path"), [pytest.param(*row, id=row[0]) for row in python_modules()])
def test_a_module_imports_only_what_lies_below_it(module: str, path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    imports = imports_of(module, source, is_package=path.stem == "__init__")
    found = [*complaints(module, imports), *opened(module, source)]
    assert not found, "\n".join(found)


def test_compiled_rooms_import_only_compiled_rooms() -> None:
    found = [
        complaint
        for path in sorted((ROOT / "src_ext").rglob("*.p[yx][xd]"))
        for complaint in complaints(
            dotted(path.relative_to(ROOT / "src_ext")), cython_imports_of(path.read_text(encoding="utf-8"))
        )
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("module", "source", "words"),
    [
        pytest.param("model", "from recall_rank.text import fold", "text", id="nothing is below the model"),
        pytest.param("boost", "from recall_rank import score", "score", id="stages do not import each other"),
        pytest.param("boost", "import rapidfuzz.fuzz", "rapidfuzz", id="only score touches rapidfuzz"),
        pytest.param("engine", "def f():\n    import recall_rank.loaders", "loaders", id="late counts too"),
        pytest.param("engine", "from recall_rank.frontends import cli", "frontends", id="engine knows no frontend"),
        pytest.param("loaders.codex", "from ..query import Query", "query", id="loaders know the model only"),
        pytest.param("loaders.codex", "from recall_rank import Recall", "api", id="nor the surface"),
        pytest.param("group", "from recall_rank.state import Search", "state", id="a stage knows no search"),
        pytest.param("snippet", "from recall_rank.respond import respond", "respond", id="nor the response"),
        pytest.param("respond", "from recall_rank.score import score", "score", id="the response scores nothing"),
        pytest.param("corpus", "from recall_rank.loaders import discover", "loaders", id="an index reads no store"),
        pytest.param("records", "from recall_rank.query import Query", "query", id="records know the model only"),
        pytest.param("prefilter", "import numpy", "numpy", id="a search does without numpy"),
        pytest.param("index.merge", "from recall_rank.engine import search", "engine", id="the index knows no stage"),
        pytest.param("query", "import sqlite3", "sqlite3", id="only the edges touch databases"),
        pytest.param("index.merge", "import pickle", "pickle", id="code is never loaded from data"),
        pytest.param("misc", "import math", "no layer", id="every module has a layer"),
    ],
)
def test_a_forbidden_import_is_found(module: str, source: str, words: str) -> None:
    name = f"{PACKAGE}.{module}"
    assert any(words in complaint for complaint in complaints(name, imports_of(name, source)))


def test_a_file_opened_in_a_stage_is_found() -> None:
    assert list(opened("recall_rank.snippet", "text = open('x').read()"))
