"""Messages that point back to earlier work, in several languages, and the query that is made of each."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.hooks.back_references import MAX_QUERY_CHARS, _cues_in, query_of, refers_back
from recall_rank.frontends.hooks.english_cues import ENGLISH_CUES
from recall_rank.frontends.hooks.other_cues import OTHER_CUES
from recall_rank.frontends.mcp.descriptions import BACK_REFERENCES, DESCRIPTIONS, INSTRUCTIONS
from tests.support.frontends.prompts import ORDINARY, POINTING_BACK


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("How did we release the advisory lock last time?", "release the advisory lock"),
        ("Configure the webhook same as before please.", "Configure the webhook please."),
        ("As we previously discussed, drop the redis cache", "drop the redis cache"),
        ("Do you remember how we built the tide table?", "built the tide table"),
        ("use the approach we picked for the ferry parser", "use the approach picked for the ferry parser"),
        ("what did we decide about the map library?", "about the map library"),
        ("in another session we had this E0502 error", "we had this E0502 error"),
        ("have we already tried sharding the queue", "tried sharding the queue"),
        ("did we ever benchmark the PMTiles file", "benchmark the PMTiles file"),
        ("apply the prior fix for the torn line", "apply the fix for the torn line"),
        ("Wie haben wir letztes Mal das Rate Limit gebaut?", "Rate Limit"),
        ("Mach das Login genau wie zuvor mit dem Cookie", "Mach Login Cookie"),
        ("Weißt du noch, warum capacity.spec.ts wackelt?", "capacity.spec.ts wackelt"),
        ("comme la dernière fois, limite le débit par clé", "limite débit clé"),
        ("¿Te acuerdas del error ENOENT en moon.csv?", "error ENOENT moon.csv"),
        ("O que decidimos sobre o Postgres?", "sobre o Postgres"),
        ("Ti ricordi di come abbiamo risolto il deadlock?", "risolto deadlock"),
        ("Doe het zoals de vorige keer met de cache", "Doe cache"),
        ("сделай как в прошлый раз с миграцией", "сделай миграцией"),
        ("tak jak poprzednio ustaw timeout", "ustaw timeout"),
        ("上次的数据库迁移怎么做的", "的数据库迁移怎么做的"),
        ("前回のデータベース移行を教えて", "データベース移行を教えて"),
        ("지난번에 데이터베이스 이전 어떻게 했지", "데이터베이스"),
    ],
)
def test_a_message_that_points_back(message: str, question: str) -> None:
    assert refers_back(message)
    assert question in query_of(message)


@pytest.mark.parametrize(
    "message",
    [
        "Please add a retry to the gateway client.",
        "Clean the table before importing the webhook rows.",
        "Remember to close the file handles in the loader.",
        "/fix the webhook like last time",
        "use recall(query) for what we did last time",
        "remember?",
        "",
        "The lasttime variable is unused.",
        "Füge dem Formular einen Knopf hinzu.",
        "Ajoute un bouton au formulaire.",
    ],
)
def test_a_message_that_does_not_point_back(message: str) -> None:
    assert not refers_back(message)


@pytest.mark.parametrize("message", POINTING_BACK)
def test_a_message_of_the_labelled_list_points_back(message: str) -> None:
    assert refers_back(message)
    assert query_of(message)


@pytest.mark.parametrize("message", ORDINARY)
def test_an_ordinary_message_of_the_labelled_list_does_not(message: str) -> None:
    assert not refers_back(message)


@pytest.mark.parametrize("phrase", BACK_REFERENCES)
@pytest.mark.parametrize("message", ["{} for the rate limit", "please check: {}, the rate limit", "Rate limit, {}?"])
def test_the_phrases_that_descriptions_name_point_back(phrase: str, message: str) -> None:
    assert phrase in INSTRUCTIONS
    assert refers_back(message.format(phrase))
    assert "rate limit" in query_of(message.format(phrase)).lower()


@pytest.mark.parametrize(
    ("message", "english"),
    [
        ("Wie haben wir das Rate Limit letztes Mal gelöst?", False),
        ("¿Cómo hicimos el rate limit la última vez?", False),
        ("上次我们是怎么解决 rate limit 的?", False),
        ("How did we do the rate limit last time?", True),
        ("How did we do the rate limit last time, wie letztes Mal?", True),
    ],
)
def test_languages_other_than_english_can_be_off(message: str, english: bool) -> None:
    assert refers_back(message)
    assert refers_back(message, other_languages=False) is english
    assert "rate limit" in query_of(message, other_languages=False).lower()


def test_descriptions_name_no_other_phrases() -> None:
    prose = re.sub(r"\{[^}]*\}", "", "".join((INSTRUCTIONS, *DESCRIPTIONS.values())))  # without the examples of calls
    quoted = re.findall(r'"([a-z]+ [a-z ]+)"', prose)
    assert sorted(quoted) == sorted(BACK_REFERENCES)


@pytest.mark.parametrize(
    "message",
    [
        "Fix this:\n```\nas we did for the rate limit\n```",
        "Fix this:\n```\nwhy did we pick the rate limit",
        "> that error again\nWhat is meant by that?",
        "Format this log:\n    the same error again: rate limit\n    we did before",
        f"{'Read the plan. ' * 60}\nThe plan: as we did for the rate limit.\n{'Then do the next step. ' * 60}",
    ],
)
def test_pasted_text_does_not_point_back(message: str) -> None:
    assert not refers_back(message)


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("That error again:\n```\nTraceback:\n  File a.py\nIOError: database is locked\n```", "database is locked"),
        (f"{'Look at the slow loader. ' * 6}How did we fix the ferry lock? {'Thank you. ' * 20}", "ferry lock"),
        (f"The importer dies with a berth lock. {'Please. ' * 20}How did we fix it last time?", "berth lock"),
    ],
)
def test_the_query_is_made_from_what_is_near_the_phrase(message: str, query: str) -> None:
    assert refers_back(message)
    assert query in query_of(message)


@pytest.mark.parametrize(
    "unit", ["recall(", "we had ", "have the ", "```\n", "> ", "wie haben wir ", "we we did ", ". ", "x ", "a", "上次"]
)
def test_a_huge_message_is_read_quickly(unit: str) -> None:
    message = unit * (1_000_000 // len(unit))
    refers_back("so that the patterns are compiled, as we did before")
    started = time.process_time()
    refers_back(message)
    query_of(message)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "message", ["last time??", "what did we decide?", "!!! previously ---", "do you remember", "we did before"]
)
def test_a_message_without_a_subject_gives_no_query(message: str) -> None:
    assert query_of(message) == ""


@given(st.text(max_size=400))
def test_a_query_is_short_and_without_punctuation(message: str) -> None:
    refers_back(message)
    question = query_of(message)
    assert len(question) <= MAX_QUERY_CHARS
    assert '"' not in question
    assert "\n" not in question


def test_a_long_message_is_cut_between_words() -> None:
    question = query_of("last time " + "harbour " * 100)
    assert question == ("harbour " * 15).strip()


_FLAGS = re.IGNORECASE | re.MULTILINE
_PHRASES = [re.compile(phrase, _FLAGS) for _, phrase in (*ENGLISH_CUES, *OTHER_CUES)]
_WHOLE = [re.compile("|".join(phrase for _, phrase in cues), _FLAGS) for cues in (ENGLISH_CUES, OTHER_CUES)]


@given(st.sampled_from(_PHRASES).flatmap(st.from_regex), st.booleans())
def test_few_phrases_find_what_all_phrases_find(text: str, other_languages: bool) -> None:
    languages = _WHOLE if other_languages else _WHOLE[:1]
    want = next(([each.span() for each in whole.finditer(text)] for whole in languages if whole.search(text)), [])
    cues = _cues_in(text, other_languages)
    assert want == ([] if cues is None else [each.span() for each in cues.pattern.finditer(text)])
