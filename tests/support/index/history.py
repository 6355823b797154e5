"""A fictional history for indexes on disk, large enough for texts of several blocks."""

from __future__ import annotations

from typing import Any

from recall_rank.corpus import Index
from recall_rank.model import SearchResponse, Session
from tests.support.search.samples import DAY_MS, ENOUGH_MS, NOW, message, part, session

ASKED = ("lantern", "lantren", "tide table", "größe", "keel", "nothing of that")
MODES = ("literal", "smart", "fuzzy", "regex")


def history(seed: int = 0) -> list[Session]:
    """Return six sessions; another seed gives another history of equal size."""
    made = []
    for number in range(6):
        said = [
            message(f"{number}.{n}", f"{word} {seed} of the GRÖSSE \u0130stanbul\n{f'{word}{n} lists the keel. ' * 90}")
            for n, word in enumerate(("lantern", "tideTable", "tide_table", "keel", "rudder", "quay") * 2)
        ]
        tool = message(f"{number}.t", part("call", tool="bash", output="lantern: not found", error="exit 1"))
        made.append(
            session(
                f"s{number}-{seed}", *said, tool, title=f"Lanterns {number}", directory=f"/srv/quay{number % 2}",
                project=("quay", None)[number % 2], created=NOW - number * DAY_MS, source="\ud800" if number else None,
            )
        )  # fmt: skip
    return made


def told(response: SearchResponse) -> dict[str, Any]:
    """Return a response as a dictionary without its durations."""
    said = response.to_dict()
    return {name: value for name, value in said.items() if name not in ("elapsed_ms", "cpu_ms")}


def answers(index: Index, asked: tuple[str, ...] = ASKED, modes: tuple[str, ...] = MODES) -> list[dict[str, Any]]:
    """Return the answers of an index to each query of `asked` in each mode."""
    return [
        told(index.search(text, match=mode, now=NOW, budget_ms=ENOUGH_MS, explain=True, results=30))
        for text in asked
        for mode in modes
    ]
