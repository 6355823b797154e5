"""Generate the demo history, history.jsonl, from the stories: `python -m recall_rank.frontends.demo.generate`."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from recall_rank.frontends.demo import NOW, harborline, kitewatch, ledgerleaf, mossgarden
from recall_rank.frontends.demo.story import Story, StoryTurn

SEED: Final = 7
SECOND_MS: Final = 1_000
DAY_MS: Final = 86_400 * SECOND_MS
STORIES: Final = (*harborline.STORIES, *ledgerleaf.STORIES, *kitewatch.STORIES, *mossgarden.STORIES)
TARGET: Final = Path(__file__).with_name("history.jsonl")


def history() -> str:
    """Return the text of history.jsonl: for each session, the oldest first, its record and the records of its
    messages.

    Every call returns the same text.
    """
    chance = random.Random(SEED)  # noqa: S311 - invented pauses, not a secret
    stories = sorted(STORIES, key=lambda story: -story.days_ago)
    lines = (line for number, story in enumerate(stories, 1) for line in _lines(story, number, chance))
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)


def _lines(story: Story, number: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield the records of a story; `number` is the number of its session, `chance` draws the pauses between
    messages.
    """
    session = f"demo-{number:02}"
    start = time = NOW - int(story.days_ago * DAY_MS)
    messages = []
    for at, (role, turns) in enumerate(_messages(story.turns), 1):
        time += chance.randrange(5, 240) * SECOND_MS
        message = f"{session}-m{at}"
        parts = [_part(turn, f"{message}-p{index}") for index, turn in enumerate(turns, 1)]
        messages.append({"t": "message", "id": message, "session": session, "role": role, "time": time, "parts": parts})
    yield {
        "t": "session",
        "id": session,
        "title": story.title,
        "directory": f"/home/sam/{story.project}",
        "project": story.project,
        "created": start,
        "updated": time,
        "source": "demo",
        "agent_app": story.agent,
    }
    yield from messages


def _messages(turns: tuple[StoryTurn, ...]) -> Iterator[tuple[str, list[StoryTurn]]]:
    """Yield the messages of a conversation as (role, parts).

    Each text of the user is one message; all consecutive parts of the agent are one message.
    """
    pending: list[StoryTurn] = []
    for turn in turns:
        if turn.kind == "user":
            if pending:
                yield "assistant", pending
            yield "user", [turn]
            pending = []
        else:
            pending.append(turn)
    if pending:
        yield "assistant", pending


def _part(turn: StoryTurn, part: str) -> dict[str, Any]:
    """Return a part as a record with the id `part`."""
    if turn.kind != "run":
        return {"id": part, "type": "reasoning" if turn.kind == "think" else "text", "text": turn.text}
    status = "error" if turn.error else "completed"
    result = "error" if turn.error else "output"
    return {"id": part, "type": "tool", "tool": turn.tool, "input": turn.input, result: turn.text, "status": status}


if __name__ == "__main__":
    TARGET.write_text(history(), encoding="utf-8", newline="\n")
