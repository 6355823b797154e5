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
    cli, minsky, bsc = (trees[name] for name in ("specstoryai/getspecstory", "edobry/minsky", "hpm27/agente-bsc-rag"))
    history: list[Row] = []
    history += specstory.read_pages(cli, (PAGES, f"specstory-cli/{PAGES}"), "getspecstory", known_items.CLI)
    history += specstory.read_pages(minsky, (PAGES,), "minsky", known_items.MINSKY)
    history += specstory.read_pages(bsc, (PAGES,), "agente-bsc-rag", known_items.BSC)
    history += traces.read_pi(trees["badlogic/pi-mono"], PI_PATHS)
    history += traces.read_trajectories(trees["SWE-agent/SWE-agent"], SWE_PATHS)
    return records.BuiltSet(history, known_items.queries(history))
