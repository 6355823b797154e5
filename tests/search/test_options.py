"""The options of a search: one set of names and types, checked by mypy at the caller and by the record at run time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

from recall_rank.search.options import OPTION_NAMES, Options, RankOptions, SearchOptions, parse_options

ROOT = Path(__file__).resolve().parents[2]
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


def test_keyword_arguments_and_the_record_have_the_same_names_and_types() -> None:
    assert get_type_hints(SearchOptions) == get_type_hints(Options)
    assert SearchOptions.__total__ is False
    assert RankOptions.__annotations__.keys() == OPTION_NAMES - {"sessions"}


def test_a_misspelt_option_or_value_fails_mypy_at_the_caller(tmp_path: Path) -> None:
    caller = tmp_path / "caller.py"
    caller.write_text(CALLER, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--no-error-summary"]
    done = subprocess.run(
        [*command, "--config-file=", f"--cache-dir={tmp_path / 'cache'}", str(caller)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    complaints = [
        int(line.split(":")[1]) for line in done.stdout.splitlines() if f"{caller}:" in line and ": error:" in line
    ]
    wrong = [number for number, line in enumerate(CALLER.splitlines(), 1) if line.endswith("# wrong")]
    assert complaints == wrong, done.stdout + done.stderr


def test_options_that_come_again_are_checked_once() -> None:
    assert parse_options({"results": 3}) is parse_options({"results": 3})
    assert parse_options({"results": 3}) == Options(results=3)
    assert parse_options({"must": ["wick"]}) == Options(must=["wick"])


def test_an_unknown_option_is_named_with_all_that_are_accepted() -> None:
    with pytest.raises(
        TypeError, match=r"unknown option mach; accepted are after, agent, before, budget_ms, .*, width"
    ):
        parse_options({"mach": "fuzzy"})  # type: ignore[typeddict-unknown-key]
