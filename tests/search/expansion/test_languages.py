"""Queries in other languages than English find other forms of their words, without a setting and in mixed histories."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recall_rank.analysis.languages.detection import languages_of
from recall_rank.corpus import Index
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.search.expansion.expand import expand
from recall_rank.search.expansion.languages import in_languages
from recall_rank.search.expansion.lexicon import Lexicon
from recall_rank.search.filters.eligible import eligible_set
from recall_rank.search.options import Options
from recall_rank.search.query import MAX_CHARACTERS, MAX_WORDS, Query
from tests.support.search.inflected import ASKED, FORMS, QUESTIONS
from tests.support.search.samples import ask, found, session, texts

NOISE = (
    "the limiter drops every request after a minute",
    "def main(): return run(limiter)",
    "we deploy the service on friday",
)
SPANISH = (
    "los contratos fueron firmados cuando el dueño quiso",
    "la casa también está donde siempre, desde hasta las cinco",
    "sus amigos vinieron muy tarde y los vecinos también",
    "quien llega tarde cuando todo está cerrado",
    "las capturas del partido",
)


def parsed(text: str) -> Query:
    return Query.parse(text, 0, Options())


def read(*sessions: tuple[str, ...]) -> IndexReader:
    return IndexReader([build([session(str(at), *each) for at, each in enumerate(sessions)])])


def languages(text: str, reader: IndexReader) -> tuple[str, ...]:
    query = parsed(text)
    return in_languages(query, reader, eligible_set(reader, query)).languages


def matched(word: str, language: str, *contents: str) -> tuple[set[str], dict[str, list[str]]]:
    """Return the forms that a word in a language matches in texts, and its repairs."""
    reader = read(contents)
    query = replace(parsed(word), languages=(language,))
    expansion = expand(query, reader, eligible_set(reader, query))
    lexicon = Lexicon(reader, None)
    terms = {first for group in expansion.groups for first, _, _ in group.members}
    return {lexicon.form((term,)).decode() for term in terms}, expansion.repaired


@pytest.fixture(scope="module")
def mixed() -> Index:
    return Index.build([session(str(at), answer, *NOISE) for at, (_, _, answer) in enumerate(QUESTIONS)])


@pytest.mark.parametrize("at", range(len(QUESTIONS)), ids=[f"{row[0]}-{at}" for at, row in enumerate(QUESTIONS)])
def test_a_question_finds_other_forms_in_a_mixed_history(mixed: Index, at: int) -> None:
    assert ask(mixed, QUESTIONS[at][1]).results[0].session_id == str(at)


@pytest.mark.parametrize(("language", "word", "form"), [(name, *pair) for name, pair in FORMS.items()])
def test_a_form_of_the_word_and_no_stranger(language: str, word: str, form: str) -> None:
    stranger = f"{word[0]}{word[1]}{word[1:]}"  # one edit away: a repair, if there were no form
    forms, repaired = matched(word, language, form, stranger)
    assert forms == {parsed(form).words[0].form.decode()}
    assert not repaired


def test_of_the_repairs_those_with_another_ending() -> None:
    # Snowball knows no common stem of these; tenia is as near to etnia as etnica
    assert matched("etnia", "spanish", "tenia etnica")[1] == {"etnia": ["etnica"]}
    assert matched("etnia", "spanish", "tenia")[1] == {"etnia": ["tenia"]}


def test_neighbours_with_other_forms_are_not_joined_to_a_stranger() -> None:
    reader = read(("гугенотами", "гугенот"))
    query = in_languages(parsed("гугенотам по"), reader, eligible_set(reader, parsed("гугенотам по")))
    assert query.languages == ("russian",)
    groups = expand(query, reader, eligible_set(reader, query)).groups
    assert [(group.written, group.span) for group in groups] == [("гугенотам", 1)]


def test_english_words_keep_their_forms_in_other_languages() -> None:
    assert "limits" in matched("limiting", "spanish", "limits")[0]


def test_function_words_of_the_language_do_not_count() -> None:
    reader = read(SPANISH)
    query = parsed("¿Cuándo se firmaron los contratos?")
    words = in_languages(query, reader, eligible_set(reader, query)).words
    assert [word.written for word in words if word.counts] == ["firmaron", "contratos"]
    query = parsed("¿qué es lo que no?")  # nothing else: all count
    assert all(
        word.counts for word in in_languages(query, reader, eligible_set(reader, query)).words if word.written != "no"
    )


@pytest.mark.parametrize(("text", "counting", "answer"), [row[1:] for row in ASKED], ids=[row[0] for row in ASKED])
def test_a_short_question_without_its_function_words(text: str, counting: str, answer: str) -> None:
    reader = read((answer,))
    words = in_languages(parsed(text), reader, eligible_set(reader, parsed(text))).words
    assert [word.written for word in words if word.counts] == counting.split()
    answers = [each for _, _, _, each in ASKED]
    index = Index.build([session(str(at), each, *NOISE) for at, each in enumerate(answers)])
    assert ask(index, text).results[0].session_id == str(answers.index(answer))


def test_arabic_letters_that_writers_use_for_each_other() -> None:
    index = texts("مدرسة أحمد", "على الخادم", "مُحَمَّد", "كـــتاب")
    assert found(index, "احمد") == found(index, "مدرسه") == {"s.0.1"}
    assert found(index, "علي") == {"s.1.1"}
    assert found(index, "محمد") == {"s.2.1"}
    assert found(index, "كتاب") == found(index, "کتاب") == {"s.3.1"}


def test_english_function_words_do_not_count_beside_another_script() -> None:
    reader = read(("слово",))
    query = parsed("what is the слова")
    words = in_languages(query, reader, eligible_set(reader, query)).words
    assert [word.written for word in words if word.counts] == ["слова"]


def test_a_query_that_tells_no_language_is_in_those_of_the_history() -> None:
    assert languages("capturas partido", read(SPANISH)) == ("spanish",)
    assert languages("capturas partido", read(SPANISH, NOISE * 5)) == ("spanish",)
    assert languages("capturas partido", read(NOISE)) == ()
    assert languages("the capturas", read(SPANISH)) == ()  # English


def test_equally_likely_languages_are_told_by_the_history() -> None:
    catalan = ("els nens amb aquest gos", "aquesta casa és molt gran i els seus amics", "aquests dies amb la seva mare")
    question = "el de la"
    assert {"spanish", "catalan"} <= set(languages_of(question).likely[0])
    assert languages(question, read(SPANISH)) == ("spanish",)
    assert languages(question, read(catalan)) == ("catalan",)


def test_languages_do_not_depend_on_segments_and_filters() -> None:
    whole = read(SPANISH, NOISE)
    parted = IndexReader([build([session("0", *SPANISH)]), build([session("1", *NOISE)])])
    for text in ("capturas partido", "¿Cuándo se firmaron los contratos?", "el de la"):
        assert languages(text, whole) == languages(text, parted)
    index = Index.build([session("0", *SPANISH), session("1", *NOISE)])
    alone = Index.build([session("1", *NOISE)])
    for text in ("capturas requests", "minutes"):
        narrowed = ask(index, text, session_id="1")
        assert [each.part_id for each in narrowed.results] == [each.part_id for each in ask(alone, text).results]


@pytest.mark.parametrize("character", ["中", "ก", "ខ"])
def test_a_long_question_without_spaces_is_not_cut(character: str) -> None:
    query = parsed(character * (MAX_WORDS + 40) + "末尾")
    assert len(query.words) == MAX_WORDS + 42
    assert not query.warnings
    assert found(texts("末尾", "server"), character * (MAX_WORDS + 40) + "末尾") == {"s.0.1"}


def test_words_with_spaces_are_counted_by_themselves() -> None:
    text = "中" * 30 + " " + " ".join(f"w{at}" for at in range(MAX_WORDS + 5))
    assert len(parsed(text).words) == 30 + MAX_WORDS
    assert len(parsed("中" * (MAX_CHARACTERS + 1)).words) == MAX_CHARACTERS
    assert "240" in parsed("中" * (MAX_CHARACTERS + 1)).warnings[0]


def test_an_unknown_pair_leaves_its_characters() -> None:
    assert found(texts("เข้าสู่ระบบ", "server"), "ข้า สู่ร") == {"s.0.1"}


def test_fuzzy_mode_guesses_a_pair_of_syllables() -> None:
    index = texts("เวลาหมด", "server")
    assert found(index, "เลวาห", match="fuzzy") == {"s.0.1"}
