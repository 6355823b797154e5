"""Operators in a query restrict a search as its options do; exact phrases weigh as quoted ones do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.corpus import Index, index_of_segments
from recall_rank.index.segment.build import build
from recall_rank.model import SearchResponse, Session
from tests.support.examples import examples
from tests.support.search import plain_search
from tests.support.search.samples import DAY_MS, NOW, ask, found, message, paged, parts, session
from tests.support.search.samples import part as a_part
from tests.support.search.small_corpus import sessions as small_corpus


def histories() -> list[Session]:
    """Two sessions of two agents that speak of the lantern in prose, in tool calls and in a title."""
    edit = a_part("lamp.edit", tool="edit", input={"filePath": "/srv/lamp/src/wick.py", "new": "lantern = 1"})
    run = a_part("lamp.run", tool="bash", input={"command": "lantern src/wick.py"}, output="lantern: tests/oil.py")
    return [
        session(
            "lamp",
            message("lamp.q", a_part("lamp.ask", "trim the lantern in src/wick.py"), time=NOW - DAY_MS),
            message("lamp.a", edit, run, a_part("lamp.say", "the lantern burns oil"), role="assistant", time=NOW - 9),
            title="Lantern wick", project="lamp", directory="/srv/lamp", agent="codex", source="codex",
        ),
        session(
            "buoy",
            message("buoy.q", a_part("buoy.ask", "a lantern for the buoy, no dry run"), time=NOW - 40 * DAY_MS),
            title="Buoy", project="buoy", directory="/srv/buoy", agent="claude-code", source="specstory",
        ),
    ]  # fmt: skip


EVERYTHING = {"lamp.ask", "lamp.edit", "lamp.run", "lamp.say", "lamp:title", "buoy.ask"}


@pytest.fixture(scope="module", params=["one segment", "two"])
def index(request: pytest.FixtureRequest) -> Index:
    if request.param == "one segment":
        return Index.build(histories())
    return index_of_segments([build([each]) for each in histories()])


def lasting(response: SearchResponse, *without: str) -> dict[str, Any]:
    """Return a response as JSON values, without its times and the fields `without`."""
    left_out = {"elapsed_ms", "cpu_ms", *without}
    return {name: value for name, value in response.to_dict().items() if name not in left_out}


def test_a_query_without_operators_has_the_answer_that_it_has_as_text(index: Index) -> None:
    for query in ("lantern", '"the lantern" oil', "tar -xzf lantern", "error: lantern"):
        assert lasting(ask(index, query, syntax=True)) == lasting(ask(index, query))


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ("tool:bash", {"tool_name": "bash"}),
        ("role:user", {"role": "user"}),
        ("agent:codex", {"agent": "codex"}),
        ("project:buoy", {"project": "buoy"}),
        ("file:src/wick.py", {"files": ["src/wick.py"]}),
        ("since:2w", {"since": "2w"}),
        ("until:2w", {"until": "2w"}),
        ("since:60d until:2d", {"since": "60d", "until": "2d"}),
        ('+"the lantern"', {"must": ["the lantern"]}),
        ('+"lantern" +"oil"', {"must": ["lantern", "oil"]}),
        ('-"dry run"', {"must_not": ["dry run"]}),
        ("-burns", {"must_not": ["burns"]}),
        ('role:assistant -"oil" tool:edit', {"role": "assistant", "must_not": ["oil"], "tool_name": "edit"}),
    ],
)
def test_an_operator_does_what_the_option_does(index: Index, query: str, same: dict[str, Any]) -> None:
    read, told = ask(index, f"lantern {query}", syntax=True), ask(index, "lantern", **same)
    assert set(parts(read)) < EVERYTHING
    assert read.syntax is not None
    assert read.syntax.text == "lantern"
    assert lasting(read, "query", "syntax") == lasting(told, "query")
    assert found(index, f"lantern {query}", syntax=True, match="literal") == found(
        index, "lantern", match="literal", **same
    )


texts = st.lists(st.sampled_from(plain_search.WORDS), min_size=1, max_size=2).map(" ".join)


@examples(40)
@given(plain_search.histories(), plain_search.query, st.lists(texts, max_size=2), st.lists(texts, max_size=2))
def test_phrases_with_a_sign_are_must_and_must_not(
    history: list[Session], text: str, must: list[str], must_not: list[str]
) -> None:
    index = Index.build(history)
    signs = [f'+"{each}"' for each in must] + [f'-"{each}"' for each in must_not]
    read = ask(index, " ".join([text, *signs]), syntax=True)
    assert lasting(read, "query", "syntax") == lasting(ask(index, text, must=must, must_not=must_not), "query")


@examples(60)
@given(st.text(st.sampled_from('+-:" OR abtool') | st.characters(), max_size=30), st.sampled_from(("smart", "literal")))
def test_every_text_can_be_searched_with_operators(text: str, match: str) -> None:
    if text.strip():
        answer = ask(SMALL, text, syntax=True, match=match)
        assert answer.query == text
        if answer.syntax is None:
            assert lasting(answer, "warnings") == lasting(ask(SMALL, text, match=match), "warnings")


SMALL = Index.build(histories())


def test_operators_and_options_both_restrict(index: Index) -> None:
    assert found(index, "lantern tool:bash", syntax=True, agent="codex") == {"lamp.run"}
    assert found(index, "lantern agent:codex", syntax=True, project="buoy") == set()
    assert found(index, 'lantern -"oil"', syntax=True, must=["the lantern"]) == {"lamp.ask"}
    assert found(index, "lantern since:2d", syntax=True, until="1h") == {"lamp.ask", "lamp:title"}
    assert found(index, "lantern since:2w", syntax=True, since="2h") == found(index, "lantern", since="2h")


@pytest.mark.parametrize(
    ("query", "options", "told"),
    [
        ("lantern tool:bash", {"tool_name": "edit"}, "nothing is of more than one tool: bash, edit"),
        ("lantern role:user role:assistant", {}, "nothing is of more than one role: assistant, user"),
        ("lantern agent:codex", {"agent": "pi"}, "no session is of more than one agent: codex, pi"),
        ("lantern project:buoy project:lamp", {}, "no session is of more than one project: buoy, lamp"),
        ("lantern tool:bash", {"type": "text"}, "tool:bash goes with type 'all' or 'tool', not 'text'"),
        ("lantern tool:bash in:title", {}, "in:title leaves nothing"),
        ("lantern in:title", {"type": "text"}, "in:title leaves nothing"),
        ("lantern since:2d", {"until": "3d"}, "since and until leave no time"),
    ],
)
def test_operators_and_options_that_contradict_each_other_are_told(
    index: Index, query: str, options: dict[str, Any], told: str
) -> None:
    answer = ask(index, query, syntax=True, **options)
    assert not answer.results
    assert any(warning.startswith(told) for warning in answer.warnings)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("lantern tool:bahs", "no call of a tool 'bahs': did you mean 'bash'?"),
        ("lantern project:boy", "no project is called 'boy': did you mean 'buoy'?"),
        ("lantern agent:codx", "no session is of an agent 'codx': did you mean 'codex'?"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest(index: Index, query: str, told: str) -> None:
    assert list(ask(index, query, syntax=True).suggestions) == [told]


def test_an_agent_is_known_by_its_program_and_by_its_store(index: Index) -> None:
    for name in ("claude-code", "Claude Code", "claude_code", "specstory"):
        answer = ask(index, "lantern", agent=name)
        assert parts(answer) == ["buoy.ask"]
        assert answer.coverage.sessions.skipped == {"agent": 1}
        assert tuple(answer.coverage.limited_by) == ("agent",)
    assert not ask(index, "lantern", agent="claude").results
    both = ask(index, "lantern agent:specstory", agent="claude-code", syntax=True)
    assert parts(both) == ["buoy.ask"]
    assert not both.warnings


def test_only_titles_are_hits_in_title(index: Index) -> None:
    answer = ask(index, "lantern in:title", syntax=True)
    assert parts(answer) == ["lamp:title"]
    assert not answer.suggestions
    assert answer.coverage.parts.eligible == 0
    assert answer.coverage.parts.skipped == {"type": 5}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/wick.py", {"lamp.edit", "lamp.run"}),
        ("SRC/Wick.py", {"lamp.edit", "lamp.run"}),
        ("wick.py", {"lamp.edit", "lamp.run"}),
        ("/srv/lamp", {"lamp.edit"}),
        ("src", {"lamp.edit", "lamp.run"}),
        ("./src/", {"lamp.edit", "lamp.run"}),
        ("wick", set()),
        ("ick.py", set()),
        ("tests/oil.py", set()),  # in the output alone
    ],
)
def test_files_are_those_that_the_input_of_a_tool_names(index: Index, path: str, expected: set[str]) -> None:
    answer = ask(index, "lantern", files=[path])
    assert set(parts(answer)) == expected
    skipped = answer.coverage.parts.skipped
    assert skipped == {"file": 5 - len(expected)}
    assert answer.coverage.parts.eligible == len(expected)


def test_a_document_with_one_alternative_counts_as_one_with_the_word() -> None:
    index = Index.build([session("a", "redis cache"), session("b", "valkey cache"), session("c", "other cache")])
    either, one = ask(index, "redis OR valkey", syntax=True), ask(index, "redis")
    assert set(parts(either)) == {"a.0.1", "b.0.1"}
    scores = {hit.part_id: hit.score for hit in either.results}
    assert scores["a.0.1"] == pytest.approx(scores["b.0.1"], rel=0.05)  # rapidfuzz compares the letters, too
    assert [hit.matched_terms for hit in either.results] == [("redis OR valkey",)] * 2
    assert parts(one) == ["a.0.1"]
    full = ask(index, "redis OR valkey cache", syntax=True)
    assert {hit.matched_terms for hit in full.results[:2]} == {("redis OR valkey", "cache")}


@pytest.mark.parametrize("query", ['"rate limit" OR throttle', "throttle OR rateLimit", "rate_limit OR throttle"])
def test_an_alternative_may_have_several_words(query: str) -> None:
    index = Index.build(
        [session("a", "the throttle is on"), session("b", "a rate limit is set"), session("c", "nothing else"),
         session("d", "the rate of exchange")]
    )  # fmt: skip
    assert {"a.0.1", "b.0.1"} <= found(index, query, syntax=True)
    assert "c.0.1" not in found(index, query, syntax=True)


def test_a_stop_word_counts_as_an_alternative() -> None:
    index = Index.build([session("a", "we go there"), session("b", "golang is it"), session("c", "neither")])
    assert found(index, "it OR golang", syntax=True) == {"b.0.1"}
    assert found(index, "will OR golang", syntax=True) == {"b.0.1"}


def test_regular_expressions_are_never_read(index: Index) -> None:
    pytest.importorskip("re2")
    answer = ask(index, "lantern|tool:bash", match="regex", syntax=True)
    assert answer.syntax is None
    assert set(parts(answer)) == EVERYTHING


def test_alternatives_find_what_the_words_find() -> None:
    index = Index.build(small_corpus())

    def by_words(query: str) -> set[str]:
        return {hit.part_id for hit in paged(index, query, syntax=True) if hit.stage != "scan"}

    for query in ("limiter OR E0502", "quota OR cookie", "harmonics OR nobodywrotethis", "cookie OR quotas OR 429"):
        assert by_words(query) == set.union(*map(by_words, query.split(" OR ")))
        assert by_words(query)


def test_an_exact_phrase_weighs_as_a_quoted_one_does() -> None:
    index = Index.build(
        [session("near", "the wick and its holder"), session("whole", "one wick holder and more of it")]
    )
    plain, quoted = ask(index, "wick holder", explain=True), ask(index, '"wick holder"', explain=True)
    exact = ask(index, "wick holder", exact=["wick holder"], explain=True)
    assert exact.results[0].session_id == quoted.results[0].session_id == "whole"
    assert exact.results[0].explain is not None
    assert quoted.results[0].explain is not None
    assert plain.results[0].explain is not None
    names = set(exact.results[0].explain) - set(plain.results[0].explain)
    assert names <= {"quoted"}
    assert exact.results[0].explain.get("quoted") == pytest.approx(quoted.results[0].explain.get("quoted"), rel=0.5)


def test_an_exact_phrase_is_searched_also_if_the_query_does_not_hold_it() -> None:
    index = Index.build([session("a", "the lantern"), session("b", "a wick holder")])
    assert found(index, "lantern") == {"a.0.1"}
    assert found(index, "lantern", exact=["wick holder"]) == {"a.0.1", "b.0.1"}
    assert found(index, "lantern", exact=["wick holder"], match="literal") == {"a.0.1"}
    assert ask(index, "lantern", exact={"wick", "holder"}).total == 2


@pytest.mark.parametrize("name", ["exact", "files"])
@pytest.mark.parametrize("value", ["lantern", [" "], [3]])
def test_lists_of_texts_are_checked(index: Index, name: str, value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=f"{name} must be a list of"):
        ask(index, "lantern", **{name: value})
