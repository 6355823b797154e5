"""The benchmark of the picker measures a small history, and its lists are those of a search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.command import main

pytest.importorskip("textual")


@pytest.mark.slow
def test_frames_lists_and_keys_are_measured(tmp_path: Path) -> None:
    main(["run", "browse", "--parts", "1500", "--rounds", "1", "--loads", "2", "--out", str(tmp_path / "out.json")])
    (report,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["reports"]
    figures = {each["name"]: each["value"] for each in report["figures"]}
    assert 0 < figures["first frame, wall"] < figures["first list, wall"]
    assert 0 < figures["key to results, wall, p50"] <= figures["key to results, wall, p95"]
    checks = {each["name"]: each["ok"] for each in report["checks"]}
    assert checks["the list shows what a search finds"]
