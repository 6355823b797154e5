"""The check of what a curator returns: bounded, cleaned, and never the raw history that it was given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from recall_rank.frontends.curators.curator import CURATION_SECONDS, CurationTask, Curator, CuratorError, never
from recall_rank.frontends.curators.extractive import ExtractiveCurator
from recall_rank.frontends.curators.prompt import NOTHING_RELEVANT, SYSTEM, curation_prompt
from recall_rank.frontends.display_text import UNSAFE_IN_LINES, one_line

ANSWER_CHARS: Final = 32_000  # half of the longest prompt
UNCURATED_CHARS: Final = 4_000  # fewer characters of quoted lines may all be relevant
UNCURATED_RESULTS: Final = 3
UNCURATED_SHARE: Final = 0.9
_LONG_LINE: Final = 40  # characters; shorter lines are found in any text
_FENCE: Final = re.compile(r"(?im)^.*<<<\s*(?:end of )?(?:search results|recalled)\b[^>\n]{0,80}>>>.*$\n?")
_SEQUENCES: Final = re.compile(  # of a terminal: colours, movements, titles of windows
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,4}[@-~]|\x1b\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)"
)
_AROUND: Final = " \t\r\n\"'`*_.\u201c\u201d"
_NOTHING: Final = frozenset(
    each.strip(_AROUND).casefold()
    for each in (NOTHING_RELEVANT, "No relevant context found.", "Nothing relevant found.")
)
_BLANKS: Final = re.compile(r"\s+")


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

    Raises CuratorError when there is no usable answer, also for every other exception that the curator raises.
    """
    try:
        text = curator.curate(task, seconds=seconds, cancelled=cancelled)
    except CuratorError:
        raise
    except Exception as error:
        raise CuratorError(f"the curator {_named(curator)} failed with {type(error).__name__}") from error
    if isinstance(curator, ExtractiveCurator):  # its passages are bounded, and all of them were asked for
        return _cleaned(_named(curator), text)
    return checked_answer(_named(curator), text, task)


def checked_answer(name: str, text: object, task: CurationTask) -> CuratedAnswer:
    """Return the text that the curator `name` returned for a task, without control characters and without the lines of
    our fences.

    Raises CuratorError for a text that is empty or longer than ANSWER_CHARS characters, that repeats its instructions,
    or that repeats nearly all results it was given: UNCURATED_SHARE of their long lines, where there are
    UNCURATED_RESULTS results or more with UNCURATED_CHARS characters in such lines.
    """
    answer = _cleaned(name, text)
    if answer.found:
        words = _BLANKS.sub(" ", answer.text)
        if _BLANKS.sub(" ", SYSTEM[:120]) in words:
            raise CuratorError(f"the curator {name} returned its instructions, so its answer is not shown")
        if _repeats_results(words, task):
            raise CuratorError(f"the curator {name} returned all that it was given, so its answer is not shown")
    return answer


def _cleaned(name: str, text: object) -> CuratedAnswer:
    if not isinstance(text, str):
        raise CuratorError(f"the curator {name} returned {type(text).__name__}, not text")
    if len(text) > ANSWER_CHARS:
        raise CuratorError(
            f"the curator {name} returned more than {ANSWER_CHARS} characters, so its answer is not shown"
        )
    plain = UNSAFE_IN_LINES.sub("", _SEQUENCES.sub("", text.replace("\r\n", "\n")))
    plain = _FENCE.sub("", plain).strip()
    if not plain:
        raise CuratorError(f"the curator {name} returned nothing")
    found = plain.strip(_AROUND).casefold() not in _NOTHING
    return CuratedAnswer(found, plain if found else "")


def _repeats_results(words: str, task: CurationTask) -> bool:
    """Return whether an answer, with single blanks, repeats nearly all that the prompt of the task quotes."""
    sections = curation_prompt(task).sections
    lines = [_BLANKS.sub(" ", line).strip() for each in sections for line in each.splitlines()]
    quoted = [line for line in lines if len(line) >= _LONG_LINE]
    size = sum(map(len, quoted))
    if len(sections) < UNCURATED_RESULTS or size < UNCURATED_CHARS:
        return False
    return sum(len(line) for line in quoted if line in words) >= UNCURATED_SHARE * size


def _named(curator: Curator) -> str:
    """Return the name of a curator on one line."""
    return one_line(str(curator.name))[:80]
