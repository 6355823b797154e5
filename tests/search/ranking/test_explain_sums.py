"""The parts of an explained score add up to it, for all options and wherever a search ended."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.corpus import Index
from recall_rank.model import Result, SearchResponse, Session
from recall_rank.weights import DEFAULT
from tests.support.examples import examples
from tests.support.search.samples import NOW, ask, session
from tests.support.search.strategies import histories, query

some = examples(60)
WITHIN = 1e-6

asked = st.fixed_dictionaries(
    {
        "match": st.sampled_from(("literal", "smart", "fuzzy")),
        "group": st.sampled_from(("part", "session")),
        "order": st.sampled_from(("relevance", "time")),
    },
    optional={
        "directory": st.sampled_from(("/a", "/a/b")),
        "fallback": st.booleans(),
        "offset": st.integers(0, 8),
        "results": st.integers(1, 20),
        "role": st.sampled_from(("user", "assistant")),
        "sessions": st.integers(1, 4),
        "extra_scores": st.dictionaries(
            st.sampled_from([f"s{s}.{m}.{p}" for s in range(3) for m in range(2) for p in range(2)]),
            st.floats(allow_infinity=False, allow_nan=False) | st.integers(-(10**30), 10**30),
        ),
    },
)


class Left:
    """A caller who cancels at the `looks`-th look."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def check(hit: Result) -> None:
    assert hit.explain is not None
    assert abs(sum(hit.explain.values()) - hit.score) <= WITHIN
    assert 0 <= hit.score <= 1
    assert {name for name, value in hit.explain.items() if value < 0} <= {"missing", "scattered"}
    assert hit.score == 0 or hit.explain["evidence"] > 0 or hit.explain.get("extra", 0) > 0


@some
@given(histories(), query, asked, st.none() | st.builds(Left, st.integers(0, 25)))
def test_the_parts_add_up(history: list[Session], text: str, options: dict[str, Any], cancel: Left | None) -> None:
    response = ask(Index.build(history), text, explain=True, cancel=cancel, **options)
    for hit in response.results:
        check(hit)


@some
@given(histories(), query, asked)
def test_the_reasons_are_the_parts_heaviest_first(history: list[Session], text: str, options: dict[str, Any]) -> None:
    for hit in ask(Index.build(history), text, explain=True, **options).results:
        parts = {name: value for name, value in (hit.explain or {}).items() if value}
        told = [reason.split() for reason in hit.match_reasons or ()]
        assert sorted(name for name, _ in told) == sorted(parts)
        heaviest = sorted(parts.values(), key=abs, reverse=True)
        assert [float(value) for _, value in told] == pytest.approx(heaviest, abs=6e-4)


@some
@given(histories(), query, asked)
def test_terms_are_the_query_s_own_words_each_once(history: list[Session], text: str, options: dict[str, Any]) -> None:
    written = text.replace("\ud800", "\ufffd")
    for hit in ask(Index.build(history), text, **options).results:
        terms = list(hit.matched_terms)
        assert all(term and term in written for term in terms)
        assert len(set(terms)) == len(terms)
        assert terms == sorted(terms, key=written.find) or len(set(written.split())) < len(written.split())
        assert list(hit.why.matched_terms) == terms


@some
@given(histories(), query, asked)
def test_explaining_changes_nothing(history: list[Session], text: str, options: dict[str, Any]) -> None:
    def answer(response: SearchResponse) -> list[tuple[str, float, str, str]]:
        return [(hit.part_id, hit.score, hit.stage, hit.snippet) for hit in response.results]

    index = Index.build(history)
    assert answer(ask(index, text, explain=True, **options)) == answer(ask(index, text, **options))


@pytest.mark.parametrize("group", ["part", "session"])
def test_the_ranked_part_of_a_list_names_one_stage(group: str) -> None:
    # "lanternfish" is only found as a longer word that "lantern" begins
    index = Index.build([session("a", "the lantern is lit"), session("b", "a lanternfish"), session("c", "xlanternx")])
    hits = ask(index, "lantern", group=group).results
    assert [hit.session_id for hit in hits] == ["a", "b", "c"]
    assert len({hit.stage for hit in hits if hit.stage != "scan"}) == 1


@pytest.mark.parametrize("group", ["part", "session"])
def test_nor_does_a_long_page_mix_them(group: str) -> None:
    count = 4 * DEFAULT.survivors
    index = Index.build([session(f"s{n}", "a wick for the lantern", updated=NOW - n) for n in range(count)])
    hits = ask(index, "lantern wick", group=group, results=count).results
    assert len(hits) == count
    assert len({hit.stage for hit in hits}) == 1
