"""A user's vocabulary: which texts stand for the words of a query, and which vocabularies are refused."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.analysis.user_vocabulary import UserVocabulary, forms_of


def synonyms(vocabulary: UserVocabulary, query: str) -> list[tuple[int, int, str]]:
    return [tuple(each) for each in vocabulary.synonyms(forms_of(query))]


def test_both_ways_each_text_stands_for_the_others() -> None:
    vocabulary = UserVocabulary([["k8s", "kubernetes", "kube"]])
    assert synonyms(vocabulary, "the K8s node") == [(1, 1, "kubernetes"), (1, 1, "kube")]
    assert synonyms(vocabulary, "Kube") == [(0, 1, "k8s"), (0, 1, "kubernetes")]
    assert synonyms(vocabulary, "k8s or kubernetes") == [(0, 1, "kube"), (2, 1, "kube")]
    assert synonyms(vocabulary, "k8 node") == []


def test_one_way_a_text_does_not_stand_for_its_key() -> None:
    vocabulary = UserVocabulary(one_way={"prod": ["production", "live"]})
    assert synonyms(vocabulary, "prod") == [(0, 1, "production"), (0, 1, "live")]
    assert synonyms(vocabulary, "live production") == []


def test_texts_may_have_several_words() -> None:
    vocabulary = UserVocabulary([["RL", "rate limiter"]])
    assert synonyms(vocabulary, "rl") == [(0, 1, "rate limiter")]
    for query in ("a rate limiter", "a rateLimiter", "a rate-limiter"):
        assert synonyms(vocabulary, query) == [(1, 2, "RL")]
    assert synonyms(vocabulary, "limiter rate") == []


def test_punctuation_that_belongs_to_a_word_counts() -> None:
    vocabulary = UserVocabulary([["C++", "cpp"]])
    assert synonyms(vocabulary, "c++ build") == [(0, 1, "cpp")]
    assert synonyms(vocabulary, "c build") == []


def test_a_vocabulary_without_entries_is_empty() -> None:
    assert not UserVocabulary()
    assert not UserVocabulary.parse({})
    assert UserVocabulary.parse({"one_way": {"a": "b"}})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"synonyms": []}, "there is no 'synonyms': there are both_ways and one_way"),
        ({"both_ways": "k8s"}, "both_ways must be a list of lists"),
        ({"one_way": [["a", "b"]]}, "one_way a table"),
        ({"both_ways": ["k8s", "kube"]}, r"both_ways\[0\] must be a list of texts, not 'k8s'"),
        ({"both_ways": [["a", "b"], ["k8s"]]}, r"both_ways\[1\] must have 2 to 32 texts, not 1"),
        ({"one_way": {"a": []}}, r"one_way.a must have 1 to 32 texts, not 0"),
        ({"one_way": {"a": [3]}}, r"one_way.a must be a list of texts, not \[3\]"),
        ({"one_way": {"?!": "b"}}, r"one_way.\?! holds '\?!', which has 0 words; 1 to 8 are accepted"),
        ({"both_ways": [["a", "b " * 9]]}, r"both_ways\[0\] holds .* which has 9 words"),
    ],
)
def test_other_content_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        UserVocabulary.parse(given)
