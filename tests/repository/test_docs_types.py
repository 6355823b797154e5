"""The Python of the pages passes a type checker, and a wrong option fails it: a reader who copies an example gets no
error from theirs, and one who misspells an option does.

All tests use one cache of mypy, which reads the package once; no other run writes there.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository.test_docs import PAGES, ROOT, blocks

# Functions of the examples have no annotations, for the sake of the reader; their bodies are checked all the same.
RELAXED = ("--allow-untyped-defs", "--allow-untyped-calls", "--allow-incomplete-defs", "--check-untyped-defs")
CALLER = """
import asyncio
import recall_rank as rr

index = rr.Index.build([])
recall = rr.Recall([])
index.search("lantern", match="fuzzy", results=3, must=["wick"], sessions=1)
recall.search("lantern", from_="yesterday", exclude_session_ids={"s"})
index.scores("lantern", project="harbour")
asyncio.run(index.asearch("lantern", explain=True))
asyncio.run(recall.asearch("lantern", budget_ms=50))
rr.rank("lantern", [], group="session")

index.search("lantern", mach="fuzzy")  # wrong
index.search("lantern", match="exact")  # wrong
recall.search("lantern", result=3)  # wrong
recall.search("lantern", results="3")  # wrong
index.scores("lantern", filter="harbour")  # wrong
asyncio.run(index.asearch("lantern", explane=True))  # wrong
asyncio.run(recall.asearch("lantern", budget=50))  # wrong
rr.rank("lantern", [], by="session")  # wrong
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def complaints(folder: Path, cache: Path) -> str:
    """What mypy --strict says of the Python files in a folder; empty when nothing is wrong."""
    command = [sys.executable, "-m", "mypy", "--strict", *RELAXED, "--config-file=", "--no-error-summary"]
    done = subprocess.run(
        [*command, "--ignore-missing-imports", f"--cache-dir={cache}", *sorted(map(str, folder.glob("*.py")))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_the_examples_of_the_pages_are_typed(tmp_path: Path, cache: Path) -> None:
    for path in PAGES:
        found = [block for block in blocks(path) if block.language == "python"]
        for block in found:
            if block.title:
                (tmp_path / block.title).write_text(block.text, encoding="utf-8")
        page = "\n".join(block.text for block in found)
        (tmp_path / f"{path.stem.replace('-', '_').lower()}_page.py").write_text(page, encoding="utf-8")
    assert complaints(tmp_path, cache) == ""


def test_a_wrong_example_is_noticed(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "page.py").write_text("import recall_rank as rr\n\nrr.rank('tide', [], resluts=3)\n", encoding="utf-8")
    assert "resluts" in complaints(tmp_path, cache)


def test_a_misspelt_option_or_value_fails_at_the_caller(tmp_path: Path, cache: Path) -> None:
    caller = tmp_path / "caller.py"
    caller.write_text(CALLER, encoding="utf-8")
    said = complaints(tmp_path, cache)
    found = [int(line.split(":")[1]) for line in said.splitlines() if f"{caller}:" in line and ": error:" in line]
    wrong = [number for number, line in enumerate(CALLER.splitlines(), 1) if line.endswith("# wrong")]
    assert found == wrong, said
