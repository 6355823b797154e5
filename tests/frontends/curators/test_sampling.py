"""The sampling curator over a transport of the test: the answer, a refusal, the time limit, cancellation."""

from __future__ import annotations

import time
from concurrent.futures import Future

import pytest

from recall_rank.frontends.curators.answer_check import ANSWER_CHARS, curated_answer
from recall_rank.frontends.curators.curator import CuratorCancelledError, CuratorError, CuratorTimeoutError
from recall_rank.frontends.curators.prompt import SYSTEM
from recall_rank.frontends.curators.sampling import SamplingCurator, SamplingRequest
from tests.support.frontends.recalled_turns import FACT, task


class Host:
    """A transport: the requests that were made, and the future answer to each."""

    def __init__(self) -> None:
        self.requests: list[SamplingRequest] = []
        self.answer: Future[str] = Future()

    def ask(self, request: SamplingRequest) -> Future[str]:
        self.requests.append(request)
        return self.answer


def test_the_answer_of_the_host_is_returned() -> None:
    host = Host()
    host.answer.set_result(FACT)
    assert curated_answer(SamplingCurator(host.ask), task()).text == FACT
    (request,) = host.requests
    assert request.system == SYSTEM
    assert FACT in request.user
    assert request.model_hints[0] == "haiku"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            RuntimeError("the user said \x1b[1mno\nmore"),
            r"^asking the model of the host failed: the user said \\x1b\[1mno$",
        ),
        (RuntimeError(f"filtered: {FACT}"), "^asking the model of the host failed$"),
        (RuntimeError(), "^asking the model of the host failed$"),
        (TimeoutError(), "the model of the host timed out"),
        (CuratorError("no text"), "^no text$"),
    ],
)
def test_a_refusal_is_an_error(error: Exception, said: str) -> None:
    host = Host()
    host.answer.set_exception(error)
    with pytest.raises(CuratorError, match=said):
        curated_answer(SamplingCurator(host.ask), task())


def test_a_host_that_does_not_answer_in_time() -> None:
    host = Host()
    with pytest.raises(CuratorTimeoutError, match=r"within 0\.2 seconds"):
        curated_answer(SamplingCurator(host.ask), task(), seconds=0.2)
    assert host.answer.cancelled()


def test_a_cancelled_call_cancels_the_request() -> None:
    host = Host()
    until = time.monotonic() + 0.1
    with pytest.raises(CuratorCancelledError):
        curated_answer(SamplingCurator(host.ask), task(), cancelled=lambda: time.monotonic() > until)
    assert host.answer.cancelled()


def test_a_closed_connection_ends_the_call() -> None:
    host = Host()
    host.answer.cancel()
    with pytest.raises(CuratorCancelledError, match="connection"):
        curated_answer(SamplingCurator(host.ask), task())


def test_a_flood_is_refused() -> None:
    host = Host()
    host.answer.set_result("w" * (ANSWER_CHARS + 1))
    with pytest.raises(CuratorError, match="more than 32000 characters"):
        curated_answer(SamplingCurator(host.ask), task())
