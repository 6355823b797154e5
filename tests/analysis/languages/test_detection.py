"""The languages of a query: by script, letters and function words."""

from __future__ import annotations

import unicodedata

import pytest

from recall_rank.analysis.languages.detection import (
    NONE,
    is_function_word,
    languages_of,
    written_word,
)
from recall_rank.analysis.languages.function_words import FUNCTION_WORDS, QUESTION_WORDS, TELLING_WORDS
from recall_rank.analysis.languages.language import ENGLISH, LANGUAGES, folded_word
from recall_rank.analysis.languages.question_words import characters_of_question_words
from recall_rank.search.query import words_of
from tests.reference.languages import neighbours, telling_words
from tests.support.search.inflected import ASKED, QUESTIONS


@pytest.mark.parametrize(("language", "text"), [row[:2] for row in QUESTIONS])
def test_the_language_of_a_question(language: str, text: str) -> None:
    (likely,) = languages_of(text).likely
    assert language in likely


@pytest.mark.parametrize(
    "text",
    [
        "how do we limit the rate of the server",
        "when did Anna go to the cinema",
        'go test -v -run TestAll ./pkg/session/ 2>&1 | grep -E "ok|FAIL" | head -5',
        't.Fatalf("Failed to write garbage file: %v", err)',
        "the function la_suma fails in the parser for de and es",
        "the naïve café",
        'the naïve café "Und"',
        "a parser for i in range",
    ],
)
def test_english_and_code_are_in_no_other_language(text: str) -> None:
    assert languages_of(text).likely == ()


def test_the_word_a_is_no_sign_of_english() -> None:
    assert "romanian" in languages_of("Când a pornit serverul?").possible
    assert languages_of("De ce a pornit fișierul?").likely == (("romanian",),)


@pytest.mark.parametrize(("language", "text"), [row[:2] for row in ASKED])
def test_the_language_of_a_short_question(language: str, text: str) -> None:
    assert languages_of(text).likely == (() if language == ENGLISH else ((language,),))


def test_words_that_tell_nothing_leave_languages_open() -> None:
    assert languages_of("rate limiter panic").likely == ()
    assert {"spanish", "turkish"} <= set(languages_of("rate limiter panic").possible)
    assert set(languages_of("detección").possible) >= {"spanish", "czech"}
    assert "swedish" not in languages_of("detección").possible
    assert languages_of("the limiter") is NONE
    assert languages_of("1234 ++").likely == ()


def test_one_language_for_each_script() -> None:
    assert [row[0] for row in languages_of("¿Dónde está la función сервера?").likely] == ["spanish", "russian"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("слово", "russian"),
        ("де це було", "ukrainian"),
        ("који људи", "serbian"),
        ("کجا رفت", "persian"),
        ("كتاب", "arabic"),
        ("घर", "hindi"),
        ("किताब छ", "nepali"),
        ("ספר", "hebrew"),
        ("וואָס איז דאָס", "yiddish"),
    ],
)
def test_languages_of_one_script(text: str, language: str) -> None:
    assert languages_of(text).likely == ((language,),)


def test_accents_may_be_left_out() -> None:
    assert (
        languages_of("cuando se firmo el contrato y quien fue").likely
        == languages_of("¿Cuándo se firmó el contrato y quién fue?").likely
        == (("spanish",),)
    )


def test_function_words_are_written_as_they_are_compared() -> None:
    assert set(FUNCTION_WORDS) == set(LANGUAGES) - {ENGLISH}
    for name, words in FUNCTION_WORDS.items():
        assert len(set(words)) == len(words), name
        assert all(unicodedata.is_normalized("NFC", word) and word == written_word(word) for word in words), name
        assert all(map(folded_word, words)), name


def test_telling_words_are_the_first_that_no_other_language_of_the_script_has() -> None:
    assert {name: telling_words(name) for name in TELLING_WORDS} == TELLING_WORDS
    shared = {name for name in FUNCTION_WORDS if len(neighbours(name)) > 1}
    assert set(TELLING_WORDS) == shared


def test_a_function_word_with_and_without_its_accent() -> None:
    assert is_function_word("qué", ("spanish",), accents=True)
    assert not is_function_word("número", ("spanish",), accents=True)
    assert is_function_word("cuanto", ("spanish",), accents=False)
    assert not is_function_word("đa", ("vietnamese",), accents=True)  # many, not the word for the past


@pytest.mark.parametrize("word", QUESTION_WORDS)
def test_a_question_word_does_not_count_beside_others(word: str) -> None:
    alone = [each.form for each in words_of(word)[0]]
    assert characters_of_question_words(alone) == set(range(len(alone)))
    assert all(each.counts for each in words_of(word)[0])  # alone it is what is searched
    words, compounds = words_of(f"{word} server")
    assert [each.written for each in words if each.counts] == ["server"]
    assert not [each for each in compounds if each.cjk]
