"""Arguments with bytes that are not UTF-8, on every command that prints JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recall_rank.model.serialize import json_line
from tests.frontends.conftest import Run
from tests.support.frontends.curators import without_curators

ODD = "token \udcff"  # as Python has the byte FF in an argument
DEMO = ("--history", "demo")
LINES = [
    ("search", ODD, *DEMO),
    ("search", "token", "--project", ODD, "--title", ODD, "--must", ODD, "--file", ODD, *DEMO),
    ("search", "token", "--session", ODD, *DEMO),
    ("search", "token", "--since", ODD, *DEMO),
    ("search", "token", "--history", ODD),
    ("demo", ODD),
    ("session-search", ODD, *DEMO),
    ("session-search", "--session", ODD, *DEMO),
    ("session-search", "--session", "demo-10", "--around", ODD, *DEMO),
    ("ask", ODD, "--for", ODD, "--curator", "extractive", *DEMO),
    ("ask", "qqzz", "--for", "x", "--project", ODD, "--curator", "extractive", *DEMO),
    ("ask", "token", "--for", "x", "--since", ODD, *DEMO),
    ("ask", "token", "--for", "x", "--curator", ODD, *DEMO),
    ("get", ODD, ODD, *DEMO),
    ("context", ODD, ODD, *DEMO),
    ("messages", ODD, *DEMO),
    ("messages", "demo-10", "--query", ODD, *DEMO),
    ("sessions", "--search", ODD, *DEMO),
    ("sources", "--history", ODD),
    ("refresh", "--history", ODD),
    ("build", ODD, "--out", ODD, "--workers", "1"),
    ("search", "token", "--index", ODD),
    ("forget", ODD, *DEMO),
    ("stats", "--history", ODD),
    ("evaluate", "--queries", ODD, *DEMO),
]


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "text"])
@pytest.mark.parametrize("words", LINES, ids=lambda words: " ".join(words[:4]).replace("\udcff", "FF"))
def test_bytes_that_are_not_utf_8_are_answered(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], as_json: bool
) -> None:
    without_curators(monkeypatch, tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    result = run(*words, *(("--json",) if as_json else ()))
    assert result.exit_code in (0, 1, 2, 3, 5), result.output
    assert "Traceback" not in result.output
    if as_json:
        assert json.loads(result.stdout)["schema_version"] == 1


def test_a_line_of_json_keeps_what_is_no_surrogate() -> None:
    value = {"a\udcff": ["b\ud800c", {"d": (1, None, True, 0.5, "\U0001f600")}]}
    assert json.loads(json_line(value)) == {"a\ufffd": ["b\ufffdc", {"d": [1, None, True, 0.5, "\U0001f600"]}]}
    with pytest.raises(TypeError):
        json_line({"x": {1, 2}})
