"""session_search over our own ranking: its three shapes, its arguments, and what bad input does to it."""

from __future__ import annotations

import inspect
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from recall_rank.frontends import praisonai
from recall_rank.frontends.tools import session_search
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.tools.session_search import SessionTools, create_session_tools
from recall_rank.loaders import open_sources
from recall_rank.recall import Recall
from tests.support.frontends.harbor import TIDES, Invented
from tests.support.frontends.praison_folder import DAMAGED, EVERYTHING, write_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("keeper") / "sessions")


@pytest.fixture(scope="module")
def tools(folder: Path) -> SessionTools:
    return SessionTools(histories=Recall(open_sources(folder)))


def ask(tools: SessionTools, **args: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(tools.session_search(**args))
    return found


def ids(answer: dict[str, Any]) -> list[str]:
    return [entry["session_id"] for entry in answer["results"]]


def test_a_discovery_shows_the_match_in_its_context(tools: SessionTools) -> None:
    answer = ask(tools, query="stuttering fog horn valve", window=1)
    assert list(answer)[:4] == ["success", "mode", "query", "total_found"]
    best = answer["results"][0]
    assert list(best) == [
        *("session_id", "title", "when", "snippet", "score", "anchor_index", "messages", "bookends")
    ]  # fmt: skip
    assert (best["session_id"], best["title"], best["when"]) == (
        "fog-horn", "Stuttering fog horn", "2026-05-03T10:00:00+00:00",
    )  # fmt: skip
    assert 0 < best["score"] <= 1
    numbers = [message["index"] for message in best["messages"]]
    assert best["anchor_index"] in numbers
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert [message["index"] for message in best["bookends"]["opening"]] == [0, 1]
    assert [message["index"] for message in best["bookends"]["closing"]] == [4, 5]
    assert all(list(message) == ["index", "role", "content", "timestamp", "archived"] for message in best["messages"])


def test_the_total_counts_what_matches_and_not_what_is_shown(tools: SessionTools) -> None:
    answer = ask(tools, query="fog horn", limit=1)
    assert (len(answer["results"]), answer["total_found"]) == (1, 2)


def test_a_schedule_does_not_crowd_out_a_conversation(tools: SessionTools) -> None:
    assert ids(ask(tools, query="fog horn"))[0] == "fog-horn"


def test_a_session_that_says_so_is_that_of_a_schedule(tmp_path: Path) -> None:
    from tests.fixtures.make_chat_stores import praison, write_session
    from tests.support.frontends.praison_folder import said

    folder = tmp_path / "sessions"
    folder.mkdir()
    write_session(folder, praison("talk", said("Why does the socket reconnect in a storm?", "No jitter.")))
    every = said(*(f"socket reconnect {number}, socket reconnect {number + 1}" for number in range(8)))
    write_session(folder, praison("first", every, metadata={"source": "cron"}))
    write_session(folder, praison("second", every, metadata={"automated": True}))
    tools = SessionTools(histories=Recall(open_sources(folder)))
    assert ids(ask(tools, query="socket reconnect", limit=1)) == ["talk"]
    answer = ask(tools, query="socket reconnect")
    assert set(ids(answer)[1:]) == {"first", "second"}
    scores = [hit["score"] for hit in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert ids(ask(tools, query="socket reconnect", session_id="first"))[0] == "first"


def test_archived_turns_are_found_and_marked(tools: SessionTools) -> None:
    (hit,) = ask(tools, query="saffron pelican", window=1)["results"]
    assert (hit["session_id"], hit["anchor_index"]) == ("lamp", 0)
    assert [message["archived"] for message in hit["messages"]] == [True, True]


def test_an_output_is_anchored_at_the_message_of_its_tool(tools: SessionTools) -> None:
    hit = ask(tools, query="retry_limit = 9", window=0)["results"][0]
    assert (hit["session_id"], hit["anchor_index"], hit["messages"][0]["role"]) == ("fog-horn", 3, "tool")


def test_a_conversation_that_went_on_is_one_hit(tools: SessionTools) -> None:
    answer = ask(tools, query="paint the tower marine white")
    assert len([each for each in ids(answer) if each.startswith("tower")]) == 1


def test_an_anchor_means_the_same_message_in_a_scroll(tools: SessionTools) -> None:
    for query in ("retry_limit", "saffron pelican", "osprey moored", "keeper's horn is quiet"):
        hit = ask(tools, query=query, window=0)["results"][0]
        scrolled = ask(tools, session_id=hit["session_id"], around_message_id=str(hit["anchor_index"]), window=0)
        assert scrolled["messages"] == hit["messages"]


@pytest.mark.parametrize(
    ("around", "window", "numbers"),
    [("2", 1, [1, 2, 3]), (2, 0, [2]), ("", 1, [4, 5]), ("999", 0, [5]), ("-5", 1, [0, 1]), ("none", 0, [5])],
)
def test_a_scroll_reads_around_a_message(tools: SessionTools, around: Any, window: int, numbers: list[int]) -> None:
    answer = ask(tools, session_id="fog-horn", around_message_id=around, window=window)
    assert (answer["mode"], answer["session_id"]) == ("scroll", "fog-horn")
    assert [message["index"] for message in answer["messages"]] == numbers
    told = answer.get("warnings", [])
    assert len(told) == (around in ("999", "-5", "none"))
    assert not told or ("neither" if around == "none" else "from 0 to 5") in told[0]
    original = ask(tools, session_id="fog-horn", around_message_id="--5", window=0)
    assert "neither" in original["warnings"][0]


@pytest.mark.parametrize("args", [{}, {"query": "fog horn"}, {"query": "horn", "session_id": "fog-horn"}])
def test_a_message_to_read_around_that_is_not_used_is_told(tools: SessionTools, args: dict[str, Any]) -> None:
    (told,) = ask(tools, **args, around_message_id="3")["warnings"]
    assert told.startswith("Ignored around_message_id: ")
    assert "warnings" not in ask(tools, **args)


@pytest.mark.parametrize(
    ("around", "text"), [(0, "first"), (1, "second"), ("2", "third"), ("77", "third"), (77, "third")]
)
def test_a_number_counts_before_an_id_that_is_written_alike(tmp_path: Path, around: object, text: str) -> None:
    """Messages of Hermes have numbers as ids, from 1 on; what an answer calls 1 is the second one."""
    lines: list[dict[str, Any]] = [{"t": "session", "id": "tides", "created": 1, "updated": 9}]
    for number, said in ((1, "first"), (2, "second"), (77, "third")):
        part = {"id": f"p{number}", "type": "text", "text": said}
        named = {"id": str(number), "session": "tides", "role": "user", "time": number}
        lines.append({"t": "message", **named, "parts": [part]})
    path = tmp_path / "history.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    tools = SessionTools(histories=Recall(open_sources(path)))
    (message,) = ask(tools, session_id="tides", around_message_id=around, window=0)["messages"]
    assert message["content"] == text


@pytest.mark.parametrize(("around", "used"), [("2", None), ("999", 5), ("-5", 0)])
def test_the_original_scoring_tells_an_anchor_out_of_range(folder: Path, around: str, used: int | None) -> None:
    original = SessionTools(histories=Recall(open_sources(folder)), scoring="praisonai")
    answer = ask(original, session_id="fog-horn", around_message_id=around, window=0)
    assert ("warnings" in answer) == (used is not None)
    assert used is None or f": {used} is used" in answer["warnings"][0]


def test_an_unknown_session_is_told(tools: SessionTools) -> None:
    for args in ({"session_id": "nobody"}, {"session_id": "nobody", "query": "horn"}):
        answer = ask(tools, **args)
        assert answer["success"]
        assert not answer.get("messages", answer.get("results"))
        assert "nobody" in answer["warnings"][0]


def test_browsing_lists_the_newest(tools: SessionTools) -> None:
    answer = ask(tools, limit=2)
    assert (answer["mode"], answer["total_found"]) == ("browse", len(EVERYTHING))
    assert len(answer["results"]) == 2
    times = [entry["when"] for entry in ask(tools, limit=50)["results"]]
    assert times == sorted(times, reverse=True)
    (lamp,) = [entry for entry in ask(tools, limit=50)["results"] if entry["session_id"] == "lamp"]
    assert lamp["message_count"] == 3  # archived ones are not counted


def test_one_session_can_be_searched(tools: SessionTools) -> None:
    answer = ask(tools, query="fog horn", session_id="nightly", limit=3)
    assert set(ids(answer)) == {"nightly"}
    assert len({entry["anchor_index"] for entry in answer["results"]}) == len(answer["results"]) == 3
    assert answer["total_found"] >= 3


def test_a_prefix_hides_the_sessions_of_others(folder: Path) -> None:
    for scoring in ("recall", "praisonai"):
        mine = SessionTools(histories=Recall(open_sources(folder)), session_prefix="ana:", scoring=scoring)
        assert ids(ask(mine, query="asks where moored")) == ["ana:harbour"]
        assert ids(ask(mine, query="osprey")) == []
        assert ids(ask(mine)) == ["ana:harbour"]
        assert ask(mine, session_id="ben:harbour")["messages"] == []
        assert ask(mine, session_id="ben:harbour", query="osprey")["results"] == []


@pytest.mark.parametrize("scoring", ["recall", "praisonai"])
def test_a_prefix_hides_the_warnings_of_others(tmp_path: Path, scoring: str) -> None:
    folder = write_folder(tmp_path / "sessions")
    (folder / "ben_secret.json").write_bytes(b'["moored"]')
    (folder / "ana_secret.json").write_bytes(b"[7]")  # by its name as much of ana_secret as of ana:secret
    (folder / "ben_torn.json").write_bytes(torn("ben:torn"))
    (folder / "ben_old.json.corrupt-1").write_bytes(b"{")
    histories = Recall(open_sources(folder))
    every = ("moored", "", "of the and " * 500 + "moored")
    theirs = SessionTools(histories=histories, scoring=scoring, session_prefix="ana:")
    for query in every:
        answer = ask(theirs, query=query)
        assert not re.search("secret|torn|ben|old|note|more", " ".join(answer.get("warnings", ()))), answer["warnings"]
        assert ids(answer) == ["ana:harbour"]
    assert ask(theirs, session_id="ana") == ask(theirs, session_id="ana") | {"messages": []}
    (folder / "ana_torn.json").write_bytes(torn("ana:torn"))
    mine = SessionTools(histories=Recall(open_sources(folder)), scoring=scoring, session_prefix="ana:")
    for query in every:
        (told,) = [each for each in ask(mine, query=query)["warnings"] if "the query has" not in each]
        assert "ana_torn.json" in told


def torn(session_id: str) -> bytes:
    """A file of PraisonAI that ends inside of its second message."""
    said = {"role": "user", "content": "moored?", "timestamp": 1.0}
    whole = json.dumps({"session_id": session_id, "messages": [said, said]}, indent=2)
    return whole[: whole.rindex("content")].encode()


@pytest.mark.parametrize(
    ("query", "session"),
    [
        ("C++", "fog-horn"),
        ("100%", "fog-horn"),
        ("horn/valve.cpp", "fog-horn"),
        ('"fog horn"', "fog-horn"),
        ("keeper's", "fog-horn"),
        ("horn AND valve OR (NOT midnight)", "fog-horn"),
        ("fog* NEAR/valve horn^ -stutters", "fog-horn"),
        ("灯塔", "lamp"),
        ("👩‍💻", "lamp"),
        ("cafe brown", "lamp"),
        ("stuterring", "fog-horn"),
    ],
)
def test_any_text_is_a_query(tools: SessionTools, query: str, session: str) -> None:
    assert ids(ask(tools, query=query))[0] == session


@pytest.mark.parametrize("query", [" ", "\n", "'", '"', "((", "*", "\\", "\x00", "\ud800", "zzzz-not", "%", "AND"])
def test_a_query_without_a_match_is_answered(tools: SessionTools, query: str) -> None:
    answer = ask(tools, query=query)
    assert answer["success"]
    assert answer["mode"] == "discovery"


def test_a_long_query_is_searched_by_its_most_telling_words(tools: SessionTools) -> None:
    answer = ask(tools, query="of the and " * 500 + "fog horn")
    assert answer["success"]
    assert answer["results"][0]["session_id"] == ask(tools, query="fog horn")["results"][0]["session_id"]


FORGIVEN: list[dict[str, Any]] = [{"window": None}, {"limit": 2.5}]
ODD: list[dict[str, Any]] = [
    *({"limit": 0}, {"limit": -1}, {"limit": "many"}, {"limit": True}, {"limit": 10**30}),
    *({"window": -1}, {"window": 10**9}),
    *FORGIVEN,
]
WRONG: list[dict[str, Any]] = [{"query": 5}, {"session_id": ["x"]}]  # without them, more would be searched


@pytest.mark.parametrize("args", ODD)
def test_a_value_without_use_is_replaced_and_told(tools: SessionTools, args: dict[str, Any]) -> None:
    answer = ask(tools, **{"query": "fog horn", **args})
    assert answer["success"]
    if args not in FORGIVEN:
        assert any(next(iter(args)) in warning for warning in answer["warnings"])


@pytest.mark.parametrize("args", [*WRONG, {"session_prefix": 5}])
def test_a_value_of_a_wrong_type_is_refused_where_more_would_be_searched(folder: Path, args: dict[str, Any]) -> None:
    answer = RecallTools(Recall(open_sources(folder))).call("session_search", {"query": "fog horn", **args})
    (name,) = args
    assert (answer["ok"], answer["error_category"]) == (False, f"wrong_type:{name}")
    assert answer["error"].startswith(f"{name} must be a string, not ")


@pytest.mark.parametrize("name", ["scoring", "generation", "session_prefix", "budget_ms"])
def test_a_schema_refuses_what_the_original_lacks(folder: Path, name: str) -> None:
    given = {"query": "fog horn", name: [5]}
    refused = RecallTools(Recall(open_sources(folder))).call("session_search", given, mode="schema")
    assert refused["rejected_params"] == [name]


@pytest.mark.parametrize(("session", "message"), [("sessionId", "aroundMessageId"), ("sessionID", "aroundMessageID")])
def test_arguments_in_camel_case(folder: Path, session: str, message: str) -> None:
    host = RecallTools(Recall(open_sources(folder)))
    answer = host.call("session_search", {session: "fog-horn", message: "999", "window": 0})
    assert (answer["mode"], [each["index"] for each in answer["messages"]]) == ("scroll", [5])
    assert answer["warnings"][0].startswith(f"{message} must be")
    assert host.call("session_search", {"sessionPrefix": "ana:"})["total_found"] == 1


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"scoring": "x"}, ValueError),
        ({"generation": "g2"}, ValueError),
        ({"session_prefix": 5}, TypeError),
        ({"histories": "/srv/history"}, TypeError),
        ({"histories": praisonai.RecallSessionStore("sessions", cache=None)}, TypeError),
        ({"store": 5}, TypeError),
        ({"workspace": "/srv/sessions"}, TypeError),
        ({"workspace": Path("sessions")}, TypeError),
    ],
)
def test_what_the_tool_cannot_use_is_refused_at_once(given: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        SessionTools(**given)
    with pytest.raises(error):
        create_session_tools(**given)


def test_a_store_in_the_first_place_is_the_store(folder: Path) -> None:
    store = praisonai.RecallSessionStore(folder, cache=None, session_prefix="ana:")
    for tools in (SessionTools(store), SessionTools(None, store), create_session_tools(store)):
        assert ids(ask(tools)) == ["ana:harbour"]
    for wrong in ({"store": store}, {"histories": Recall([])}, {"session_prefix": "ben:"}, {"scoring": "praisonai"}):
        with pytest.raises(TypeError):
            SessionTools(store, **wrong)
    with pytest.raises(TypeError, match="histories="):
        SessionTools(Recall([]))


@pytest.mark.parametrize("args", [odd for odd in [*ODD, *WRONG] if odd not in FORGIVEN])
def test_a_strict_tool_refuses_it(folder: Path, args: dict[str, Any]) -> None:
    strict = SessionTools(histories=Recall(open_sources(folder)), strict=True)
    answer = ask(strict, **{"query": "fog horn", **args})
    assert not answer["success"]
    assert next(iter(args)) in answer["error"]
    assert ask(strict, query="fog horn")["success"]


@pytest.mark.parametrize("scoring", ["recall", "praisonai"])
@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_one_warning(tmp_path: Path, name: str, scoring: str) -> None:
    folder = write_folder(tmp_path / "sessions")
    whole = ids(ask(SessionTools(histories=Recall(open_sources(folder)), scoring=scoring), query="fog horn"))
    (folder / name).write_bytes(DAMAGED[name])
    tools = SessionTools(histories=Recall(open_sources(folder)), scoring=scoring)
    answer = ask(tools, query="fog horn")
    assert [each for each in ids(answer) if each != name.removesuffix(".json")] == whole
    if (name, scoring) == ("bytes.json", "recall"):  # read with a replacement for its one bad byte: nothing is lost
        assert "bytes" in ids(answer)
    else:
        (told,) = answer["warnings"]
        assert name in told
    assert ask(tools)["success"]


def test_many_damaged_files_are_few_warnings(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "sessions")
    for number in range(20):
        (folder / f"bad{number}.json").write_text("[]")
    answer = ask(SessionTools(histories=Recall(open_sources(folder))), query="fog horn")
    assert len(answer["warnings"]) == 5
    assert "16 more" in answer["warnings"][-1]


def test_a_snippet_is_cut_on_both_sides(tmp_path: Path) -> None:
    from tests.fixtures.make_chat_stores import praison, write_session
    from tests.support.frontends.praison_folder import said

    folder = tmp_path / "sessions"
    folder.mkdir()
    long = f"{'gulls and terns ' * 60}the copper   lantern\n protocol is here {'waves and foam ' * 60}"
    write_session(folder, praison("long", said(long, "that is all")))
    answer = ask(SessionTools(histories=Recall(open_sources(folder))), query="copper lantern protocol")
    snippet = answer["results"][0]["snippet"]
    assert "copper lantern protocol" in snippet
    assert snippet.startswith("…")
    assert snippet.endswith("…")
    assert len(snippet) <= 122


def test_sessions_of_other_agents_are_numbered_too() -> None:
    for scoring in ("recall", "praisonai"):
        tools = SessionTools(histories=Recall([Invented()]), scoring=scoring)
        hit = ask(tools, query="gauge drift noon")["results"][0]
        assert hit["session_id"] == TIDES.id
        assert hit["messages"][0]["timestamp"] == TIDES.messages[0].time / 1000
        read = ask(tools, session_id=TIDES.id, around_message_id=0, window=0)
        assert read["messages"][0]["content"] == "Why does the tide gauge drift after noon?"
    assert (
        ask(SessionTools(histories=Recall([Invented()])), session_id=TIDES.id, around_message_id="tt4", window=0)[
            "messages"
        ][0]["index"]
        == 3
    )


def test_a_search_that_runs_out_of_time_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    histories = Recall(open_sources(folder))
    late = replace(histories.search("fog horn", group="session"), degrade_kind="time", degrade_kinds=("time",))
    monkeypatch.setattr(histories, "search", lambda *_, **__: late)
    answer = ask(SessionTools(histories=histories), query="fog horn")
    assert answer["partial"] is True
    assert "time budget" in answer["warnings"][0]


def test_the_budget_reaches_the_search(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    histories = Recall(open_sources(folder))
    seen: dict[str, Any] = {}
    whole = histories.search("fog horn", group="session")
    monkeypatch.setattr(histories, "search", lambda *_, **options: seen.update(options) or whole)
    RecallTools(histories).call("session_search", {"query": "fog horn", "budget_ms": 40})
    assert (seen["budget_ms"], seen["width"], seen["group"]) == (40, 120, "session")


def test_reading_changes_nothing(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    tools = SessionTools(histories=Recall(open_sources(folder)))
    ask(tools, query="fog horn")
    ask(tools, session_id="fog-horn")
    ask(tools)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


class BrokenStore:
    """A store of somebody else whose disk is gone."""

    def search(self, query: str, *, limit: int = 5, window: int = 5) -> list[Any]:
        raise RuntimeError("disk gone")

    def window(self, session_id: str, around_message_id: str | None = None, *, window: int = 5) -> list[Any]:
        raise RuntimeError("disk gone")

    def recent(self, *, limit: int = 10) -> list[Any]:
        raise RuntimeError("disk gone")


@pytest.mark.parametrize(
    ("args", "mode", "session"),
    [({"query": "q"}, "discovery", None), ({"session_id": "s"}, "scroll", "s"), ({}, "browse", None)],
)
def test_an_error_of_a_store_is_an_answer(args: dict[str, str], mode: str, session: str | None) -> None:
    assert ask(create_session_tools(store=BrokenStore()), **args) == {
        "success": False,
        "tool": "session_search",
        "mode": mode,
        "session_id": session,
        "error": "RuntimeError: disk gone",
        "hint": "Verify store availability and parameters (query/session_id/window/limit).",
    }


def test_an_error_of_ours_is_an_answer_in_that_form(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    histories = Recall(open_sources(folder))

    def gone(*_: Any, **__: Any) -> None:
        raise RuntimeError("disk gone")

    monkeypatch.setattr(histories, "search", gone)
    assert ask(SessionTools(histories=histories), query="q")["error"] == "RuntimeError: disk gone"


def test_no_history_at_all_is_told() -> None:
    answer = ask(SessionTools(histories=Recall([])), query="fog")
    assert answer["results"] == []
    assert "no history" in answer["warnings"][0]


def test_a_host_gets_the_answer_as_values_or_in_the_documented_form(folder: Path) -> None:
    host = RecallTools(Recall(open_sources(folder)))
    snake = host.call("session_search", {"query": "fog horn", "limit": 1})
    assert (snake["ok"], snake["total_exact"], snake["total_found"]) == (True, True, 2)
    documented = host.call("session_search", {"query": "fog horn", "limit": 1}, wire="camel")
    assert list(documented) == ["success", "mode", "query", "total_found", "results"]
    refused = host.call("session_search", {"limit": "many"}, wire="camel", mode="schema")
    assert list(refused) == ["success", "tool", "mode", "session_id", "error", "hint"]


@pytest.mark.parametrize(
    "function", [session_search.session_search, praisonai.session_search], ids=["any", "praisonai"]
)
def test_the_functions_are_described_to_models_as_the_method_is(
    function: Callable[..., str], tools: SessionTools
) -> None:
    method = tools.session_search
    assert inspect.isfunction(function)
    assert inspect.signature(function) == inspect.signature(method)
    assert get_type_hints(function) == get_type_hints(method)
    assert function.__doc__ == method.__doc__
    assert "around_message_id: The number of the message" in str(function.__doc__)
    assert function.__name__ == "session_search"
    assert pickle.loads(pickle.dumps(function)) is function
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        function(quary="fog horn")
