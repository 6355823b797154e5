"""BEAM: long logs of a user and an assistant, and questions about them. A session is a main question with its
follow-ups.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import orjson

from bench.datasets.published import records

if TYPE_CHECKING:
    from bench.datasets.published.records import Row
    from bench.datasets.published.repositories import Tree

# the half that figures are published of
CHATS = {"100K": (3, 5, 7, 9, 12, 14, 15, 16, 18, 20), "500K": (1, 5, 12, 19, 21)}
PLAN = re.compile(r" ?->-> \d+,\d+$")
UNANSWERED = "abstention"  # questions whose answer was never said


FILES = ("topic.json", "chat.json", "probing_questions/probing_questions.json")


def paths(size: str) -> list[str]:
    """Return the paths of the files that the set of one size is built from."""
    return [f"chats/{size}/{chat}/{file}" for chat in CHATS[size] for file in FILES]


def builder(size: str) -> Callable[[Mapping[str, Tree]], records.BuiltSet]:
    """Return the builder of the set of one size, "100K" or "500K"."""

    def build(trees: Mapping[str, Tree]) -> records.BuiltSet:
        tree = trees["mohammadtavakoli78/BEAM"]
        history: list[Row] = []
        queries: list[Row] = []
        for chat in CHATS[size]:
            project = f"beam{size}-{chat}"
            topic, batches, asked = (orjson.loads(tree.read(f"chats/{size}/{chat}/{file}")) for file in FILES)
            history += _history(project, topic["title"], batches, f"beam{size.lower()}")
            queries += _queries(project, asked, records.sessions_of(history))
        return records.BuiltSet(history, queries)

    return build


def _history(project: str, title: str, batches: list[Any], source: str) -> Iterator[Row]:
    begun = 0  # a session without a day of its own is of the day before it
    for batch in batches:
        for number, turns in enumerate(batch["turns"]):
            key = f"{project}/B{batch['batch_number']}.{number}"
            anchors = [turn["time_anchor"] for turn in turns if turn.get("time_anchor")]
            begun = _millis(anchors[0]) if anchors else begun
            messages = [
                records.message(
                    f"{project}/{turn['id']}", key, turn["role"], begun + 1000 * at, [records.text(_said(turn))]
                )
                for at, turn in enumerate(turns)
            ]
            yield from records.session(key, messages, project=project, title=title, source=source)


def _said(turn: Mapping[str, Any]) -> str:
    """Return what was said, without the reference to the plan behind it."""
    return PLAN.sub("", str(turn["content"]))


def _millis(anchor: str) -> int:
    """Return the milliseconds of a day such as "March-15-2024"."""
    return records.utc_millis(anchor, "%B-%d-%Y")


def _queries(project: str, asked: Mapping[str, list[Any]], sessions: Mapping[str, str]) -> Iterator[Row]:
    for kind in sorted(asked):
        for at, one in enumerate(asked[kind]) if kind != UNANSWERED else ():
            turns = [f"{project}/{turn}" for turn in _numbers(one.get("source_chat_ids"))]
            known = [turn for turn in dict.fromkeys(turns) if turn in sessions]
            if known:
                yield records.query(f"{project}-{kind}{at}", kind, one["question"], project, known, sessions)


def _numbers(value: Any) -> Iterator[int]:
    """Yield the numbers inside lists and objects, in order."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _numbers(one)
