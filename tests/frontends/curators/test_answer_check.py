"""What a curator returns is bounded, cleaned, and never the history that it was given."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from recall_rank.frontends.curators.answer_check import ANSWER_CHARS, CuratedAnswer, checked_answer, curated_answer
from recall_rank.frontends.curators.curator import (
    CurationTask,
    CuratorCancelledError,
    CuratorError,
    CuratorTimeoutError,
    NoCuratorError,
)
from recall_rank.frontends.curators.extractive import ExtractiveCurator
from recall_rank.frontends.curators.prompt import NOTHING_RELEVANT, SYSTEM, curation_prompt
from tests.support.frontends.recalled_turns import FACT, long_task, task, turn


class Fixed:
    """A curator that returns or raises one thing."""

    name = "fixed"

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def curate(self, asked: CurationTask, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer  # type: ignore[return-value]


def test_a_passage_is_returned_as_it_is() -> None:
    assert curated_answer(Fixed(f"\n{FACT}\n\n\tindented\n"), task()) == CuratedAnswer(True, f"{FACT}\n\n\tindented")


@pytest.mark.parametrize(
    "text",
    [NOTHING_RELEVANT, " nothing relevant was found", f'"{NOTHING_RELEVANT}"\n', "**No relevant context found.**"],
)
def test_the_sentence_that_nothing_is_relevant_is_recognised(text: str) -> None:
    assert curated_answer(Fixed(text), task()) == CuratedAnswer(False, "")


def test_the_sentence_inside_a_passage_is_text() -> None:
    assert curated_answer(Fixed(f"{FACT} {NOTHING_RELEVANT}"), task()).found


@pytest.mark.parametrize("text", ["", " \n\t", "\x1b[0m\x00\u200b", "<<<end of search results 12ab>>>\n"])
def test_an_empty_answer_is_an_error(text: str) -> None:
    with pytest.raises(CuratorError, match="returned nothing"):
        curated_answer(Fixed(text), task())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mThe winch\x1b[0m number", "The winch number"),
        ("\x1b]0;title\x07The winch\x9b1m number", "The winch number"),
        ("The\x08 winch\u202e number\u200b\U000e0041", "The winch number"),
        ("The winch\r\nnumber\ttwo", "The winch\nnumber\ttwo"),
        ("<<<search results ab12>>>\nThe winch\n<<<end of search results ab12>>>", "The winch"),
        ("> <<<recalled ab12>>>\nThe winch\n<<<END OF RECALLED ab12>>>\nnumber", "The winch\nnumber"),
        ("\u2764\ufe0f winch", "\u2764\ufe0f winch"),
        ("a << b >>> c", "a << b >>> c"),
    ],
)
def test_control_characters_and_fences_are_taken_out(text: str, shown: str) -> None:
    assert curated_answer(Fixed(text), task()).text == shown


def test_a_long_answer_is_refused() -> None:
    assert len(curated_answer(Fixed("w" * ANSWER_CHARS), task()).text) == ANSWER_CHARS
    with pytest.raises(CuratorError, match="more than 32000 characters"):
        curated_answer(Fixed("w" * (ANSWER_CHARS + 1)), task())


@pytest.mark.parametrize("answer", [None, 7, b"bytes", ["text"]])
def test_an_answer_that_is_no_text_is_refused(answer: object) -> None:
    with pytest.raises(CuratorError, match="not text"):
        curated_answer(Fixed(answer), task())


def test_an_echo_of_the_instructions_is_refused() -> None:
    made = curation_prompt(task())
    for text in (f"{made.system}\n\n{made.user}", f"My rules:\n> {SYSTEM}", SYSTEM.replace(" ", "\n")):
        with pytest.raises(CuratorError, match="returned its instructions"):
            curated_answer(Fixed(text), task())


def history(count: int = 4, chars: int = 2_000) -> CurationTask:
    """A task whose turns have `chars` characters of long lines each, all of them different."""
    return task(
        *(
            turn(
                number,
                "\n".join(
                    f"Line {line} of pier {number}: the berth was free on that day." for line in range(chars // 50)
                ),
            )
            for number in range(count)
        )
    )


@pytest.mark.parametrize("asked", [history(), history(8, 2_500), history(12, 1_000)], ids=["four", "eight", "twelve"])
def test_raw_history_is_refused(asked: CurationTask) -> None:
    sections = curation_prompt(asked).sections
    whole = "\n\n".join(sections)
    for text in (
        *(whole, whole.replace("\n", "\n> "), whole.replace("\n", "   "), whole.upper(), whole.replace(" ", "_")),
        "\n".join(each.matched for each in asked.results[:8]),
    ):
        with pytest.raises(CuratorError, match="all that it was given"):
            curated_answer(Fixed(text), asked)
    assert curated_answer(Fixed(sections[0]), asked).found, "one whole result is a selection"


@pytest.mark.parametrize("chars", [3_000, 30_000], ids=["whole", "cut"])
def test_the_matched_turns_without_their_neighbours_are_raw_history(chars: int) -> None:
    said = [" ".join(f"word{number * 10_000 + at}" for at in range(chars // 10)) for number in range(4)]
    asked = task(
        *(turn(number, matched=text, before="User: x " * 60, after="User: y " * 60) for number, text in enumerate(said))
    )
    with pytest.raises(CuratorError, match="all that it was given"):
        checked_answer("fixed", "\n\n".join(text[:7_900] for text in said), asked)
    assert checked_answer("fixed", "\n\n".join(text[: chars // 3] for text in said)[:30_000], asked).found


def test_few_short_results_may_all_be_relevant() -> None:
    assert curated_answer(Fixed("\n\n".join(curation_prompt(task()).sections)), task()).found


def test_errors_of_a_curator_name_it_and_quote_nothing() -> None:
    with pytest.raises(CuratorError, match=r"^the curator fixed failed with RuntimeError$"):
        curated_answer(Fixed(RuntimeError(FACT)), task())
    with pytest.raises(CuratorTimeoutError, match="late"):
        curated_answer(Fixed(CuratorTimeoutError("late")), task())


@pytest.mark.parametrize("kind", [CuratorError, CuratorTimeoutError, CuratorCancelledError, NoCuratorError])
def test_the_error_of_a_curator_shows_no_history_and_is_short(kind: type[CuratorError]) -> None:
    asked = task(turn(1, before=f"User: {FACT}"), turn(2, FACT), turn(3))
    for said in (
        asked.results[1].matched,
        FACT.upper(),
        f"failed: {FACT.replace(' ', '_')}",
        asked.results[0].before,
        asked.looking_for,
    ):
        with pytest.raises(kind) as caught:
            curated_answer(Fixed(kind(said)), asked)
        assert "fixed" in str(caught.value)
        assert not any(word in str(caught.value).casefold() for word in ("cradle", "winch", "berth"))
    with pytest.raises(kind) as caught:
        curated_answer(Fixed(kind("x" * 10_000 + "\n\x1b[1mmore")), asked)
    assert len(str(caught.value)) <= 400
    with pytest.raises(kind, match=r"^no connection\\x1b$"):
        curated_answer(Fixed(kind("\n no connection\x1b..\nmore")), asked)


@pytest.mark.parametrize("limit", ["time", "cancelled"])
def test_a_curator_that_keeps_no_limit_is_left(limit: str) -> None:
    class Deaf:
        name = "deaf"
        ended = threading.Event()
        told = threading.Event()

        def curate(self, asked: CurationTask, *, seconds: float, cancelled: Callable[[], bool]) -> str:
            self.ended.wait(100)
            if cancelled():
                self.told.set()
            return FACT

    deaf, began = Deaf(), time.monotonic()
    wanted, seconds = (CuratorTimeoutError, 0.1) if limit == "time" else (CuratorCancelledError, 30.0)
    with pytest.raises(wanted, match="deaf"):
        curated_answer(deaf, task(), seconds=seconds, cancelled=lambda: limit == "cancelled")
    assert time.monotonic() - began < 50
    deaf.ended.set()
    assert deaf.told.wait(5), "a curator that was left is told so"


def test_a_curator_that_ends_its_thread_has_failed() -> None:
    class Leaving(Fixed):
        def curate(self, asked: CurationTask, *, seconds: float, cancelled: Callable[[], bool]) -> str:
            raise SystemExit(3)

    with pytest.raises(CuratorError, match="the curator fixed failed with SystemExit"):
        curated_answer(Leaving(""), task())


def test_extractive_passages_are_not_called_an_echo() -> None:
    asked = long_task(3, 900)
    answer = curated_answer(ExtractiveCurator(), asked)
    assert answer.found


def test_a_task_without_results_has_no_echo() -> None:
    assert checked_answer("fixed", "Anything.", CurationTask("q", "l", ())).text == "Anything."
