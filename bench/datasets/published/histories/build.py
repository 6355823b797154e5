"""Histories of coding agents from five public repositories, with known-item queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.datasets.published import records
from bench.datasets.published.histories import known_items, specstory, traces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.datasets.published.records import Row
    from bench.datasets.published.repositories import Tree

PAGES = ".specstory/history"
_FIXTURES = "packages/coding-agent/test/fixtures"
PI_PATHS = (f"{_FIXTURES}/before-compaction.jsonl", f"{_FIXTURES}/large-session.jsonl")
SWE_PATHS = ("tests/test_data/trajectories", "trajectories")


def build(trees: Mapping[str, Tree]) -> records.BuiltSet:
    """Build the histories and draw their queries."""
    rows = history(trees)
    return records.BuiltSet(rows, known_items.queries(rows))


def history(trees: Mapping[str, Tree]) -> list[Row]:
    """Return the lines of the histories."""
    cli, minsky, bsc = (trees[name] for name in ("specstoryai/getspecstory", "edobry/minsky", "hpm27/agente-bsc-rag"))
    rows: list[Row] = []
    rows += specstory.read_pages(cli, (PAGES, f"specstory-cli/{PAGES}"), "getspecstory", known_items.CLI)
    rows += specstory.read_pages(minsky, (PAGES,), "minsky", known_items.MINSKY)
    rows += specstory.read_pages(bsc, (PAGES,), "agente-bsc-rag", known_items.BSC)
    rows += traces.read_pi(trees["badlogic/pi-mono"], PI_PATHS)
    rows += traces.read_trajectories(trees["SWE-agent/SWE-agent"], SWE_PATHS)
    return rows
