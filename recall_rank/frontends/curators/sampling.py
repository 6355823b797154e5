"""SamplingCurator: the model of an MCP host, which answers a request of the server to sample from it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYetError
from dataclasses import dataclass
from typing import Final

from recall_rank.frontends.curators.answer_check import ANSWER_CHARS
from recall_rank.frontends.curators.curator import (
    CurationTask,
    CuratorCancelledError,
    CuratorError,
    CuratorTimeoutError,
)
from recall_rank.frontends.curators.prompt import curation_prompt, error_line

SAMPLING: Final = "sampling"
MODEL_HINTS: Final = ("haiku", "nano", "flash-lite", "mini", "small")  # cheap ones first; a host may ignore them
MAX_TOKENS: Final = 8_000  # about ANSWER_CHARS
_POLL_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class SamplingRequest:
    """A prompt for the model of a host, the most tokens of its answer, and preferred names of models."""

    system: str
    user: str
    max_tokens: int = MAX_TOKENS
    model_hints: tuple[str, ...] = MODEL_HINTS


class SamplingCurator:
    """Asks the model of the host for each task.

    `ask` sends a request to the client and returns a Future of the text. The Future is cancelled when the time is over
    or the call was cancelled; it raises an exception when the client refuses.
    """

    name = SAMPLING

    def __init__(self, ask: Callable[[SamplingRequest], Future[str]]) -> None:
        self._ask = ask

    def curate(self, task: CurationTask, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        """Return the answer of the host's model to the prompt of a task."""
        until = time.monotonic() + seconds
        prompt = curation_prompt(task)
        asked = self._ask(SamplingRequest(prompt.system, prompt.user))
        try:
            text = _answer(asked, until, seconds, cancelled, prompt.user)
        finally:
            asked.cancel()
        if len(text) > ANSWER_CHARS:
            raise CuratorError(f"the model of the host returned more than {ANSWER_CHARS} characters")
        return text


def _answer(asked: Future[str], until: float, seconds: float, cancelled: Callable[[], bool], prompt: str) -> str:
    while True:
        if cancelled():
            raise CuratorCancelledError("the call was cancelled before the model of the host answered")
        left = until - time.monotonic()
        if left <= 0:
            raise CuratorTimeoutError(f"the model of the host did not answer within {seconds:g} seconds")
        try:
            return asked.result(min(left, _POLL_SECONDS))
        except NotYetError:
            if asked.done():  # the exception is the client's own
                raise CuratorError("the model of the host timed out") from None
        except CancelledError:
            raise CuratorCancelledError("the connection to the host was closed before its model answered") from None
        except CuratorError:
            raise
        except Exception as error:
            said = error_line(str(error), prompt)
            raise CuratorError(f"asking the model of the host failed{': ' if said else ''}{said}") from error
