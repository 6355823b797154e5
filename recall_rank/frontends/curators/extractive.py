"""ExtractiveCurator: the passages that match best, word for word, chosen by the search engine without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from recall_rank.corpus import rank
from recall_rank.frontends.curators.curator import CurationTask, CuratorCancelledError, RecalledTurn
from recall_rank.frontends.curators.prompt import (
    LOOKING_FOR_CHARS,
    NAME_CHARS,
    NOTHING_RELEVANT,
    QUERY_CHARS,
    RESULTS,
    cut_text,
    place_line,
)
from recall_rank.frontends.display_text import one_line
from recall_rank.model import Message, Part, Session

EXTRACTIVE: Final = "extractive"
PASSAGES: Final = 8  # in all
PASSAGES_OF_TURN: Final = 3
PASSAGE_CHARS: Final = 1_000
_TURN_CHARS: Final = 64_000  # of a matched turn that are cut into passages
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n")


class ExtractiveCurator:
    """Returns at most PASSAGES passages of at most PASSAGE_CHARS characters, word for word, best first, under a
    heading for each turn.
    """

    name = EXTRACTIVE

    def curate(self, task: CurationTask, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        """Return the passages of the matched turns that the search engine ranks best for the description of the task,
        and for its query where no passage matches the description; NOTHING_RELEVANT when none matches either.
        """
        passages = {
            f"{number}-{place}": text
            for number, turn in enumerate(task.results[:RESULTS])
            for place, text in enumerate(_passages(turn))
        }
        sessions = [
            Session(key, (Message(key, "user", 0, (Part(key, "text", text),)),)) for key, text in passages.items()
        ]
        for wanted in (
            f"{task.query[:QUERY_CHARS]} {task.looking_for[:LOOKING_FOR_CHARS]}".strip(),
            task.query[:QUERY_CHARS].strip(),
        ):
            if cancelled():
                raise CuratorCancelledError("the call was cancelled")
            if not wanted or not sessions:
                continue
            response = rank(
                wanted, sessions, match="smart", results=len(sessions), budget_ms=max(int(seconds * 1000), 1)
            )
            best = [hit.session_id for hit in response.results]
            if best:
                return _listed(task, passages, best)
        return NOTHING_RELEVANT


def _passages(turn: RecalledTurn) -> Iterator[str]:
    """Yield the paragraphs of a matched turn, joined and cut to passages of at most PASSAGE_CHARS characters."""
    gathered = ""
    for paragraph in _PARAGRAPH.split(turn.matched[:_TURN_CHARS]):
        if gathered and len(gathered) + len(paragraph) + 2 > PASSAGE_CHARS:
            yield gathered
            gathered = ""
        gathered = f"{gathered}\n\n{paragraph}" if gathered else paragraph
        while len(gathered) > PASSAGE_CHARS:
            at = max(gathered.rfind("\n", 1, PASSAGE_CHARS), gathered.rfind(". ", 1, PASSAGE_CHARS) + 1)
            at = at if at > PASSAGE_CHARS // 2 else PASSAGE_CHARS
            yield gathered[:at]
            gathered = gathered[at:].lstrip("\n ")
    if gathered.strip():
        yield gathered


def _listed(task: CurationTask, passages: dict[str, str], best: list[str]) -> str:
    """Return the best passages under the headings of their turns; turns in the order of their best passage, passages
    of a turn in the order of the text.
    """
    chosen: dict[int, list[int]] = {}
    count = 0
    for key in best:
        number, place = map(int, key.split("-"))
        of_turn = chosen.setdefault(number, [])
        if len(of_turn) < PASSAGES_OF_TURN:
            of_turn.append(place)
            count += 1
        if count == PASSAGES:
            break
    return "\n\n".join(
        "\n\n".join((_heading(task.results[number]), *(passages[f"{number}-{place}"] for place in sorted(places))))
        for number, places in chosen.items()
    )


def _heading(turn: RecalledTurn) -> str:
    """Return the line above the passages of a turn, with what is known of project, date and topic."""
    topic = cut_text(one_line(turn.topic[: 4 * NAME_CHARS]), NAME_CHARS).strip()
    return f"### {': '.join(each for each in (place_line(turn), topic) if each) or 'A conversation'}"
