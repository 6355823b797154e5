"""The stems of every language of Snowball, and the forms of a word among folded terms."""

from __future__ import annotations

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.analysis.languages.function_words import FUNCTION_WORDS
from recall_rank.analysis.languages.language import ENGLISH, LANGUAGES, folded_word
from recall_rank.analysis.languages.stems import beginning, spellings, stem_in, with_stem, written_in
from tests.reference.languages import may_have_stem
from tests.support.search.inflected import FORMS

ALGORITHMS = tuple(name for name, known in LANGUAGES.items() if known.stemmed and name != ENGLISH)
OF_ENGLISH = {"english", "porter", "dutch_porter"}  # and an older algorithm for Dutch


def test_every_algorithm_is_used() -> None:
    assert set(ALGORITHMS) == set(Stemmer.algorithms()) - OF_ENGLISH
    assert LANGUAGES[ENGLISH].stemmed


words = st.sampled_from(ALGORITHMS).flatmap(
    lambda language: st.tuples(
        st.just(language),
        st.one_of(
            st.sampled_from([word for word in FUNCTION_WORDS[language] if written_in(word, language)]),
            st.text("".join(sorted({*"".join(FUNCTION_WORDS[language])} - {"-"})), min_size=3, max_size=10),
        ),
    )
)


@given(words)
def test_a_stem_is_that_of_snowball(drawn: tuple[str, str]) -> None:
    language, word = drawn
    assert stem_in(word, language) == Stemmer.Stemmer(language, 0).stemWord(word)
    assert stem_in(word.replace("'", "\u2019"), language) == stem_in(word, language)


def joined(word: str, terms: list[str], language: str) -> list[bool]:
    stem = stem_in(word, language)
    return with_stem(stem, beginning(word, stem), terms, language)


@given(words)
def test_a_term_has_the_stem_of_its_word(drawn: tuple[str, str]) -> None:
    language, word = drawn
    stem, term = stem_in(word, language), folded_word(word)
    restored = spellings(term, beginning(word, stem), language)
    if {word, word.replace("'", "")} & {stem, *restored} and stem_in(word.replace("'", ""), language) == stem:
        assert joined(word, [term], language) == [True]


@given(words, st.data())
def test_joined_terms_have_a_spelling_with_the_stem(drawn: tuple[str, str], data: st.DataObject) -> None:
    language, word = drawn
    stem = stem_in(word, language)
    alphabet = sorted({*folded_word("".join(FUNCTION_WORDS[language])), *folded_word(word)})
    tails = data.draw(st.lists(st.text(alphabet, max_size=4), max_size=4))
    terms = [term for tail in tails if (term := folded_word(stem) + tail)]
    for term, joins in zip(terms, joined(word, terms, language), strict=True):
        assert not joins or may_have_stem(term, stem, language), (language, stem, term)


@pytest.mark.parametrize(("language", "word", "form"), [(name, *pair) for name, pair in FORMS.items()])
def test_two_forms_of_a_word(language: str, word: str, form: str) -> None:
    assert written_in(word, language)
    assert joined(word, [folded_word(form)], language) == [True]


def test_another_word_is_not_joined() -> None:
    assert joined("школы", ["школа", "школьник", "школам", "шкала"], "russian") == [
        True,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("language", "stem", "term", "expected"),
    [
        ("russian", "нов", "новыи", ["новыи", "новый"]),  # the breve was folded away
        ("portuguese", "comunic", "comunicacoes", ["comunicacoes", "comunicações"]),
        ("french", "homm", "lhommes", ["hommes"]),
        ("arabic", "كتاب", "والكتاب", ["كتاب"]),
    ],
)
def test_spellings(language: str, stem: str, term: str, expected: list[str]) -> None:
    assert set(expected) <= set(spellings(term, stem, language))


def test_a_word_of_another_script_is_not_of_the_language() -> None:
    assert not written_in("server", "russian")
    assert not written_in("сервер", "spanish")
    assert written_in("сервер", "serbian")
    assert written_in("server", "serbian")
    assert not written_in("nước", "vietnamese")  # Snowball has no algorithm for it


def test_cyrillic_words_with_stems_in_latin_letters() -> None:
    assert stem_in("књиге", "serbian").isascii()
    assert joined("књиге", ["књига", "књигама", "круна"], "serbian") == [True, True, False]
