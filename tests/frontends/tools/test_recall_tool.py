"""The tool `recall`: hits and their order, warnings, suggestions, limits and cancellation."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.tools.suggestions import looks_like_regex
from recall_rank.model import Context
from recall_rank.recall import Recall
from tests.support.frontends.harbor import DAY, FERRIES, HERE, HOUR, NOW, TIDES, Invented, ask, parts, tools


def test_literal_is_the_default_in_the_order_of_time(desk: RecallTools) -> None:
    answer = ask(desk, "gauge")
    assert parts(answer) == ["tt1p", "tt2p", "tt2q", "tt4p", "tide-tables:title"]
    assert not {"match_mode", "degrade_kind", "answerable", "warnings", "suggestions", "near_misses"} & answer.keys()
    first = answer["results"][0]
    assert not {"score", "match_mode", "matched_terms", "stage"} & first.keys()
    assert first["why"] == {
        "matched_fields": ["text"],
        "directory_relevance": "unknown",
        "recency": "recent",
        "confidence": "high",
    }
    assert (answer["scanned"], answer["total"], answer["truncated"], answer["group"]) == (3, 5, False, "part")


def test_a_title_hit_leads_to_the_newest_message(desk: RecallTools) -> None:
    (title,) = [result for result in ask(desk, "gauge")["results"] if result["source"] == "title"]
    assert (title["message_id"], title["part_type"], title["title_match"]) == (
        *("tt4", "title"),
        {"title": "Gauge drift after noon"},
    )
    assert title["why"]["confidence"] == "medium"


def test_one_session_does_not_fill_a_page(desk: RecallTools) -> None:
    assert parts(ask(desk, "noon", results=6)) == ["tt1p", "tt4p", "ft0p", "ft1p", "bh1p", "tide-tables:title"]


def test_pages_follow_each_other(desk: RecallTools) -> None:
    whole = parts(ask(desk, "noon", results=4)) + parts(ask(desk, "noon", results=4, offset=4))
    assert len(set(whole)) == 8
    last = ask(desk, "noon", results=4, offset=12)
    assert last["total"] == 13
    assert not last["truncated"]
    assert len(last["results"]) == 1


def test_more_hits_than_are_fetched_at_once_are_paged_too() -> None:
    many = tools(*(_long(f"session-{n}", NOW - n * HOUR) for n in range(3)))
    seen = [part for offset in range(0, 180, 30) for part in parts(ask(many, "buoy", results=30, offset=offset))]
    assert len(seen) == len(set(seen)) == 180


def _long(name: str, updated: int) -> Any:
    from recall_rank.model import Message, Part, Session

    said = tuple(
        Message(f"{name}-m{i}", "user", updated - 1000 + i, (Part(f"{name}-p{i}", "text", f"buoy {i}"),))
        for i in range(60)
    )
    return Session(name, said, f"Log {name}", "/home/ana/quay", "p-quay", updated=updated)


def test_grouped_sessions_show_their_newest_hit(desk: RecallTools) -> None:
    answer = ask(desk, "noon", group="session")
    assert parts(answer) == ["tt4p", "ft8p", "bh1p"]
    assert [result["hit_count"] for result in answer["results"]] == [3, 9, 1]
    assert answer["results"][0]["title_match"] == {"title": "Gauge drift after noon"}
    assert parts(ask(desk, "swarm", group="session")) == ["bh1p"]


def test_ranked_modes_carry_scores(desk: RecallTools) -> None:
    answer = ask(desk, "gauge drift", match="smart", explain=True)
    assert (answer["match_mode"], answer["degrade_kind"]) == ("smart", "none")
    first = answer["results"][0]
    assert 0 < first["score"] <= 1
    assert first["matched_terms"] == ["gauge", "drift"]
    assert first["match_reasons"]
    assert answer["trace"][0] == "parse: words 'gauge', 'drift'"
    assert "trace" not in ask(desk, "gauge drift", match="smart")


def test_a_fallback_is_a_literal_answer(desk: RecallTools) -> None:
    answer = ask(desk, "elican", match="smart")
    assert answer["total"] == 0, "what a recall tool said is never found"
    answer = ask(desk, "verflo", match="smart")
    assert (answer["match_mode"], answer["degrade_kind"], parts(answer)) == ("literal", "fallback", ["tt2p"])
    assert "score" not in answer["results"][0]


def test_a_literal_query_by_relevance_keeps_its_scores(desk: RecallTools) -> None:
    answer = ask(desk, "noon", order="relevance")
    assert all("score" in result for result in answer["results"])


@pytest.mark.parametrize(
    ("query", "category"),
    [
        ("", "regex_empty"),
        ("(open", "regex_invalid"),
        ("(?i)noon", "regex_invalid"),
        ("x" * 1001, "regex_too_long"),
    ],
)
def test_refused_patterns(desk: RecallTools, query: str, category: str) -> None:
    answer = ask(desk, query, match="regex")
    assert (answer["ok"], answer["error_category"]) == (False, category)


def test_regex_hits_have_their_match_mode(desk: RecallTools) -> None:
    answer = ask(desk, r"ferry [78]\b", match="regex")
    assert (parts(answer), answer["match_mode"]) == (["ft7p", "ft8p"], "regex")
    assert "degrade_kind" not in answer
    assert ask(desk, r"(?:noon)\(?\?", match="regex")["total"] == 1


def test_times_and_roles_narrow(desk: RecallTools) -> None:
    answer = ask(desk, "noon", last="1d", role="user")
    assert parts(answer) == ["tt1p", "tt4p", "tide-tables:title"]
    assert answer["coverage"]["limited_by"] == ["time"]
    assert parts(ask(desk, "noon", before=NOW - 10 * DAY)) == ["bh1p"]


def test_scopes_and_ids(desk: RecallTools) -> None:
    assert ask(desk, "noon", scope="project")["scanned"] == 2
    assert ask(desk, "noon", scope="session")["scanned"] == 1
    assert parts(ask(desk, "noon", sessionID="bee-")) == ["bh1p"], "a beginning of an id is enough"
    unknown = ask(desk, "noon", session_id="nobody")
    assert (unknown["total"], unknown["scanned"], unknown["load_error_count"]) == (0, 1, 1)
    assert unknown["warning_categories"] == ["load_partial"]
    assert unknown["coverage"]["limited_by"] == ["session_id", "load_error"]
    assert "near_misses" not in unknown


@pytest.mark.parametrize(
    ("args", "context", "category"),
    [
        ({"scope": "session"}, Context(project="p-quay"), "no_current_session"),
        ({"scope": "project"}, Context("tide-tables"), "list_failed"),
    ],
)
def test_a_scope_needs_its_context(desk: RecallTools, args: dict[str, Any], context: Context, category: str) -> None:
    answer = desk.call("recall", {"query": "noon", **args}, context=context, now=NOW)
    assert answer["error_category"] == category


def test_folders_and_their_fallback(desk: RecallTools) -> None:
    answer = ask(desk, "noon", directory="/home/ana/quay/ferries/", results=2)
    assert parts(answer) == ["ft0p", "ft1p"]
    assert answer["coverage"]["directory_buckets_searched"] == ["exact"]
    assert answer["coverage"]["skipped_by_reason"] == {"directory": 2}
    wide = ask(desk, "noon", directory="/home/ana/quay/ferries", fallback=True, scope="project", results=50)
    assert [result["directory_relevance"] for result in wide["results"]] == ["exact"] * 9 + ["project"] * 3 + ["global"]
    assert wide["coverage"]["directory_bucket_counts"] == {"exact": 9, "project": 3, "global": 1}
    assert wide["warning_categories"] == ["fallback_broadened"]
    nowhere = desk.call("recall", {"query": "noon", "directory": "/x", "fallback": True}, context=Context(), now=NOW)
    assert nowhere["warning_categories"] == ["fallback_no_worktree", "fallback_broadened"]


def test_suggestions_and_near_misses_without_hits(desk: RecallTools) -> None:
    answer = ask(desk, "nothingatall", type="tool", directory="/x")
    assert answer["suggestion_categories"] == ["try_directory_fallback", "try_smart", "try_type_all"]
    answer = ask(desk, "nothingatall")
    assert answer["suggestion_categories"] == ["try_smart", "few_sessions"]
    assert [miss["session_id"] for miss in answer["near_misses"]] == ["tide-tables", "ferry-times", "bee-hives"]
    assert ask(desk, "Ferry calls")["suggestion_categories"] == ["title_only"]
    behind = ask(desk, "Ferry calls", offset=20)
    assert behind["total"] > 0
    assert {"suggestions", "near_misses"}.isdisjoint(behind)
    assert ask(desk, "ferry|boat")["suggestion_categories"][0] == "try_regex"
    assert ask(desk, "ferri calls", match="smart")["total"] > 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (r"\d+ ms", True),
        ("[abc]d", True),
        ("colou?r", True),
        ("a{2,3}", True),
        ("foo|bar", True),
        ("^start", True),
        ("end$", True),
        ("is it safe?", False),
        ("C++", False),
        ("foo | bar", False),
        ("(open[a", False),
        ("plain words", False),
    ],
)
def test_queries_that_look_like_patterns(query: str, expected: bool) -> None:
    assert looks_like_regex(query) is expected


def test_load_errors_are_reported() -> None:
    answer = ask(tools(broken=("lost",)), "noon")
    assert (answer["load_error_count"], answer["load_errors"]) == (1, ["lost: torn"])
    assert answer["warning_categories"] == ["load_partial"]
    assert answer["coverage"]["limited_by"] == ["load_error"]
    alone = ask(tools(broken=("lost",)), "noon", scope="session")
    assert "load_errors" not in alone


def test_a_host_sets_limits_and_defaults() -> None:
    strict = tools(maxResults=2, default_width=10, max_sessions=1, max_window=1)
    assert ask(strict, "noon", "schema", results=3)["rejected_params"] == ["results"]
    answer = ask(strict, "noon")
    assert len(answer["results"]) == 2
    assert answer["coverage"]["limited_by"] == ["max_sessions"]
    assert answer["coverage"]["skipped_by_reason"] == {"sessions_limit": 2}
    assert ask(strict, "noon", "schema", sessions=2)["rejected_params"] == ["sessions"]
    assert ask(strict, "counter", expand="context", window=9)["warning_categories"] == ["clamped:window"]


def test_a_cancelled_call_is_an_error(desk: RecallTools) -> None:
    stop = Event()
    stop.set()
    answer = desk.call("recall", {"query": "noon"}, now=NOW, cancel=stop)
    assert (answer["ok"], answer["error_category"]) == (False, "aborted")


def test_a_fallback_that_cannot_list_everything() -> None:
    class Unlisted(Invented):
        def units(self) -> Any:
            raise OSError("db locked")

    desk = RecallTools(Recall([Invented(TIDES, FERRIES), Unlisted()]), context=HERE)
    answer = ask(desk, "noon", scope="project", directory="/home/ana/quay/ferries", fallback=True)
    assert answer["warning_categories"] == ["fallback_list_failed", "fallback_broadened"]
    assert "load_errors" not in answer
    assert answer["coverage"]["limited_by"] == ["directory"]
