"""LoCoMo: conversations of two people, and questions about them, with the evidence that an audit corrected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from bench.datasets.published import records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bench.datasets.published.records import Row
    from bench.datasets.published.repositories import Tree

PATH, AUDIT = "data/locomo10.json", "errors.json"
CONVERSATIONS = ("conv-26", "conv-30", "conv-41", "conv-44", "conv-50")  # the half that figures are published of
KINDS = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
TURN = re.compile(r"D:?(\d+):0*(\d+)")


def build(trees: Mapping[str, Tree]) -> records.BuiltSet:
    """Build the set from the conversations (`trees` "snap-research/LoCoMo") and the audit of their labels."""
    corrected = {
        one["question_id"]: one["correct_evidence"] for one in orjson.loads(trees["dial481/locomo-audit"].read(AUDIT))
    }
    history: list[Row] = []
    queries: list[Row] = []
    for number, one in enumerate(orjson.loads(trees["snap-research/LoCoMo"].read(PATH))):
        if one["sample_id"] in CONVERSATIONS:
            history += _history(one["sample_id"], one["conversation"])
            queries += _queries(one, number, corrected, records.sessions_of(history))
    return records.BuiltSet(history, queries)


def _history(project: str, conversation: Mapping[str, Any]) -> Iterator[Row]:
    first, second = conversation["speaker_a"], conversation["speaker_b"]
    number = 0
    while (turns := conversation.get(f"session_{(number := number + 1)}")) is not None:
        key = f"{project}/S{number}"
        begun = _millis(conversation[f"session_{number}_date_time"])
        messages = [
            records.message(
                f"{project}/{turn['dia_id']}",
                key,
                "user" if turn["speaker"] == first else "assistant",
                begun + 1000 * at,
                [records.text(_said(turn))],
                author=turn["speaker"],
            )
            for at, turn in enumerate(turns)
        ]
        if messages:
            yield from records.session(key, messages, project=project, title=f"{first} and {second}", source="locomo")


def _said(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares image: {caption}]" if caption else str(turn["text"])


def _millis(text: str) -> int:
    """Return the milliseconds of a time such as "1:56 pm on 8 May, 2023"."""
    return records.utc_millis(text, "%I:%M %p on %d %B, %Y")


def _queries(
    one: Mapping[str, Any], number: int, corrected: Mapping[str, list[str]], sessions: Mapping[str, str]
) -> Iterator[Row]:
    project = one["sample_id"]
    for at, asked in enumerate(one["qa"]):
        evidence = corrected.get(f"locomo_{number}_qa{at}", asked.get("evidence") or [])
        turns = [f"{project}/D{found[1]}:{found[2]}" for found in TURN.finditer(" ".join(evidence))]
        known = [turn for turn in dict.fromkeys(turns) if turn in sessions]
        if known:
            kind = KINDS[asked["category"]]
            yield records.query(f"{project}-q{at}", kind, asked["question"], project, known, sessions)
