"""Calls of curators and summarizers: ended in time, with errors that do not repeat recalled text, answers cleaned."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import Final

from recall_rank.frontends.curators.curator import (
    CuratorCancelledError,
    CuratorError,
    CuratorTimeoutError,
    NoCuratorError,
)
from recall_rank.frontends.curators.prompt import error_line, letters
from recall_rank.frontends.display_text import unsafe_in_lines

ERROR_MESSAGE_CHARS: Final = 400
_INSTRUCTION: Final = (20, 50)  # fewest, and most, letters and digits of an instruction that an answer must not have
_LEAVE_SECONDS: Final = 1.0  # after its limit, for a call to end by itself
_POLL_SECONDS: Final = 0.05
_FENCE: Final = re.compile(r"(?im)^.*<<<\s*(?:end of )?(?:search results|recalled)\b[^>\n]{0,80}>>>.*$\n?")
_SEQUENCES: Final = re.compile(  # of a terminal: colours, movements, titles of windows
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,4}[@-~]|\x1b\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)"
)
_SAID: Final[Mapping[type[CuratorError], str]] = {  # where the message of an error is not shown
    NoCuratorError: "cannot be had",
    CuratorTimeoutError: "did not answer in time",
    CuratorCancelledError: "was ended, because the call was cancelled",
}


def bounded_call(
    who: str,
    call: Callable[[Callable[[], bool]], object],
    given: Callable[[], Iterable[str]],
    *,
    seconds: float,
    cancelled: Callable[[], bool],
) -> object:
    """Return what `call` returns. `who` names its curator or summarizer in errors, such as "the curator x".

    `call` runs in a thread; its argument is a function that returns whether the call should end. One that goes on after
    `seconds` or after `cancelled` is left, and its answer is dropped. Raises CuratorError when there is no answer, also
    for every other exception that the call raises. Its message is one line of at most ERROR_MESSAGE_CHARS characters,
    and does not repeat the texts that `given` returns.
    """
    try:
        return _called(who, call, seconds, cancelled)
    except CuratorError as error:
        raise _without_history(who, error, given()) from error
    except Exception as error:
        raise CuratorError(f"{who} failed with {type(error).__name__}") from error


def _called(
    who: str, call: Callable[[Callable[[], bool]], object], seconds: float, cancelled: Callable[[], bool]
) -> object:
    """Return what a call returns in a thread of its own; raises what it raises.

    Raises CuratorTimeoutError and CuratorCancelledError where it does not end within _LEAVE_SECONDS after its limit.
    """
    left, answer = threading.Event(), Future[object]()

    def run() -> None:
        try:
            answer.set_result(call(lambda: left.is_set() or cancelled()))
        except Exception as error:  # noqa: BLE001 - raised where the answer is waited for
            answer.set_exception(error)
        except BaseException as error:  # noqa: BLE001 - such as SystemExit, which would end only this thread
            answer.set_exception(CuratorError(f"{who} failed with {type(error).__name__}"))

    threading.Thread(target=copy_context().run, args=(run,), name="recall-rank curator", daemon=True).start()
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
        raise CuratorCancelledError(f"{who} goes on, although the call was cancelled")
    raise CuratorTimeoutError(f"{who} did not answer within {seconds:g} seconds")


def _without_history(who: str, error: CuratorError, given: Iterable[str]) -> CuratorError:
    """Return an error with a message that is short and repeats none of the given texts."""
    said = error_line(str(error), "\n".join(given), ERROR_MESSAGE_CHARS)
    kind = next((each for each in _SAID if isinstance(error, each)), CuratorError)
    return kind(said or f"{who} {_SAID.get(kind, 'failed, and its message is not shown')}")


def cleaned_text(who: str, text: object, chars: int) -> str:
    """Return the text that `who` returned, without control characters, colours and lines that look like our fences.

    Raises CuratorError for what is no text, for a text of more than `chars` characters and for one without words.
    """
    if not isinstance(text, str):
        raise CuratorError(f"{who} returned {type(text).__name__}, not text")
    if len(text) > chars:
        raise CuratorError(f"{who} returned more than {chars} characters, so its answer is not shown")
    plain = unsafe_in_lines().sub("", _SEQUENCES.sub("", text.replace("\r\n", "\n")))
    plain = _FENCE.sub("", plain).strip()
    if not plain:
        raise CuratorError(f"{who} returned nothing")
    return plain


def repeats_instructions(words: str, instructions: Iterable[str]) -> bool:
    """Return whether the letters of an answer, as letters() gives them, have those of a line of its instructions."""
    fewest, most = _INSTRUCTION
    lines = (letters(line)[:most] for line in instructions)
    return any(len(line) >= fewest and line in words for line in lines)
