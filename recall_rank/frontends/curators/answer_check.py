"""The check of what a curator returns: bounded, cleaned, and never the raw history that it was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from recall_rank.frontends.curators.bounded_call import bounded_call, cleaned_text, repeats_instructions
from recall_rank.frontends.curators.curator import CURATION_SECONDS, CurationTask, Curator, CuratorError, never
from recall_rank.frontends.curators.extractive import ExtractiveCurator
from recall_rank.frontends.curators.prompt import (
    CUT,
    NOTHING_RELEVANT,
    curation_prompt,
    letters,
)
from recall_rank.frontends.display_text import one_line

ANSWER_CHARS: Final = 32_000  # half of the longest prompt
UNCURATED_CHARS: Final = 3_000  # fewer letters and digits of quoted lines may all be relevant
UNCURATED_RESULTS: Final = 3
UNCURATED_SHARE: Final = 0.9
_PIECE: Final = 32  # letters and digits; shorter lines are found in any text
_AROUND: Final = " \t\r\n\"'`*_.\u201c\u201d"
_NOTHING: Final = frozenset(
    each.strip(_AROUND).casefold()
    for each in (NOTHING_RELEVANT, "No relevant context found.", "Nothing relevant found.")
)


@dataclass(frozen=True, slots=True)
class CuratedAnswer:
    """The checked answer of a curator. `found` is False when the curator said that nothing is relevant; `text` is ""
    then.
    """

    found: bool
    text: str


def curated_answer(
    curator: Curator,
    task: CurationTask,
    *,
    seconds: float = CURATION_SECONDS,
    cancelled: Callable[[], bool] = never,
) -> CuratedAnswer:
    """Return what a curator selects from the results of a task, checked as `checked_answer` says.

    Curators are called as `bounded_call` says, in a thread and for at most `seconds`; its errors are raised, and do not
    repeat text of the task.
    """
    text = bounded_call(
        f"the curator {shown_name(curator)}",
        lambda ended: curator.curate(task, seconds=seconds, cancelled=ended),
        lambda: (curation_prompt(task).user, *_texts(task)),
        seconds=seconds,
        cancelled=cancelled,
    )
    if isinstance(curator, ExtractiveCurator):  # its passages are bounded, and all of them were asked for
        return _cleaned(shown_name(curator), text)
    return checked_answer(shown_name(curator), text, task)


def _texts(task: CurationTask) -> list[str]:
    """Return the texts of the turns of a task."""
    return [text for turn in task.results for text in (turn.project, turn.topic, turn.before, turn.matched, turn.after)]


def checked_answer(name: str, text: object, task: CurationTask) -> CuratedAnswer:
    """Return the text that the curator `name` returned for a task, without control characters and without the lines of
    our fences.

    Raises CuratorError for a text that is empty or longer than ANSWER_CHARS characters, that repeats a line of its
    instructions or of the request, or that repeats nearly all results it was given: UNCURATED_SHARE of their long
    lines, or of those of the matched turns in them, where there are UNCURATED_RESULTS results or more with
    UNCURATED_CHARS letters and digits in such lines. Letters and digits are compared, as letters() says.
    """
    answer = _cleaned(name, text)
    if answer.found:
        words, prompt = letters(answer.text), curation_prompt(task)
        if repeats_instructions(words, prompt.instructions):
            raise CuratorError(f"the curator {name} returned its instructions, so its answer is not shown")
        if _repeats(words, prompt.sections) or _repeats(words, prompt.matched):
            raise CuratorError(f"the curator {name} returned all that it was given, so its answer is not shown")
    return answer


def _cleaned(name: str, text: object) -> CuratedAnswer:
    plain = cleaned_text(f"the curator {name}", text, ANSWER_CHARS)
    found = plain.strip(_AROUND).casefold() not in _NOTHING
    return CuratedAnswer(found, plain if found else "")


def _repeats(words: str, quoted: Sequence[str]) -> bool:
    """Return whether the letters of an answer have nearly all of the long lines of the quoted texts."""
    lines = (letters(line.replace(CUT, "")) for each in quoted for line in each.splitlines())
    pieces = [line[at : at + _PIECE] for line in lines for at in range(0, len(line) - _PIECE + 1, _PIECE)]
    if len(quoted) < UNCURATED_RESULTS or len(pieces) * _PIECE < UNCURATED_CHARS:
        return False
    return sum(piece in words for piece in pieces) >= UNCURATED_SHARE * len(pieces)


def shown_name(curator: Curator) -> str:
    """Return the name of a curator on one line of at most 80 characters."""
    return one_line(str(curator.name))[:80]
