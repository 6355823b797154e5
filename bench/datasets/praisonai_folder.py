"""A generated folder of PraisonAI's session files, equal for equal seeds: made-up words, turns of two speakers."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from bench.datasets.vocabulary import ZIPF, words

if TYPE_CHECKING:
    from pathlib import Path

MESSAGES: Final = 20  # of a session
WORDS: Final = 60  # of a message
BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)


def write_folder(folder: Path, sessions: int, seed: int) -> None:
    """Write session files into `folder`, which is made."""
    folder.mkdir(parents=True)
    chance = random.Random(seed)
    known = words()
    weights = list(accumulate(1 / (rank + 1) ** ZIPF for rank in range(len(known))))
    for number in range(sessions):
        when = BEGIN + timedelta(hours=number)
        messages: list[dict[str, Any]] = [
            {
                "role": ("user", "assistant")[turn % 2],
                "content": " ".join(chance.choices(known, cum_weights=weights, k=WORDS)),
                "timestamp": (when + timedelta(minutes=2 * turn)).timestamp(),
                "metadata": {},
            }
            for turn in range(MESSAGES)
        ]
        document: dict[str, Any] = {
            "session_id": f"made-{number:06}",
            "messages": messages,
            "created_at": when.isoformat(),
            "updated_at": (when + timedelta(minutes=2 * MESSAGES)).isoformat(),
            "agent_name": None,
            "user_id": None,
            "metadata": {},
            "gateway_session_id": None,
            "agent_id": None,
            "runtime_state": {},
            "archived_messages": [],
        }
        text = json.dumps(document, indent=2, ensure_ascii=False)
        (folder / f"made-{number:06}.json").write_text(text, encoding="utf-8")


def queries(seed: int, each: int) -> dict[str, list[str]]:
    """Return kind -> queries: three common words, two rare ones, words that nothing contains."""
    chance = random.Random(seed + 1)
    known = words()
    return {
        "three common words": [" ".join(chance.sample(known[20:400], 3)) for _ in range(each)],
        "two rare words": [" ".join(chance.sample(known[8_000:], 2)) for _ in range(each)],
        "nothing matches": [f"{chance.choice(known)[::-1]}qzx {chance.randrange(10**9)}vvk" for _ in range(each)],
    }
