"""The command line on real stores: every way of matching answers, and no file is changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.frontends.conftest import Run

pytestmark = pytest.mark.shared


@pytest.mark.parametrize("store", ["opencode", "claude-code"])
@pytest.mark.parametrize(
    ("match", "query"),
    [("literal", "rate"), ("smart", "error in the test"), ("fuzzy", "databse locked"), ("regex", r"[a-z]+_[a-z]+\(")],
)
def test_every_mode_answers_from_a_real_store(run: Run, shared: Path, store: str, match: str, query: str) -> None:
    result = run("search", query, "-m", match, "--history", shared / "stores" / store, "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["match_mode"] == match
    assert answer["coverage"]["parts"]["searched"] > 0
    assert all(hit["snippet"] for hit in answer["results"])


def test_sources_of_a_folder_of_stores(run: Run, shared: Path) -> None:
    listed = json.loads(run("sources", "--history", shared / "stores", "--json").stdout)["sources"]
    assert {"opencode", "claude-code"} <= {source["agent"] for source in listed}
    assert not [source for source in listed if source["failed"]]
