"""The Python of the pages passes a type checker: a reader who copies it gets no error from theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.repository.test_docs import PAGES, ROOT, blocks

# Functions of the examples have no annotations, for the sake of the reader; their bodies are checked all the same.
RELAXED = ("--allow-untyped-defs", "--allow-untyped-calls", "--allow-incomplete-defs", "--check-untyped-defs")


def complaints(folder: Path) -> str:
    """What mypy --strict says of the Python files in a folder; empty when nothing is wrong."""
    command = [sys.executable, "-m", "mypy", "--strict", *RELAXED, "--config-file=", "--no-error-summary"]
    done = subprocess.run(
        [*command, "--ignore-missing-imports", *sorted(map(str, folder.glob("*.py")))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_the_examples_of_the_pages_are_typed(tmp_path: Path) -> None:
    for path in PAGES:
        found = [block for block in blocks(path) if block.language == "python"]
        for block in found:
            if block.title:
                (tmp_path / block.title).write_text(block.text, encoding="utf-8")
        page = "\n".join(block.text for block in found)
        (tmp_path / f"{path.stem.replace('-', '_').lower()}_page.py").write_text(page, encoding="utf-8")
    assert complaints(tmp_path) == ""


def test_a_wrong_example_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text("import recall_rank as rr\n\nrr.rank('tide', [], resluts=3)\n", encoding="utf-8")
    assert "resluts" in complaints(tmp_path)
