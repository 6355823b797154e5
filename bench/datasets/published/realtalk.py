"""REALTALK: chats of real people over three weeks, and questions about them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from bench.datasets.published import records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bench.datasets.published.records import Row
    from bench.datasets.published.repositories import Tree

PATHS = (
    "data/Chat_10_Fahim_Muhhamed.json",
    "data/Chat_1_Emi_Elise.json",
    "data/Chat_2_Kevin_Elise.json",
    "data/Chat_5_Nicolas_Nebraas.json",
    "data/Chat_9_Fahim_Akib.json",
)  # the half that figures are published of
KINDS = {1: "multi_hop", 2: "temporal", 3: "commonsense"}
TURN = re.compile(r"D(\d+):(\d+)(?:\s*-\s*(?:D\d+:)?(\d+))?")


def build(trees: Mapping[str, Tree]) -> records.BuiltSet:
    """Build the set from the chats of PATHS."""
    tree = trees["danny911kr/REALTALK"]
    history: list[Row] = []
    queries: list[Row] = []
    for path in PATHS:
        chat = orjson.loads(tree.read(path))
        project = f"rt{path.split('_')[1]}"
        history += _history(project, chat)
        queries += _queries(project, chat, records.sessions_of(history))
    return records.BuiltSet(history, queries)


def _history(project: str, chat: Mapping[str, Any]) -> Iterator[Row]:
    first, second = chat["name"]["speaker_1"], chat["name"]["speaker_2"]
    number = 0
    while (turns := chat.get(f"session_{(number := number + 1)}")) is not None:
        key = f"{project}/S{number}"
        messages: list[Row] = []
        for turn in turns:
            time = _millis(turn["date_time"])
            if messages:  # turns of one second keep their order
                time = max(time, messages[-1]["time"] + 1000)
            role = "user" if turn["speaker"] == first else "assistant"
            said = [records.text(turn["clean_text"])]
            messages.append(
                records.message(f"{project}/{turn['dia_id']}", key, role, time, said, author=turn["speaker"])
            )
        if messages:
            yield from records.session(key, messages, project=project, title=f"{first} and {second}", source="realtalk")


def _millis(text: str) -> int:
    """Return the milliseconds of a time such as "29.12.2023, 00:51:12"."""
    return records.utc_millis(text, "%d.%m.%Y, %H:%M:%S")


def _queries(project: str, chat: Mapping[str, Any], sessions: Mapping[str, str]) -> Iterator[Row]:
    for at, asked in enumerate(chat["qa"]):
        turns = [f"{project}/{turn}" for turn in _turns(" ".join(map(str, asked.get("evidence") or [])))]
        known = [turn for turn in dict.fromkeys(turns) if turn in sessions]
        if known:
            kind = KINDS[asked["category"]]
            yield records.query(f"{project}-q{at}", kind, asked["question"], project, known, sessions)


def _turns(evidence: str) -> Iterator[str]:
    """Yield the turn ids of a text such as "D1:4, D2:3-5"; a range means every turn in it."""
    for found in TURN.finditer(evidence):
        first = int(found[2])
        for turn in range(first, int(found[3] or first) + 1):
            yield f"D{found[1]}:{turn}"
