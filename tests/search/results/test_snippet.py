"""Snippets: the part of a field that shows why a passage was found, and the matches in it."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.model import Result
from tests.support.search.samples import ask, marked, message, part, session, texts

FILLERS = ["lorem ", "größe ", "日本語の", "😀 ", "a\u0301 ", "\n"]


def only(index: Index, query: str, **options: Any) -> Result:
    results = ask(index, query, **options).results
    assert len(results) == 1
    return results[0]


def check_spans(result: Result, text: str) -> None:
    """The spans are in order, apart, and say the same stretch of the snippet and of the field."""
    end = 0
    for span in result.spans:
        assert end <= span.start < span.end <= len(result.snippet)
        end = span.end
        assert text[span.text_start : span.text_end].endswith(result.snippet[span.start : span.end]) or (
            text[span.text_start : span.text_end].startswith(result.snippet[span.start : span.end])
        )


@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy", "regex"])
@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize(("before", "behind"), [(0, 0), (0, 500), (500, 0), (500, 500), (3, 3)])
@pytest.mark.parametrize("width", [20, 61, 200])
def test_a_snippet_holds_the_match(before: int, behind: int, filler: str, width: int, match: str) -> None:
    text = filler * before + "the rateLimiter" + " " + filler * behind
    result = only(texts(text), "rateLimiter", width=width, match=match)
    cut = result.snippet.removeprefix("...").removesuffix("...")
    assert len(cut) == min(width, len(text))
    assert cut in text
    assert result.snippet.startswith("...") == (not text.startswith(cut))
    assert result.snippet.endswith("...") == (not text.endswith(cut))
    assert "rateLimiter" in marked(result)
    check_spans(result, text)


@pytest.mark.parametrize("filler", FILLERS[:5])
@pytest.mark.parametrize(
    ("query", "text"), [("lantren", "the Lantern"), ("lanterns", "Lantern"), ("wick holder", "wickHolder")]
)
def test_what_matched_otherwise_is_centred_and_marked_too(query: str, text: str, filler: str) -> None:
    whole = filler * 700 + text + " " + filler * 700
    result = only(texts(whole), query, width=80)
    assert text.rsplit(maxsplit=1)[-1] in marked(result)
    middle = (result.spans[0].start + result.spans[-1].end) / 2
    assert abs(middle - len(result.snippet) / 2) <= 12
    check_spans(result, whole)


def test_the_densest_stretch_is_shown() -> None:
    text = "lantern " + "of no use " * 60 + "the lantern has a wick and oil " + "of no use " * 60 + " wick"
    result = only(texts(text), "lantern wick oil", width=60)
    assert {"lantern", "wick", "oil"} <= set(marked(result))


def test_repeats_of_one_word_are_not_dense() -> None:
    text = "lantern " * 9 + "of no use " * 30 + "the lantern has a wick " + "of no use " * 30
    result = only(texts(text), "lantern wick", width=60)
    assert "wick" in marked(result)


@pytest.mark.parametrize("match", ["literal", "smart"])
def test_a_snippet_stays_within_its_field(match: str) -> None:
    tool = part("p", tool="bash", input={"command": "run it"}, output="the lantern")
    index = Index.build([session("s", message("m", tool))])
    assert only(index, "lantern", match=match).snippet == "the lantern"
    assert only(index, "run it", match=match).snippet == "run it"
    assert only(index, "lantern", match=match).field == "stdout"
    assert only(index, "run it", match=match).field == "command"


def test_without_a_match_in_the_text_the_head_is_shown() -> None:
    index = Index.build([session("s", message("m", part("p", tool="grep", output="nothing " * 100)))])
    result = only(index, "grep", width=20)
    assert result.snippet == ("nothing " * 3)[:20] + "..."
    assert not result.spans


def test_a_match_in_a_later_passage_is_shown_from_there() -> None:
    text = "\n".join(f"line {n} of the log" for n in range(2000)) + "\nthe lantern fell\n" + "more\n" * 2000
    result = only(texts(text), "lantern", width=40)
    assert "the lantern fell" in result.snippet
    assert text[result.spans[0].text_start : result.spans[0].text_end] == "lantern"


def test_lone_surrogates_keep_every_offset() -> None:
    result = only(texts("\ud800\udc00 x \udfff lantern"), "lantern")
    assert marked(result) == ["lantern"]
    assert result.spans[0].text_start == 7
    assert "\ufffd" in result.snippet


def test_nul_and_controls_stay_as_they_are() -> None:
    result = only(texts("a\0b\x1b[31m lantern\x7f"), "lantern")
    assert result.snippet == "a\0b\x1b[31m lantern\x7f"
    assert marked(result) == ["lantern"]


@pytest.mark.parametrize("match", ["literal", "smart", "regex"])
@pytest.mark.parametrize("unit", ["b ", "b, é ", "b-", "a b\n"])
def test_a_long_field_is_cut_where_the_match_is(unit: str, match: str) -> None:
    text = unit * (120_000 // len(unit)) + "lantern " + "b " * 600
    result = only(texts(text), "b" if match == "regex" else "lantern", match=match, width=10_000)
    wanted = "b" if match == "regex" else "lantern"
    assert result.spans
    assert all(text[span.text_start : span.text_end].lower() == wanted for span in result.spans)


def test_many_matches_far_inside_a_long_field_keep_their_places() -> None:
    text = "x" * 200_000 + " " + "a b c d " * 150
    result = only(texts(text), "a b c d")
    assert {text[span.text_start : span.text_end] for span in result.spans} <= {"a", "b", "c", "d"}
