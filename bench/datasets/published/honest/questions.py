"""Reads the questions of this repository, and builds the set of them with the published histories.

A line of questions.jsonl is {"id", "kind", "query", "relevant", "relevant_sessions"?}. `relevant` has by session
[message, part or null, grade], and behind them the ids that message and part have in the published histories as
`python -m bench data` builds them, where they are others: pages that show a session again, and some whose turns are
divided otherwise there. Null in place of the message means that the built histories lack it. An id that begins with a
colon continues that of its session or message.

Grade 2 states the answer, grade 1 comes near it: the question as it was first raised, a failing output, a step of a
plan. A line with an id and a query alone is a question that the histories cannot answer.
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


def rows(path: Path = FILE, *, built: bool = False) -> list[Row]:
    """Return the questions as the lines of a file of labelled queries; with `built`, by the ids of built histories."""
    return [_row(orjson.loads(line), built=built) for line in path.read_bytes().splitlines()]


def build(trees: Mapping[str, Tree]) -> records.BuiltSet:
    """Build the histories, with these questions as their queries."""
    return records.BuiltSet(histories.history(trees), rows(built=True))


def _row(line: Mapping[str, Any], *, built: bool) -> Row:
    if "relevant" not in line:
        return {"id": line["id"], "kind": UNANSWERABLE, "query": line["query"], "relevant": [], "answerable": False}
    relevant = [
        found
        for session, places in line["relevant"].items()
        for place in places
        if (found := _place(session, *place, built=built))
    ]
    return {
        **{name: line[name] for name in ("id", "kind", "query")},
        "relevant": relevant,
        "relevant_sessions": line.get("relevant_sessions") or list(line["relevant"]),
    }


def _place(session: str, message: str, part: str | None, grade: int, *others: str | None, built: bool) -> Row | None:
    """Return a place by its ids in the histories, or by its `others` in built ones; None where these lack it."""
    name, within = message, part
    if built and others:
        if others[0] is None:
            return None
        name, within = others[0], others[-1] if part else None
    whole = _continued(session, name)
    return {"session": session, "message": whole, "part": within and _continued(whole, within), "grade": grade}


def _continued(outer: str, name: str) -> str:
    return outer + name if name.startswith(":") else name
