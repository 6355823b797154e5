"""nl2bash: shell commands, and descriptions of them that people wrote. A description asks for its commands."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING

from bench.datasets.published import records

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.datasets.published.records import Row
    from bench.datasets.published.repositories import Tree

COMMANDS, DESCRIPTIONS = "data/bash/all.cm", "data/bash/all.nl"
SEED, DRAWN = 20261123, 1000
PUBLISHED = 2  # every second command


def build(trees: Mapping[str, Tree]) -> records.BuiltSet:
    """Build the set: every second distinct command is a document, and of the descriptions that SEED draws those whose
    first command is a document are queries.
    """
    tree = trees["TellinaTool/nl2bash"]
    commands = tree.read(COMMANDS).decode().splitlines()
    descriptions = tree.read(DESCRIPTIONS).decode().splitlines()
    first: dict[str, int] = {}
    for line, command in enumerate(commands):
        first.setdefault(command.strip(), line)
    history: list[Row] = []
    for line in list(first.values())[::PUBLISHED]:
        key = f"nb{line}"
        part = {"type": "tool", "tool": "bash", "input": {"command": commands[line]}, "status": "completed"}
        history += records.session(
            key, [records.message(key, key, "assistant", 0, [part])], project="nl2bash", source="nl2bash"
        )
    sessions = records.sessions_of(history)
    answers: dict[str, list[str]] = defaultdict(list)  # description -> documents of all its commands
    for description, command in zip(descriptions, commands, strict=True):
        answers[description].append(f"nb{first[command.strip()]}")
    distinct = list(dict.fromkeys(descriptions))
    drawn = random.Random(SEED).sample(distinct, min(DRAWN, len(distinct)))
    queries = [
        records.query(f"nl{number}", "nl2bash", asked, "nl2bash", _present(answers[asked], sessions), sessions)
        for number, asked in enumerate(drawn)
        if answers[asked][0] in sessions
    ]
    return records.BuiltSet(history, queries)


def _present(keys: list[str], sessions: Mapping[str, str]) -> list[str]:
    return [key for key in dict.fromkeys(keys) if key in sessions]
