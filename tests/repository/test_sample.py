"""The sample of docstrings is drawn from all of them, and the same for the same seed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.repository import sample
from tests.repository.sample import ROOT, docstrings, main


def test_every_kind_of_docstring_is_found(tmp_path: Path) -> None:
    (tmp_path / "recall_rank").mkdir()
    (tmp_path / "src_ext").mkdir()
    python = '"""M."""\nclass C:\n    """C."""\n    def f(self, x: int) -> int:\n        """F."""\n        return x\n'
    (tmp_path / "recall_rank" / "one.py").write_text(python)
    cython = (
        '# cython: language_level=3\n"""K."""\ncdef class D:\n    """D."""\n'
        '    cdef int g(self, const char* data,\n               int size) noexcept nogil:\n        """G."""\n'
        "        return 0\n\ndef plain(int x):\n    return x\n"
    )
    (tmp_path / "src_ext" / "two.pyx").write_text(cython)
    assert [each.text for each in docstrings(tmp_path)] == ["M.", "C.", "F.", "K.", "D.", "G."]


def test_no_docstring_of_the_package_is_missed() -> None:
    found = {(each.path, each.text) for each in docstrings()}
    for path in (ROOT / "recall_rank").rglob("*.py"):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert text is None or (path.relative_to(ROOT).as_posix(), text) in found
    assert sum(path.endswith(".pyx") for path, _ in found) > 100


def test_a_seed_always_draws_the_same(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = docstrings()
    monkeypatch.setattr(sample, "docstrings", lambda: found)
    drawn = []
    for seed in ("7", "7", "8"):
        assert main(["--count", "5", "--seed", seed]) == 0
        drawn.append(capsys.readouterr().out)
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0].count("--- ") == 5
