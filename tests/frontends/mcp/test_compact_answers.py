"""Answers of recall over MCP are small, and lose nothing that a model acts on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_rank.frontends.demo.generate import TARGET as DEMO
from recall_rank.frontends.host_options import HostOptions, host_options
from recall_rank.frontends.mcp.answer_pages import paged
from recall_rank.frontends.mcp.compact_answers import MAX_NEAR_MISSES, TITLE_CHARS, compact, compact_sessions
from recall_rank.frontends.mcp.offer import ServerOffer
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.tools.untrusted_text import for_readers, marked, new_mark, untrusted_text
from recall_rank.loaders.registry import open_sources
from recall_rank.model import Flag, Message, Part, Session
from recall_rank.recall import Recall
from tests.support.frontends.harbor import NOW, TIDES, Invented

ANSWER_TOKENS, HITS_TOKENS, EMPTY_TOKENS, TOOLS_TOKENS = 5_000, 1_200, 150, 2_200
QUERIES = ("rate limit", "flaky test", "map library", "reserve_saet", "error", "why did we choose")


def tokens(value: Any) -> float:
    """About how many tokens of a model a JSON value or a text has."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text) / 4


def forms(answer: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The structured form and the text of an answer, as a server sends them."""
    mark = new_mark()
    page = marked(paged(for_readers(compact(answer))), mark)
    return page, untrusted_text(page, mark)


@pytest.fixture(scope="module")
def demo() -> RecallTools:
    return RecallTools(Recall(open_sources(DEMO)), options=host_options({"default_match": "smart", "redact": True}))


def test_the_list_of_tools_is_small() -> None:
    listed = ServerOffer(HostOptions(default_match="smart")).tools_result("some-host")
    assert tokens(listed["tools"]) <= TOOLS_TOKENS


@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize("query", QUERIES)
def test_ten_hits_are_small(demo: RecallTools, query: str, group: str) -> None:
    answer = demo.call("recall", {"query": query, "group": group})
    assert answer["results"]
    assert max(map(tokens, forms(answer))) <= HITS_TOKENS


@pytest.mark.parametrize("query", ["xyzzyqq plugh", "qqzzxv", "\u6e2f\u53e3"])
def test_an_answer_without_hits_is_small(demo: RecallTools, query: str) -> None:
    answer = demo.call("recall", {"query": query})
    assert not answer["results"]
    assert max(map(tokens, forms(answer))) <= EMPTY_TOKENS


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(["word ", '"\\\n', "\u6e2f", "\U0001f30a", "a" * 500]), min_size=1, max_size=9), st.data()
)
def test_no_page_is_larger_than_its_limit(texts: list[str], data: st.DataObject) -> None:
    """Tokens of four characters, as for the other limits; bytes bound them."""
    long = "".join(text * data.draw(st.integers(1, 8_000)) for text in texts)
    answer = {"ok": True, "messages": [{"message": {"id": "m1"}, "parts": [{"id": "p1", "content": long}]}]}
    cursor, read = None, ""
    while True:
        mark = new_mark()
        page = marked(paged(answer, cursor), mark)
        assert tokens(page) <= ANSWER_TOKENS
        assert tokens(untrusted_text(page, mark)) <= ANSWER_TOKENS
        read += page["messages"][0]["parts"][0]["content"]
        if "next_cursor" not in page:
            break
        cursor = page["next_cursor"]
    assert read == long


def test_nothing_is_said_twice(demo: RecallTools) -> None:
    full = demo.call("recall", {"query": "rate limit", "results": 20})
    told = compact(full)
    seen: set[str] = set()
    for hit, entry in zip(told["results"], full["results"], strict=True):
        assert (hit["session_id"], hit["message_id"]) == (entry["session_id"], entry["message_id"])
        assert (hit["snippet"], hit["role"]) == (entry["snippet"], entry["role"])
        assert hit["confidence"] == entry["why"]["confidence"]
        assert "score" not in hit
        is_first = entry["session_id"] not in seen
        seen.add(entry["session_id"])
        assert ("session_title" in hit, "project" in hit, "agent" in hit) == (is_first,) * 3
    assert len(seen) < len(told["results"])
    assert not {"query", "coverage", "elapsed_ms", "warnings", "answerable", "degrade_kind"} & set(told)


def test_the_command_that_reopens_a_session_stands_at_its_first_hit(tmp_path: Path) -> None:
    here = replace(TIDES, directory=str(tmp_path), source="opencode")
    gone = replace(here, id="gone", directory=str(tmp_path / "gone"))
    under = replace(here, id="under", flags=Flag.SUBAGENT)

    class Opened(Invented):
        name = "opencode"

    tools = RecallTools(Recall([Opened(here, gone, under)]), options=HostOptions(default_match="smart"))
    told = compact(tools.call("recall", {"query": "tide gauge", "results": 50}))
    commands = {hit["session_id"]: hit.get("reopen") for hit in reversed(told["results"])}
    assert commands == {
        here.id: f"cd {tmp_path} && opencode --session {here.id}",
        "gone": None,
        "under": None,
    }


def test_a_list_of_sessions_says_how_to_reopen_them_and_names_no_files(tmp_path: Path) -> None:
    here = replace(
        TIDES, directory=str(tmp_path), worktree=None, project=str(tmp_path), source="opencode", places=("/a/store.db",)
    )
    elsewhere = replace(here, id="elsewhere", directory="/not/here", project="tides", flags=Flag.ARCHIVED)
    recall = Recall([Invented(here, elsewhere)])
    told = compact_sessions(RecallTools(recall).call("recall_sessions", {"scope": "global"}), recall.session)
    entries = {each["id"]: each for each in told["sessions"]}
    assert entries[here.id]["reopen"] == f"cd {tmp_path} && opencode --session {here.id}"
    assert not {"places", "archived", "project"} & set(entries[here.id])
    assert entries["elsewhere"]["archived"] is True
    assert entries["elsewhere"]["project"]["name"] == "tides"
    assert "reopen" not in entries["elsewhere"]
    error = RecallTools(recall, options=host_options({"global": False})).call("recall_sessions", {"scope": "global"})
    assert compact_sessions(error, recall.session) == error


def test_what_is_odd_is_told() -> None:
    sessions = [replace(TIDES, id=f"t{at}") for at in range(4)]
    tools = RecallTools(Recall([Invented(*sessions)]), options=HostOptions(default_match="smart"))
    limited = compact(tools.call("recall", {"query": "gauge", "sessions": 2}))
    assert limited["coverage"]["limited_by"]
    assert limited["degrade_kind"] == "budget"
    assert compact(tools.call("recall", {"query": "gauge", "results": 1}))["truncated"] is True
    unknown = compact(tools.call("recall", {"query": "lighthouse gauge zeppelin quartz"}))
    assert unknown["answerable"] < 0.5
    (repaired,) = compact(tools.call("recall", {"query": "gauje"}))["suggestions"]
    assert "nobody wrote 'gauje'" in repaired
    text = Session("odd", (Message("m", "user", NOW, (Part("p", "text", "a keel"),)),), "t" * 200, "C:\\src\\keels")
    (hit,) = compact(RecallTools(Recall([Invented(text)])).call("recall", {"query": "keel"}))["results"]
    assert (len(hit["session_title"]), hit["project"]) == (TITLE_CHARS, "keels")
    assert hit["confidence"] == "high"  # it holds the text as it was written


def test_an_error_and_other_answers_are_unchanged(demo: RecallTools) -> None:
    error = demo.call("recall", {"query": ""})
    assert compact(error) == error
    listed = demo.call("recall_sessions", {"scope": "global"})
    assert compact(listed) == listed


def test_an_answer_without_hits_keeps_the_nearest_misses(demo: RecallTools) -> None:
    for query, kind, most in (("tokeqqn burrsqqt", "term", MAX_NEAR_MISSES), ("xyzzyqq plugh", "session", 1)):
        answer = demo.call("recall", {"query": query})
        told = compact(answer)
        assert (told["results"], told["total"]) == ([], 0)
        near = [each["text"] for each in answer["near_misses"] if each["kind"] == kind]
        assert [each["text"] for each in told["near_misses"]] == near[:most]
        assert near


@pytest.mark.parametrize("match", ["smart", "literal", "fuzzy"])
def test_the_host_chooses_how_recall_matches(match: str) -> None:
    options = host_options({"defaultMatch": match})
    assert options.default_match == match
    tools = RecallTools(Recall([Invented()]), options=options)
    assert tools.call("recall", {"query": "gauges drift"}) | {
        "elapsed_ms": 0,
        "cpu_ms": 0,
        "coverage": 0,
    } == tools.call("recall", {"query": "gauges drift", "match": match}) | {"elapsed_ms": 0, "cpu_ms": 0, "coverage": 0}


@pytest.mark.parametrize("value", ["exact", "", None, 3, ["smart"]])
def test_an_unknown_way_to_match_is_ignored(value: Any) -> None:
    assert host_options({"default_match": value}).default_match == "literal"


def test_of_many_hits_that_say_the_same_two_are_named() -> None:
    said = "the governor of the clockwork is dry, and a drop of oil keeps it turning evenly"
    talk = [Message(f"m{at}", "assistant", NOW + at, (Part(f"p{at}", "text", said),)) for at in range(6)]
    tools = RecallTools(Recall([Invented(Session("s", tuple(talk), "Oil", updated=NOW))]))
    args = {"query": "clockwork governor", "match": "smart"}
    whole = tools.call("recall", args, now=NOW)
    ((hit,), (short,)) = whole["results"], compact(whole)["results"]
    assert len(hit["also_in"]) == 5
    assert (short["also_in"], short["more_like_this"]) == (hit["also_in"][:2], 3)
    every = compact(tools.call("recall", {**args, "fold": False}, now=NOW))["results"]
    assert (len(every), any("also_in" in each or "more_like_this" in each for each in every)) == (6, False)
