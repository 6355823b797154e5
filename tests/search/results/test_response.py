"""Responses: totals, coverage, reasons, degradation and suggestions; and texts that are never found."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from recall_rank._core.rank.candidate import BOOSTS
from recall_rank.analysis.fields import RECALL_TOOLS
from recall_rank.corpus import Index
from recall_rank.model import Context, Flag
from tests.support.search.samples import DAY_MS, NOW, ask, found, message, part, parts, session, texts


@pytest.fixture(scope="module")
def index() -> Index:
    """Two sessions about a lantern; one part is only found by its text."""
    tool = part("a.t", tool="bash", input={"command": "trim"}, output="lantern trimmed", flags=Flag.PRUNED)
    return Index.build(
        [
            session(
                "a",
                message("a.0", "the lantern wick", time=NOW - DAY_MS),
                message("a.1", part("a.r", "a lantern, maybe", kind="reasoning"), tool, role="assistant",
                        time=NOW - 9 * DAY_MS),
                title="Lantern trouble", directory="/srv/a", project="harbor", source="opencode", agent="quill",
            ),
            session("b", message("b.0", "someLanternish", author="Odile", time=0), message("b.1", "xlanternx"),
                    title="Other"),
        ]
    )  # fmt: skip


def test_an_answer_names_what_was_asked(index: Index) -> None:
    response = ask(index, "  Lantern ", match="fuzzy", group="session")
    assert (response.query, response.match_mode, response.group) == ("  Lantern ", "fuzzy", "session")


@pytest.mark.parametrize("results", [1, 2, 3, 4, 5, 6, 7])
def test_total_and_truncated(index: Index, results: int) -> None:
    response = ask(index, "lantern", results=results)
    assert len(response.results) == min(results, 6)
    assert response.truncated is (results < 6)
    if response.total_exact:
        assert response.total == 6
    assert response.total_exact or results < 5


def test_a_full_page_says_whether_the_text_scan_has_more() -> None:
    # one hit by its words, one by its text alone: the page is full, and yet there is more
    for group in ("part", "session"):
        index = Index.build([session("a", "rate limit"), session("b", "unlimited")])
        assert ask(index, "limit", results=1, group=group).truncated
        assert not ask(index, "limit", results=2, group=group).truncated


def test_results_carry_their_record(index: Index) -> None:
    hits = {hit.part_id: hit for hit in ask(index, "lantern").results}
    tool, reasoning, title, talk = hits["a.t"], hits["a.r"], hits["a:title"], hits["b.0.1"]
    assert (tool.session_id, tool.session_title, tool.directory) == ("a", "Lantern trouble", "/srv/a")
    assert (tool.project, tool.history, tool.agent) == ("harbor", "opencode", "quill")
    assert (tool.message_id, tool.role, tool.time) == ("a.1", "assistant", NOW - 9 * DAY_MS)
    assert (tool.part_type, tool.tool_name, tool.source, tool.field) == ("tool", "bash", "tool", "stdout")
    assert (tool.pruned, tool.flags) == (True, Flag.PRUNED)
    assert (reasoning.part_type, reasoning.source, reasoning.field) == ("reasoning", "reasoning", "reasoning")
    assert (title.part_type, title.source, title.field, title.title_match) == (
        "title",
        "title",
        "title",
        "Lantern trouble",
    )
    assert title.message_id == "a.0"  # the newest message
    assert (talk.author, talk.project, talk.agent, talk.tool_name, talk.title_match) == ("Odile", "", None, None, None)
    assert {hit.why.recency for hit in (hits["a.0.1"], title)} == {"recent"}
    assert tool.why.recency == "older"
    assert talk.why.recency == "unknown"


def test_why_agrees_with_the_result(index: Index) -> None:
    for hit in ask(index, "lantern wick").results:
        assert list(hit.why.matched_terms) == list(hit.matched_terms)
        assert set(hit.matched_terms) <= {"lantern", "wick"}
        assert hit.why.directory_relevance == hit.directory_relevance
        assert hit.why.matched_fields
        assert hit.why.confidence in ("high", "medium", "low")
        if hit.source == "title":
            assert hit.why.confidence != "high"


def limited() -> Index:
    """One passage answers "rate limiter answers 429", sixty share a word with it."""
    noise = (f"limit of {n} somethings else said" for n in range(60))
    return Index.build(
        [session("s", "the rate limiter answers 429"), session("t", *noise), session("u", "limiter rate")]
    )


def test_confidence_follows_the_score() -> None:
    index = limited()
    hits = ask(index, "rate limiter answers 429", results=50).results
    order = ["low", "medium", "high"]
    degrees = [order.index(hit.why.confidence) for hit in hits]
    assert degrees == sorted(degrees, reverse=True)
    assert hits[0].part_id == "s.0.1"
    assert hits[0].why.confidence == "high"
    assert hits[-1].why.confidence != "high"


def test_answerable_falls_with_what_is_missing() -> None:
    index = limited()
    whole, half = ask(index, "rate limiter answers 429"), ask(index, "rate limiter answers qqqq")
    assert 1 > whole.answerable > half.answerable > ask(index, "qqqq").answerable == 0
    without = ask(index, "rate limiter answers 429", exclude_session_ids=[whole.results[0].session_id])
    assert whole.answerable > without.answerable


def test_answerable_is_that_of_the_page_whatever_its_order(index: Index) -> None:
    best = ask(index, "lantern", results=50).answerable
    assert ask(index, "lantern", results=50, order="time").answerable == best
    assert ask(index, "lantern", results=50, group="session").answerable == best


def test_no_result_of_a_later_page_is_called_high_for_being_first() -> None:
    first, second = (ask(limited(), "rate limiter answers 429", results=1, offset=at) for at in (0, 1))
    assert first.results[0].why.confidence == "high"
    assert second.results[0].why.confidence != "high"


@pytest.mark.parametrize(
    "options",
    [
        *({}, {"group": "session"}, {"order": "time"}, {"match": "fuzzy"}, {"match": "literal"}),
        {"directory": "/srv/a", "fallback": True},
    ],
)
def test_the_explained_parts_add_up_to_the_score(index: Index, options: dict[str, Any]) -> None:
    many = Index.build([session(f"s{n}", "lantern wick", "the wick " * n, title="Lantern") for n in range(1, 150)])
    for searched in (index, many):
        for hit in ask(searched, "lantern wick", results=1000, explain=True, **options).results:
            assert hit.explain is not None
            assert hit.match_reasons is not None
            assert sum(hit.explain.values()) == pytest.approx(hit.score, abs=1e-6)
            assert hit.score == 0 or "evidence" in hit.explain


def test_the_explanation_tells_words_as_they_were_found() -> None:
    index = Index.build([session("s", "the rateLimit of the connections was raised", *["calm water"] * 9)])
    [hit] = ask(index, "rate_limit conections", explain=True).results
    assert hit.why.matched_forms == {"rate limit": ("rateLimit",), "rate": ("rate",), "limit": ("Limit",),
                                     "conections": ("connections",)}  # fmt: skip
    assert json.loads(ask(index, "rate_limit", explain=True).to_json())["results"][0]["why"]["matched_forms"]
    assert ask(index, "rate_limit").results[0].why.matched_forms is None


def test_nothing_is_explained_unasked(index: Index) -> None:
    assert all(hit.explain is None and hit.match_reasons is None for hit in ask(index, "lantern").results)


def test_explaining_changes_nothing(index: Index) -> None:
    plain, told = ask(index, "lantern wick"), ask(index, "lantern wick", explain=True)
    assert [(hit.part_id, hit.score) for hit in plain.results] == [(hit.part_id, hit.score) for hit in told.results]


def test_a_score_does_not_depend_on_the_page(index: Index) -> None:
    whole = {hit.part_id: hit.score for hit in ask(index, "lantern wick", results=50).results}
    for offset in range(6):
        for hit in ask(index, "lantern wick", results=1, offset=offset).results:
            assert hit.score == whole[hit.part_id]


# --- title hits ------------------------------------------------------------------------------------------


def test_a_title_is_a_hit_of_its_own(index: Index) -> None:
    assert found(index, "trouble") == {"a:title"}
    assert found(index, "antern troubl", match="literal") == {"a:title"}
    assert found(index, "trouble", type="text") == set()
    assert found(index, "trouble", tool_name="bash") == set()
    assert any("only titles" in text for text in ask(index, "trouble").suggestions)


def test_only_titles_match_when_none_but_titles_do() -> None:
    index = Index.build(
        [session("a", "some words, and the lantern", title="Lantern"), session("b", "x", title="Lantern")]
    )
    for page in ({"results": 1}, {"results": 2}, {"offset": 1}, {"offset": 2}):
        assert not any("only titles" in text for text in ask(index, "lantern", **page).suggestions)
    assert any("only titles" in text for text in ask(index, "lantern", exclude_session_ids=["a"]).suggestions)


def test_a_title_without_a_message_leads_nowhere() -> None:
    index = Index.build([session("empty", title="Lantern"), session("full", "words", title="Lantern")])
    assert found(index, "lantern") == {"full:title"}
    assert found(index, "lantern", session_id="empty") == set()


# --- what recall tools said --------------------------------------------------------------------------------


@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy", "regex"])
@pytest.mark.parametrize("prefix", ["", "mcp__anything__", "host."])
def test_what_a_recall_tool_said_is_never_found(prefix: str, match: str) -> None:
    said = [
        part(name, tool=prefix + name, input={"query": "lantern"}, output="lantern", error="lantern", title="lantern")
        for name in RECALL_TOOLS
    ]
    index = Index.build([session("s", message("m", *said, part("mine", tool="myrecall", output="lantern")))])
    assert found(index, "lantern", match=match) == {"mine"}
    assert found(index, "recall", match=match) <= {"mine"}


# --- degrees and suggestions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "options", "kind"),
    [
        ("lantern", {}, "none"),
        ("ntern tro", {}, "fallback"),  # no term matches, the text does
        ("qqqq", {}, "none"),
        ("ntern tro", {"match": "literal"}, "none"),  # the text scan is what was asked for
        ("lantern", {"sessions": 1}, "budget"),
    ],
)
def test_the_first_degrade_kind_names_the_answer(index: Index, query: str, options: dict[str, Any], kind: str) -> None:
    assert ask(index, query, **options).degrade_kind == kind


def test_all_degrade_kinds_are_told(index: Index) -> None:
    response = ask(index, "anternx", sessions=1, exclude_session_ids=["a"])
    assert tuple(response.degrade_kinds) == ("fallback",)
    three = Index.build([session(f"s{n}", "xlanternx", updated=NOW - n) for n in range(3)])
    response = ask(three, "anternx", sessions=2)
    assert tuple(response.degrade_kinds) == ("budget", "fallback")
    assert response.degrade_kind == "budget"


@pytest.mark.parametrize(
    ("query", "options", "words"),
    [
        ("qqqq", {"match": "literal"}, "smart"),
        ("qqqq", {"type": "tool"}, "type 'all'"),
        ("lantern", {"directory": "/nowhere"}, "fallback"),
        ("qqqq", {}, "only 2 sessions were searched"),
        ("qqqq", {"title": "Other"}, "only 1 session was searched: widen"),
        ("qqqq", {"title": "absent"}, "no session was searched: widen"),
        ("lantren", {}, "lantern"),
    ],
)
def test_suggestions(index: Index, query: str, options: dict[str, Any], words: str) -> None:
    suggestions = ask(index, query, **options).suggestions
    assert any(words in text for text in suggestions)
    assert len(suggestions) <= 3


def test_nothing_is_to_be_widened_where_nothing_narrows(index: Index) -> None:
    assert not any("widen" in text for text in ask(index, "qqqq").suggestions)


def test_words_that_nobody_wrote_are_told_beside_the_hits_of_others(index: Index) -> None:
    told = "nobody wrote 'kubernetes'; the hits are of the other words"
    assert told in ask(index, "lantern kubernetes").suggestions
    assert "nobody wrote 'aaq', 'bbq', 'ccq' and 2 more; the hits are of the other words" in (
        ask(index, "lantern aaq bbq ccq ddq eeq").suggestions
    )
    assert told not in ask(index, "kubernetes").suggestions
    narrowed = ask(index, "lantern kubernetes", type="text").suggestions
    assert "nothing that the filters leave has 'kubernetes'; the hits are of the other words" in narrowed
    assert ask(index, "lantern").suggestions == ()


def test_a_project_of_the_context_that_no_agent_names_is_told() -> None:
    for name, told in (("no such", True), ("quay", False)):
        held = Index.build([session("s", "lantern", project="quay"), session("t", "lantern", project="mole")])
        response = ask(held, "lantern", scope="project", context=Context(project=name))
        assert any("no agent calls a project" in text for text in response.suggestions) == told
        assert not any("mole" in text or "quay" in text for text in response.suggestions), (
            "others are not for the caller"
        )


def test_a_repository_is_enough_of_a_context() -> None:
    held = Index.build([session("s", "lantern", repository="quay"), session("t", "lantern", repository="mole")])
    response = ask(held, "lantern", scope="project", context=Context(repository="quay"))
    assert [hit.session_id for hit in response.results] == ["s"]


def test_a_machine_is_asked_for_where_no_session_tells_one(index: Index) -> None:
    told = "no session has the host 'mole': none that is searched tells its host"
    assert ask(index, "lantern", host="mole").suggestions == (told,)


def test_nothing_is_suggested_where_there_is_nothing() -> None:
    assert ask(Index.build([]), "qqqq").suggestions == ()


def test_an_answer_without_hits_is_complete(index: Index) -> None:
    response = ask(index, "qqqq")
    assert (list(response.results), response.total, response.total_exact, response.truncated) == ([], 0, True, False)
    assert response.coverage.sessions.searched == 2
    assert response.degrade_kind == "none"


@pytest.mark.parametrize(
    "options", [{}, {"explain": True}, {"group": "session"}, {"match": "literal", "directory": "/srv"}]
)
def test_an_answer_is_plain_json(index: Index, options: dict[str, Any]) -> None:
    response = ask(index, "lantern", **options)
    assert json.loads(response.to_json()) == json.loads(json.dumps(response.to_dict()))


STAGES = ("parse", "filter", "prefilter", "score", "boost", "group", "snippet", "respond")


@pytest.mark.parametrize("options", [{}, {"results": 2}, {"match": "literal"}, {"order": "time"}, {"group": "session"}])
def test_the_stages_that_ran_are_named_in_order(index: Index, options: dict[str, Any]) -> None:
    assert ask(index, "lantern", **options).stages_run == STAGES


def test_stages_that_were_not_reached_are_not_named(index: Index) -> None:
    reached = ("parse", "filter", "prefilter", "group", "respond")
    assert ask(index, "qqqq").stages_run == reached
    assert ask(index, "lantern", offset=1000).stages_run == ("parse", "filter", "prefilter", *STAGES[3:6], "respond")


def traced(index: Index, query: str, **options: Any) -> dict[str, str]:
    """Return what the trace says, by stage."""
    response = ask(index, query, explain=True, **options)
    lines = dict(line.split(": ", 1) for line in response.trace)
    assert tuple(lines) == STAGES
    assert response.to_dict()["trace"] == list(response.trace)
    assert {stage for stage, said in lines.items() if "not reached" in said} <= set(STAGES) - set(response.stages_run)
    return lines


def test_only_an_explained_search_has_a_trace(index: Index) -> None:
    response = ask(index, "lantern")
    assert response.trace == ()
    assert "trace" not in response.to_dict()
    explained = ask(index, "lantern", explain=True)
    assert [hit.part_id for hit in explained.results] == [hit.part_id for hit in response.results]


def test_the_trace_counts_what_each_stage_did() -> None:
    index = texts("a brass lantern on the pier", "the lantern of brass", "brass only", "a keel", "xlanternx")
    explained = ask(index, "the brass lantern", explain=True).results
    raised = Counter(name for hit in explained for name in hit.explain or () if name != "evidence")
    assert len(raised) > 1
    assert traced(index, "the brass lantern", width=80) == {
        "parse": "words 'brass', 'lantern'; without weight 'the'",
        "filter": "sessions 1 of 1; parts 5 of 5",
        "prefilter": "hits by words 3; parts with the text 0",
        "score": "passages measured 3; rapidfuzz not asked, the query has no name",
        "boost": ", ".join(f"{name} {raised[name]}" for name in (*BOOSTS, "meaning") if raised[name]),
        "group": "by part, hits 3",
        "snippet": "3 of at most 80 characters",
        "respond": f"answerable {ask(index, 'the brass lantern').answerable:.2f}",
    }
    one = traced(index, "lantern", results=1)
    assert one["group"] == "by part, hits 2"
    assert "parts with the text" not in one["prefilter"]  # no text is read for a page that hits by words fill
    assert traced(index, "lantern", match="literal")["prefilter"] == "parts with the text 3"
    narrow = traced(index, "lantern", role="assistant")
    assert narrow["filter"] == "sessions 1 of 1; parts 0 of 5; left out by role"
    assert narrow["score"] == narrow["boost"] == "not reached, no hit"
    assert narrow["snippet"] == "none"


def test_the_trace_names_repaired_and_unknown_words() -> None:
    said = traced(texts("a brass lantern"), "brass lantren zzzzzz")["prefilter"]
    assert said == "'lantren' repaired to 'lantern'; unknown 'zzzzzz'; hits by words 1; parts with the text 0"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("where is rateLimit set", "rapidfuzz compared 'rateLimit'"),
        ("src/limits.py and rate_limit", "rapidfuzz compared 'src/limits.py', 'rate_limit'"),
        ("rateLimit", "rapidfuzz compared 'rateLimit'"),
        ("why is the limit so low", "rapidfuzz not asked, the query has no name"),
        ("rate limit", "rapidfuzz not asked, the words stand as they were written"),
    ],
)
def test_the_trace_says_whether_names_were_compared(query: str, said: str) -> None:
    index = texts("rateLimit is set in src/limits.py", "a low rate limit, so rate_limit is called")
    assert traced(index, query)["score"].partition("; ")[2] == said


def test_the_text_scan_s_hits_come_last() -> None:
    response = ask(texts("xlanternx", "lantern", "ylanterny", "the lantern"), "lantern")
    assert set(parts(response)[:2]) == {"s.1.1", "s.3.1"}
    assert [hit.stage == "scan" for hit in response.results] == [False, False, True, True]
    assert [hit.score for hit in response.results[2:]] == [0, 0]
