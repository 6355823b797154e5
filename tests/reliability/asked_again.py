"""Search a history and print every answer: `python -m tests.reliability.asked_again FOLDER COUNT SEED THREADS`.

A test runs it in processes with other hash seeds, locales, zones and orders of files, and compares what they print.
"""

from __future__ import annotations

import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from recall_rank.loaders import open_sources
from recall_rank.recall import Recall
from tests.support.index.history import told
from tests.support.search.samples import ENOUGH_MS, NOW

WORDS = ("lens", "motor", "lamp", "relay", "lms", "moter", "größe", "İstanbul", "tide", "retry", "test", "the", "404")
MODES = ("literal", "smart", "fuzzy", "regex")


def main(arguments: list[str]) -> None:
    folder, count, seed, threads = arguments
    chance = random.Random(int(seed))
    asked = [
        (" ".join(chance.choices(WORDS, k=chance.randint(1, 3))), {"match": chance.choice(MODES), "explain": True})
        for _ in range(int(count))
    ]
    for _, options in asked:
        options["group"] = chance.choice(("part", "session"))
    with Recall(open_sources(folder)) as recall:

        def answer(each: tuple[str, dict[str, Any]]) -> str:
            return json.dumps(told(recall.search(each[0], now=NOW, budget_ms=ENOUGH_MS, results=30, **each[1])))

        with ThreadPoolExecutor(int(threads)) as pool:
            answers = list(pool.map(answer, asked))
        answers.append(json.dumps([session.id for session in recall.sessions()]))
    sys.stdout.write("\n".join(answers))


if __name__ == "__main__":
    main(sys.argv[1:])
