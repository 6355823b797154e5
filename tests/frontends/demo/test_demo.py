"""The invented history in the package is what its generator writes."""

from __future__ import annotations

import json

from recall_rank.frontends.demo import NOW
from recall_rank.frontends.demo.generate import STORIES, TARGET, history


def test_the_file_is_what_the_generator_writes() -> None:
    assert TARGET.read_text(encoding="utf-8") == history()


def test_it_is_a_well_formed_history() -> None:
    lines = [json.loads(line) for line in history().splitlines()]
    sessions = {line["id"]: line for line in lines if line["t"] == "session"}
    messages = [line for line in lines if line["t"] == "message"]
    assert len(sessions) == len(STORIES) == 12
    assert len({session["project"] for session in sessions.values()}) == 4
    seen = set()
    for line in lines:
        seen.add(line["id"])
        assert line["t"] == "session" or line["session"] in seen
    identities = [part["id"] for message in messages for part in message["parts"]]
    assert len(identities) == len(set(identities)) > 60
    assert all(0 < message["time"] <= NOW for message in messages)
    for name, session in sessions.items():
        times = [message["time"] for message in messages if message["session"] == name]
        assert [session["created"], *times] == sorted([session["created"], *times])
        assert session["updated"] == times[-1]
