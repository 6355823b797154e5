"""The check of what a curator returns: bounded, cleaned, and never the raw history that it was given."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from dataclasses import dataclass
from typing import Final

from recall_rank.frontends.curators.curator import (
    CURATION_SECONDS,
    CurationTask,
    Curator,
    CuratorCancelledError,
    CuratorError,
    CuratorTimeoutError,
    NoCuratorError,
    never,
)
from recall_rank.frontends.curators.extractive import ExtractiveCurator
from recall_rank.frontends.curators.prompt import (
    CUT,
    NOTHING_RELEVANT,
    CurationPrompt,
    curation_prompt,
    error_line,
    letters,
)
from recall_rank.frontends.display_text import UNSAFE_IN_LINES, one_line

ANSWER_CHARS: Final = 32_000  # half of the longest prompt
UNCURATED_CHARS: Final = 3_000  # fewer letters and digits of quoted lines may all be relevant
UNCURATED_RESULTS: Final = 3
UNCURATED_SHARE: Final = 0.9
ERROR_MESSAGE_CHARS: Final = 400
_PIECE: Final = 32  # letters and digits; shorter lines are found in any text
_INSTRUCTION: Final = (20, 50)  # fewest, and most, letters and digits of an instruction that an answer must not have
_LEAVE_SECONDS: Final = 1.0  # after its limit, for a curator to end by itself
_POLL_SECONDS: Final = 0.05
_FENCE: Final = re.compile(r"(?im)^.*<<<\s*(?:end of )?(?:search results|recalled)\b[^>\n]{0,80}>>>.*$\n?")
_SEQUENCES: Final = re.compile(  # of a terminal: colours, movements, titles of windows
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,4}[@-~]|\x1b\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)"
)
_AROUND: Final = " \t\r\n\"'`*_.\u201c\u201d"
_NOTHING: Final = frozenset(
    each.strip(_AROUND).casefold()
    for each in (NOTHING_RELEVANT, "No relevant context found.", "Nothing relevant found.")
)
_SAID: Final[Mapping[type[CuratorError], str]] = {  # where the message of an error is not shown
    NoCuratorError: "cannot be had",
    CuratorTimeoutError: "did not answer in time",
    CuratorCancelledError: "was ended, because the call was cancelled",
}


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

    Curators run in a thread. One that goes on after `seconds` or after `cancelled` is left, and its answer is dropped.
    Raises CuratorError when there is no usable answer, also for every other exception that the curator raises. Its
    message is one line of at most ERROR_MESSAGE_CHARS characters, and does not repeat text of the task.
    """
    try:
        text = _called(curator, task, seconds, cancelled)
    except CuratorError as error:
        raise _without_history(curator, error, task) from error
    except Exception as error:
        raise CuratorError(f"the curator {shown_name(curator)} failed with {type(error).__name__}") from error
    if isinstance(curator, ExtractiveCurator):  # its passages are bounded, and all of them were asked for
        return _cleaned(shown_name(curator), text)
    return checked_answer(shown_name(curator), text, task)


def _called(curator: Curator, task: CurationTask, seconds: float, cancelled: Callable[[], bool]) -> object:
    """Return what a curator returns, called in a thread of its own; raises what it raises.

    Raises CuratorTimeoutError and CuratorCancelledError where it does not end within _LEAVE_SECONDS after its limit.
    """
    left, answer = threading.Event(), Future[object]()

    def call() -> None:
        try:
            answer.set_result(curator.curate(task, seconds=seconds, cancelled=lambda: left.is_set() or cancelled()))
        except Exception as error:  # noqa: BLE001 - raised where the answer is waited for
            answer.set_exception(error)
        except BaseException as error:  # noqa: BLE001 - such as SystemExit, which would end only this thread
            answer.set_exception(CuratorError(f"the curator {shown_name(curator)} failed with {type(error).__name__}"))

    threading.Thread(target=copy_context().run, args=(call,), name="recall-rank curator", daemon=True).start()
    until = time.monotonic() + seconds + _LEAVE_SECONDS
    try:
        while not wait([answer], timeout=_POLL_SECONDS).done and (now := time.monotonic()) < until:
            if cancelled():
                until = min(until, now + _LEAVE_SECONDS)
    except BaseException:  # such as KeyboardInterrupt: a command is ended with its processes
        left.set()
        wait([answer], timeout=_LEAVE_SECONDS)
        raise
    left.set()
    if answer.done():
        return answer.result()
    if cancelled():
        raise CuratorCancelledError(f"the curator {shown_name(curator)} goes on, although the call was cancelled")
    raise CuratorTimeoutError(f"the curator {shown_name(curator)} did not answer within {seconds:g} seconds")


def _without_history(curator: Curator, error: CuratorError, task: CurationTask) -> CuratorError:
    """Return the error of a curator with a message that is short and repeats no text of the task."""
    turns = (
        each for turn in task.results for each in (turn.project, turn.topic, turn.before, turn.matched, turn.after)
    )
    said = error_line(str(error), "\n".join((curation_prompt(task).user, *turns)), ERROR_MESSAGE_CHARS)
    kind = next((each for each in _SAID if isinstance(error, each)), CuratorError)
    return kind(said or f"the curator {shown_name(curator)} {_SAID.get(kind, 'failed, and its message is not shown')}")


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
        if _repeats_instructions(words, prompt):
            raise CuratorError(f"the curator {name} returned its instructions, so its answer is not shown")
        if _repeats(words, prompt.sections) or _repeats(words, prompt.matched):
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


def _repeats_instructions(words: str, prompt: CurationPrompt) -> bool:
    """Return whether the letters of an answer have those of a line of the instructions or of the request."""
    fewest, most = _INSTRUCTION
    lines = (letters(line)[:most] for line in prompt.instructions)
    return any(len(line) >= fewest and line in words for line in lines)


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
