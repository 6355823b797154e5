"""Reads the questions of this repository, and builds the set of them with the published histories.

A line of questions.jsonl is {"id", "kind", "query", "relevant", "relevant_sessions"?}. `relevant` has [message, part
or null, grade] by session; an id that begins with a colon continues that of its session or message. Grade 2 states the
answer, grade 1 comes near it: the question as it was first raised, a failing output, a step of a plan. A line with an
id and a query alone is a question that the histories cannot answer.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bench.datasets.published import records
from bench.datasets.published.histories import build as histories

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.datasets.published.records import Row
    from bench.datasets.published.repositories import Tree

FILE = Path(__file__).with_name("questions.jsonl")
UNANSWERABLE = "unanswerable"  # the kind of the questions without an answer


def rows(path: Path = FILE) -> list[Row]:
    """Return the questions as the lines of a file of labelled queries."""
    return [_row(orjson.loads(line)) for line in path.read_bytes().splitlines()]


def build(trees: Mapping[str, Tree]) -> records.BuiltSet:
    """Build the histories, with these questions as their queries."""
    return records.BuiltSet(histories.history(trees), rows())


def _row(line: Mapping[str, Any]) -> Row:
    if "relevant" not in line:
        return {"id": line["id"], "kind": UNANSWERABLE, "query": line["query"], "relevant": [], "answerable": False}
    relevant = [_place(session, *place) for session, places in line["relevant"].items() for place in places]
    sessions = line.get("relevant_sessions") or list(line["relevant"])
    return {
        **{name: line[name] for name in ("id", "kind", "query")},
        "relevant": relevant,
        "relevant_sessions": sessions,
    }


def _place(session: str, message: str, part: str | None, grade: int) -> Row:
    whole = _continued(session, message)
    return {"session": session, "message": whole, "part": part and _continued(whole, part), "grade": grade}


def _continued(outer: str, name: str) -> str:
    return outer + name if name.startswith(":") else name
