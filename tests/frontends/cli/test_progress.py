"""Progress bars are drawn on a terminal only."""

from __future__ import annotations

import io
import sys

import pytest

from recall_rank.frontends.cli.output.console import progress_on_stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_no_terminal_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_on_stderr() as progress:
        assert progress is None


def test_a_terminal_sees_each_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress_on_stderr() as progress:
        assert progress is not None
        progress("reading", 1, None)
        progress("reading", 2, 3)
        progress("indexing", 1, 2)
    shown = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert "reading" in shown
    assert "indexing" in shown
