"""A user's vocabulary adds hits for its words, is listed in the answer, and changes no other query."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.analysis.user_vocabulary import UserVocabulary
from recall_rank.corpus import Index, index_of_segments
from recall_rank.index.segment.build import build
from recall_rank.model import SearchResponse, Session
from tests.support.examples import examples
from tests.support.search.samples import ask, found, parts, session
from tests.support.search.small_corpus import sessions as small_corpus
from tests.support.search.strategies import histories as any_history
from tests.support.search.strategies import query as any_query

WORDS = UserVocabulary(
    [["k8s", "kubernetes"], ["rl", "rate limiter"], ["sso", "single sign on"]], {"prod": ["production"]}
)


def histories() -> list[Session]:
    return [
        session("short", "k8s is slow"),
        session("long", "kubernetes is slow"),
        session("clusters", "three pods wait"),
        session("rl", "the rl refuses"),
        session("limiter", "the rate limiter refuses"),
        session("rate", "the rate of exchange"),
        session("sso", "a single sign-on for all"),
        session("sign", "a single page"),
        session("prod", "prod is down"),
        session("production", "production is down"),
    ]


@pytest.fixture(scope="module", params=["one segment", "many"])
def index(request: pytest.FixtureRequest) -> Index:
    if request.param == "one segment":
        return Index.build(histories())
    return index_of_segments([build([each]) for each in histories()])


def lasting(response: SearchResponse) -> dict[str, Any]:
    """Return a response as JSON values, without its times."""
    return {name: value for name, value in response.to_dict().items() if name not in ("elapsed_ms", "cpu_ms")}


@pytest.mark.parametrize(
    ("query", "plain", "more"),
    [
        ("k8s", {"short"}, {"long"}),
        ("kubernetes", {"long"}, {"short"}),
        ("rl", {"rl"}, {"limiter"}),
        ("rate limiter", {"limiter", "rate"}, {"rl"}),
        ("sso", set(), {"sso"}),
        ("production", {"production"}, set()),
        ("prod", {"prod"}, {"production"}),
    ],
)
def test_synonyms_find_more(index: Index, query: str, plain: set[str], more: set[str]) -> None:
    assert found_sessions(ask(index, query)) == plain
    answer = ask(index, query, vocabulary=WORDS)
    assert found_sessions(answer) == plain | more
    assert bool(answer.synonyms) == bool(more)
    # what was typed comes first
    firsts = [hit.session_id for hit in answer.results if hit.session_id in plain - {"rate"}]
    assert [hit.session_id for hit in answer.results][: len(firsts)] == firsts


def found_sessions(answer: SearchResponse) -> set[str]:
    """Return the sessions that a word of the query, or a synonym of one, finds."""
    return {hit.session_id for hit in answer.results if hit.stage != "scan"}


def test_the_answer_lists_the_synonyms_that_were_searched(index: Index) -> None:
    answer = ask(index, "K8s rate limiter", vocabulary=WORDS, explain=True)
    assert answer.synonyms == {"K8s": ("kubernetes",), "rate limiter": ("rl",)}
    assert answer.to_dict()["synonyms"] == {"K8s": ["kubernetes"], "rate limiter": ["rl"]}
    hit = next(hit for hit in answer.results if hit.session_id == "long")
    assert hit.matched_terms == ("K8s",)
    assert hit.why.matched_forms == {"K8s": ("kubernetes",)}
    assert [hit.snippet[span.start : span.end] for span in hit.spans] == ["kubernetes"]


def test_a_document_with_word_and_synonym_is_not_worth_two_words() -> None:
    index = Index.build(
        [
            session("both", "k8s kubernetes slow"),
            session("one", "k8s slow"),
            session("other", "slow"),
            session("x", "y"),
        ]
    )
    evidence = dict(zip(index.part_ids, index.scores("k8s", vocabulary=WORDS).tolist(), strict=True))
    as_words = dict(zip(index.part_ids, index.scores("k8s kubernetes").tolist(), strict=True))
    assert evidence["both.0.1"] < 1.4 * evidence["one.0.1"]
    assert as_words["both.0.1"] > 1.8 * as_words["one.0.1"]


def test_quoted_words_and_literal_searches_have_no_synonyms(index: Index) -> None:
    for query, options in (('"k8s"', {}), ("k8s", {"match": "literal"})):
        with_words = ask(index, query, vocabulary=WORDS, **options)
        assert lasting(with_words) == lasting(ask(index, query, **options))
        assert not with_words.synonyms


def test_a_query_that_holds_word_and_synonym_needs_none(index: Index) -> None:
    assert lasting(ask(index, "k8s kubernetes", vocabulary=WORDS)) == lasting(ask(index, "k8s kubernetes"))


def test_a_misspelt_word_is_not_repaired_where_a_synonym_is_known() -> None:
    index = Index.build([session("a", "kubernetes is slow"), session("b", "prods are many")])
    assert found(index, "kubernetes", vocabulary=WORDS) == {"a.0.1"}
    near = UserVocabulary(one_way={"kuberntes": ["pods"]})
    both = Index.build([session("a", "kubernetes is slow"), session("b", "pods wait")])
    assert found(both, "kuberntes") == {"a.0.1"}
    assert found(both, "kuberntes", vocabulary=near) == {"b.0.1"}


def test_a_synonym_weighs_as_another_form_of_the_word(index: Index) -> None:
    from dataclasses import replace

    from recall_rank.weights import DEFAULT

    def score(share: float) -> float:
        answer = ask(index, "k8s slow", vocabulary=WORDS, weights=replace(DEFAULT, stem=share))
        return next(hit.score for hit in answer.results if hit.session_id == "long")

    assert score(0.2) < score(DEFAULT.stem) < score(1.0)


@examples(60)
@given(st.lists(st.sampled_from(("harmonics", "cookie", "limiter", "24:00", "E0502", "lock timeout", "quota")),
                min_size=1, max_size=3).map(" ".join), st.sampled_from(("smart", "fuzzy")))  # fmt: skip
def test_other_queries_have_equal_answers(text: str, match: str) -> None:
    plain = lasting(ask(CORPUS, text, match=match))
    assert lasting(ask(CORPUS, text, match=match, vocabulary=WORDS)) == plain
    assert lasting(ask(CORPUS, text, match=match, vocabulary=UserVocabulary())) == plain


@examples(40)
@given(st.lists(any_history(), min_size=1, max_size=1), any_query)
def test_other_queries_have_equal_answers_over_any_history(drawn: list[list[Session]], text: str) -> None:
    index = Index.build(drawn[0])
    assert lasting(ask(index, text, vocabulary=WORDS)) == lasting(ask(index, text))


CORPUS = Index.build(small_corpus())


def test_a_long_text_has_no_synonyms(index: Index) -> None:
    text = "k8s " + "slow " * 1200
    assert lasting(ask(index, text, vocabulary=WORDS)) == lasting(ask(index, text))


def test_hits_with_synonyms_have_scores_of_at_most_1(index: Index) -> None:
    for query in ("k8s", "rl refuses", "sso prod", "rate limiter k8s prod slow"):
        for hit in ask(index, query, vocabulary=WORDS).results:
            assert 0 <= hit.score <= 1
    assert parts(ask(index, "k8s", vocabulary=WORDS)) == ["short.0.1", "long.0.1"]


@pytest.mark.parametrize("value", [{"k8s": ["kubernetes"]}, "k8s", [["a", "b"]]])
def test_another_vocabulary_is_refused(index: Index, value: Any) -> None:
    with pytest.raises(TypeError, match=r"vocabulary must be a recall_rank\.UserVocabulary"):
        ask(index, "k8s", vocabulary=value)
