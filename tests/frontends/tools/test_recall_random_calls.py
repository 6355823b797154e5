"""Random calls with `global` off: the answers are those without the other projects, and nothing is raised."""

from __future__ import annotations

import os
import random
from typing import Any

from tests.support.frontends.harbor import FERRIES, NOW, TIDES, tools
from tests.support.soak import first_seed, portion, tried

CALLS = int(os.environ.get("RECALL_RANK_CALLS", portion(20_000, 1_000_000)))  # the traced lane does fewer

VALUES: tuple[Any, ...] = (
    *(
        "zephyrcanary",
        "noon",
        "gauge",
        "ferry",
        "bee-hives",
        "bh1",
        "bh1p",
        "swarm",
        "tide-tables",
        "tt2",
        "bee-",
        "tid",
    ),
    *(".*", "z\\w+", "", "  ", "zephyrcanari", "/home/ana", "/home/ana/hives", "p-hives", "2h", "90d", "auto", "now"),
    *(None, 0, 1, -3, 7, 1e9, 10**400, float("nan"), float("inf"), True, [], {}, ["noon"], {"a": [1]}, "\ud800", "\0"),
)
MEANT: dict[str, tuple[Any, ...]] = {
    "match": ("literal", "smart", "fuzzy", "regex"),
    "scope": ("session", "project", "global"),
    "group": ("part", "session"),
    "expand": ("context", "message"),
    "order": ("time", "relevance"),
    "fallback": (True,),
    "context": ([],),
}
ARGUMENTS = {
    "recall": (
        *("match", "scope", "group", "type", "role", "session_id", "title", "sessions", "results", "width", "before"),
        *(
            "after",
            "last",
            "since",
            "until",
            "directory",
            "fallback",
            "tool_name",
            "expand",
            "expand_results",
            "window",
        ),
        *("expand_budget_chars", "project", "exclude_session_ids", "must", "must_not", "order", "offset", "explain"),
    ),
    "recall_get": ("session_id", "message_id"),
    "recall_context": ("session_id", "message_id", "window", "before", "after"),
    "recall_messages": ("session_id", "query", "limit", "role", "offset", "reverse"),
    "recall_sessions": ("scope", "search", "limit"),
    "hook:nudge": ("system",),
    "hook:auto_recall": ("parts", "message_id"),
    "hook:compaction": ("context", "session_id"),
}
PARTS = [
    [{"type": "text", "text": f"What did we say about {words} last time?"}]
    for words in ("the zephyrcanary", "noon", "the swarm at noon", "gauge drift", "bees")
]


def random_call(chance: random.Random) -> tuple[str, dict[str, Any], str]:
    name = chance.choice(tuple(ARGUMENTS))
    args = {
        key: chance.choice(MEANT[key] if key in MEANT and chance.random() < 0.8 else VALUES)
        for key in ARGUMENTS[name]
        if chance.random() < 0.35
    }
    if name == "hook:auto_recall":
        args["parts"] = chance.choice((*PARTS, *PARTS, *VALUES))
    elif name == "recall":
        args["query"] = chance.choice(VALUES)
        if chance.random() < 0.6:
            args["scope"] = chance.choice(("project", "session"))
    return name, args, chance.choice(("raw", "schema"))


def test_nothing_of_another_project_shows_and_nothing_is_raised() -> None:
    options = {"global": False, "auto_recall": True, "compaction_recall": True}
    closed, alone = tools(**options), tools(TIDES, FERRIES, **options)
    chance = random.Random(20260528 + first_seed())
    answered = 0
    for _ in range(CALLS):
        name, args, mode = random_call(chance)
        answer = closed.call(name, args, now=NOW, mode=mode)
        other = alone.call(name, args, now=NOW, mode=mode)
        for each in (answer, other):
            each.pop("elapsed_ms", None)
            each.pop("cpu_ms", None)
        assert repr(answer) == repr(other), (name, args, mode)
        assert "internal error" not in answer.get("error", ""), (name, args, mode, answer)
        answered += answer["ok"]
    tried(CALLS)
    assert answered > CALLS / 4
