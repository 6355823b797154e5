"""What is shipped: metadata, the source archive, the wheel, and a package that is light to import."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import recall_rank

ROOT = Path(__file__).resolve().parents[2]
KERNELS = Path("src_ext/recall_rank/_core")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TINY_KERNEL = '"""A kernel of one function."""\n\n\ndef twice(int number):\n    return 2 * number\n'


def run(*command: str, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run this interpreter on a command line and return what it said."""
    environment = {**os.environ, **variables}
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def copy_project(folder: Path) -> Path:
    """The tree as a clone has it, plus leftovers of a build that must not be shipped."""
    skip = shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__")
    for name in ("recall_rank", "src_ext", "tests", "bench", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=skip)
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "LICENSE", *(path.name for path in ROOT.glob("*.md"))):
        shutil.copy(ROOT / name, folder)
    (folder / KERNELS / "left.c").write_text("int left;")
    (folder / "recall_rank/_core/left.so").write_bytes(b"\x7fELF")
    (folder / "recall_rank/frontends/demo/left.tmp").write_text("left")
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with one small kernel in place of the real ones, which take a minute to compile."""
    folder = copy_project(tmp_path_factory.mktemp("tiny"))
    for path in (folder / KERNELS).rglob("*.p[yx][xd]"):
        if path.name != "__init__.pxd":
            path.unlink()
    (folder / KERNELS / "text/tiny.pyx").write_text(TINY_KERNEL)
    (folder / "recall_rank/_core/text/tiny.pyi").write_text("def twice(number: int) -> int: ...\n")
    return folder


def test_the_version_is_told_once() -> None:
    assert recall_rank.__version__ == PROJECT["project"]["version"]
    try:
        installed = importlib.metadata.version("recall-rank")
    except importlib.metadata.PackageNotFoundError:
        return  # built in place, never installed
    assert installed == recall_rank.__version__


def test_runtime_requirements_stay_eight() -> None:
    assert len(PROJECT["project"]["dependencies"]) <= 8


def test_no_package_is_forgotten() -> None:
    there = {
        ".".join(path.relative_to(ROOT).parts)
        for path in (ROOT / "recall_rank", *(ROOT / "recall_rank").rglob("*"))
        if path.is_dir() and any(path.glob("*.py"))
    }
    assert there == set(PROJECT["tool"]["setuptools"]["packages"])


@pytest.mark.parametrize("kernel", sorted(path.relative_to(ROOT / KERNELS) for path in (ROOT / KERNELS).rglob("*.pyx")))
def test_a_kernel_is_compiled_documented_and_has_a_stub(kernel: Path) -> None:
    module = importlib.import_module(".".join(("recall_rank._core", *kernel.with_suffix("").parts)))
    assert module.__file__
    assert Path(module.__file__).suffix != ".py"
    assert (module.__doc__ or "").strip()
    assert (ROOT / "recall_rank" / "_core" / kernel.with_suffix(".pyi")).is_file()


@pytest.mark.parametrize("module", ["recall_rank", "recall_rank.model"])
def test_import_is_light(module: str) -> None:
    # What is loaded before counts for nothing: a coverage tool has modules of its own.
    answer = run("-c", f"import sys; old = {{*sys.modules}}; import {module}; print(*({{*sys.modules}} - old))")
    loaded = {name.partition(".")[0] for name in answer.stdout.split()}
    assert "recall_rank" in loaded, answer.stderr
    assert not loaded & {"numpy", "rapidfuzz", "orjson", "Stemmer", "re2", "click", "rich", "sqlite3", "asyncio"}


def test_the_source_archive_holds_sources_only(project: Path, tmp_path: Path) -> None:
    answer = run("-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path), cwd=project)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    sources = (
        "recall_rank/**/*.py",
        "recall_rank/**/*.pyi",
        "src_ext/**/*.p[yx][xd]",
        "src_ext/**/*.h",
        "tests/**/*.py",
        "bench/**/*.py",
        "examples/**/*.py",
        "examples/**/*.mjs",
        "examples/**/*.md",
    )
    for pattern in sources:
        expected = {path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern)}
        assert expected, pattern
        assert expected <= names
    assert {"LICENSE", "README.md", "CHANGELOG.md", "setup.py", "pyproject.toml", "recall_rank/py.typed"} <= names
    assert not [name for name in names if name.endswith((".c", ".cpp", ".so", ".pyd", ".pyc", ".tmp"))]


def test_two_builds_of_the_same_files_have_the_same_bytes(tiny: Path, tmp_path: Path) -> None:
    other = shutil.copytree(tiny, tmp_path / "another" / "folder")
    (other / "README.md").touch()
    built = []
    for number, folder in enumerate((tiny, other)):
        to = tmp_path / str(number)
        answer = run(
            *("-m", "build", "--no-isolation", "--sdist", "--wheel", "--outdir", str(to)),
            cwd=folder,
            SOURCE_DATE_EPOCH="1780000000",
        )
        assert answer.returncode == 0, answer.stdout + answer.stderr
        built.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in to.iterdir()})
    assert built[0] == built[1]
    assert len(built[0]) == 2


def test_wheels_are_made_for_every_python_that_the_metadata_names() -> None:
    named = {
        name.removeprefix("Programming Language :: Python :: ")
        for name in PROJECT["project"]["classifiers"]
        if name.startswith("Programming Language :: Python :: 3.")
    }
    made = set(PROJECT["tool"]["cibuildwheel"]["build"])
    assert {f"cp{name.replace('.', '')}-*" for name in named} <= made
    assert {name.removesuffix("t-*") for name in made if name.endswith("t-*")} <= {name[:-2] for name in made}


def test_the_wheel_holds_the_package_only(tiny: Path, tmp_path: Path) -> None:
    answer = run("-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), cwd=tiny)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    wheel = next(tmp_path.glob("*.whl"))
    assert "-none-any" not in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"recall_rank/py.typed", "recall_rank/_core/text/tiny.pyi", "recall_rank/model/sessions.py"} <= names
    assert [
        name for name in names if name.startswith("recall_rank/_core/text/tiny.") and name.endswith((".so", ".pyd"))
    ]
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"recall_rank"}
    assert not [name for name in names if name.endswith((".pyx", ".pxd", ".c", ".tmp", "left.so"))]
    demo = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "recall_rank/frontends/demo").iterdir() if path.is_file()
    }
    assert demo <= names


def test_a_missing_compiler_is_said_in_one_sentence(tiny: Path) -> None:
    answer = run("setup.py", "build_ext", "--build-temp", "other", "--force", cwd=tiny, CC="/absent/cc")
    assert answer.returncode != 0
    assert "recall_rank needs a C compiler to build, and '/absent/cc' was not found." in answer.stderr
    assert "Traceback" not in answer.stderr


def test_another_mode_rebuilds_every_kernel(tiny: Path) -> None:
    debug = run("setup.py", "build_ext", "--inplace", cwd=tiny, RECALL_RANK_DEBUG="1")
    release = run("setup.py", "build_ext", "--inplace", cwd=tiny, RECALL_RANK_DEBUG="0")
    again = run("setup.py", "build_ext", "--inplace", cwd=tiny, RECALL_RANK_DEBUG="0")
    built = ["building 'recall_rank._core.text.tiny' extension" in answer.stdout for answer in (debug, release, again)]
    assert built == [True, True, False], debug.stderr + release.stderr + again.stderr
