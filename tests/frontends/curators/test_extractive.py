"""The extractive curator: passages word for word, from the turns that match, without a model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recall_rank.frontends.curators.answer_check import curated_answer
from recall_rank.frontends.curators.curator import CurationTask, CuratorCancelledError, never
from recall_rank.frontends.curators.extractive import PASSAGE_CHARS, PASSAGES, ExtractiveCurator
from tests.support.frontends.recalled_turns import FACT, task, turn


def passages(asked: CurationTask) -> list[str]:
    text = ExtractiveCurator().curate(asked, seconds=5.0, cancelled=never)
    return [each for each in text.split("\n\n") if not each.startswith("###")]


def test_the_passage_that_answers_comes_first_and_word_for_word() -> None:
    noise = "\n\n".join(f"Pier {number} had no visitors, and its lamp was changed." for number in range(60))
    answer = curated_answer(
        ExtractiveCurator(), task(turn(1, noise), turn(2, f"{noise}\n\n{FACT}\n\n{noise}"), turn(3))
    )
    assert answer.found
    assert answer.text.startswith("### boatyard (2026-03-03): Bookings, part 2\n\n")
    assert FACT in answer.text


@pytest.mark.slow
def test_passages_are_bounded_and_verbatim() -> None:
    asked = task(
        *(turn(number, ("The cradle of the slipway is booked by winch. " * 30 + "\n\n") * 20) for number in range(9))
    )
    text = ExtractiveCurator().curate(asked, seconds=5.0, cancelled=never)
    assert len(text) <= PASSAGES * (PASSAGE_CHARS + 250)
    for passage in passages(asked):
        assert any(passage in each.matched for each in asked.results)


def test_one_long_line_is_cut_into_passages() -> None:
    text = ExtractiveCurator().curate(task(turn(1, "w" * 5_000 + FACT)), seconds=5.0, cancelled=never)
    assert FACT in text.replace("\n", "")
    assert max(map(len, text.split("\n\n"))) <= PASSAGE_CHARS


@pytest.mark.parametrize("results", [(), (turn(1, matched=""),), (turn(1, matched="User: Entirely other things."),)])
def test_nothing_that_matches_is_nothing_relevant(results: tuple[object, ...]) -> None:
    asked = CurationTask("zebra", "quokka", results)  # type: ignore[arg-type]
    assert not curated_answer(ExtractiveCurator(), asked).found


def test_a_description_that_matches_nothing_leaves_the_query() -> None:
    asked = replace(task(), looking_for="\u2049 ...")
    assert FACT in curated_answer(ExtractiveCurator(), asked).text


@pytest.mark.parametrize(
    "words", ['"', "what's", "C++", "100%", "src/a.py", "\u4e2d\u6587", "\U0001f600", "a AND NOT (b*", ""]
)
def test_any_words_are_answered(words: str) -> None:
    curated_answer(ExtractiveCurator(), CurationTask(words, words, task().results))


def test_a_cancelled_call_ends() -> None:
    with pytest.raises(CuratorCancelledError):
        ExtractiveCurator().curate(task(), seconds=5.0, cancelled=lambda: True)


@pytest.mark.parametrize(
    ("project", "date", "topic", "heading"),
    [
        ("", "2026-03-11", "", "### 2026-03-11"),
        ("", "2026-03-11", "Winches", "### 2026-03-11: Winches"),
        ("boatyard", "", "", "### boatyard"),
        ("", "", "Winches", "### Winches"),
        ("", "", "", "### A conversation"),
    ],
)
def test_a_heading_has_only_what_is_known(project: str, date: str, topic: str, heading: str) -> None:
    asked = task(turn(1, FACT, project=project, date=date, topic=topic))
    text = ExtractiveCurator().curate(asked, seconds=5.0, cancelled=never)
    assert text.splitlines()[0] == heading
