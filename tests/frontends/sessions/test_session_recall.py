"""session_recall as a library and as a tool: its statuses, its forms, bad input, and curators that misbehave."""

from __future__ import annotations

import inspect
import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.curators.curator import CuratorCancelledError, CuratorError
from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.tools import session_recall as library
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.tools.session_recall import SessionRecallTools, create_session_recall_tools
from recall_rank.loaders import open_sources
from recall_rank.model import Context
from recall_rank.recall import Recall
from tests.support.frontends.curators import Told, without_curators
from tests.support.frontends.stub_model import TextModel, serving_text
from tests.support.frontends.tallow_home import LONG, SECRET, TREE, write_home

CURATED = "Decision: sort furnace ids before locking them."
WANTED = "the decision how to order locks"
RAW = ("delivery order", "docs/locks.md", "KilnError", "Raising the timeout")


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> Recall:
    return Recall(open_sources(write_home(tmp_path_factory.mktemp("home"))))


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_curators(monkeypatch, tmp_path)


def ask(histories: Recall, curator: Any, query: str = "furnace locks", **args: Any) -> dict[str, Any]:
    tools = SessionRecallTools(histories, curator=curator)
    found: dict[str, Any] = json.loads(tools.session_recall(query, args.pop("looking_for", WANTED), **args))
    return found


def call(histories: Recall, curator: Any, args: Any, **more: Any) -> dict[str, Any]:
    return RecallTools(histories, curator=curator).call("session_recall", args, **more)


def test_only_what_the_curator_picks_is_returned(histories: Recall) -> None:
    told = Told(CURATED)
    answer = ask(histories, told)
    (task,) = told.tasks
    sessions = len({turn.session_id for turn in task.results})
    assert answer.pop("warnings") == ["1 note about sources: see recall-rank sources"]  # on what the fork copied
    assert answer.pop("warning_categories") == ["source"]
    assert answer == {
        "status": "found",
        "text": CURATED,
        "details": {
            "query": "furnace locks",
            "match_count": len(task.results),
            "session_count": sessions,
            "curator": "told",
        },
    }
    assert (task.query, task.looking_for) == ("furnace locks", WANTED)
    assert "delivery order" in "".join(turn.matched for turn in task.results)


def test_at_most_fifteen_turns_go_to_a_curator(tmp_path: Path) -> None:
    from tests.fixtures.make_fixtures import lines
    from tests.fixtures.make_pi import Tree, file_name
    from tests.support.frontends.tallow_home import BRICK, exchange

    folder = tmp_path / ".tallow" / "sessions"
    folder.mkdir(parents=True)
    for number in range(40):
        session = f"019e0000-0000-7000-8000-{number:012}"
        tree = Tree(session, BRICK)
        exchange(tree, f"pelican number {number}", f"Counted pelican {number}.")
        (folder / file_name(session)).write_bytes(lines(tree.records))
    told = Told("x")
    answer = ask(Recall(open_sources(tmp_path / ".tallow")), told, "pelican")
    assert len(told.tasks[0].results) == 15
    assert (answer["details"]["match_count"], answer["details"]["session_count"]) == (15, 15)


def test_nothing_found_needs_no_curator(histories: Recall) -> None:
    told = Told(CURATED)
    answer = ask(histories, told, "qqqqzzzz", project="lamp-room", date_from="2020", date_to="March 4, 2021")
    assert answer["status"] == "empty"
    assert answer["text"].startswith(
        'No past conversation matches "qqqqzzzz" in project "lamp-room" from "2020" to "March 4, 2021".'
    )
    assert answer["details"] == {"query": "qqqqzzzz", "match_count": 0, "session_count": 0}
    assert told.tasks == []


def test_a_machine_without_histories_says_so() -> None:
    answer = ask(Recall([]), Told(CURATED))
    assert (answer["status"], answer["text"]) == ("empty", "No history was found: nothing could be searched.")


def test_without_a_curator_the_answer_has_counts_and_how_to_set_one(histories: Recall) -> None:
    answer = ask(histories, None)
    assert answer["status"] == "no_curator"
    assert "turn" in answer["text"]
    assert "RECALL_RANK_CURATOR" in answer["text"]
    assert answer["details"]["match_count"] > 0
    assert "curator" not in answer["details"]
    assert not any(raw in json.dumps(answer) for raw in RAW)


@pytest.mark.parametrize("name", ["nonsense", "command:/nowhere/at/all", "sampling", "llm:no-such-model", "command:"])
def test_a_curator_that_cannot_be_had_is_told(histories: Recall, name: str) -> None:
    answer = ask(histories, name)
    assert answer["status"] == "no_curator"
    assert not any(raw in json.dumps(answer) for raw in RAW)


@pytest.mark.parametrize(
    "bad",
    [
        CuratorError("it fell asleep"),
        ValueError("furnaces were locked in delivery order"),
        "",
        " \n\t",
        "x" * 10_000_000,
        lambda _: 7,
    ],
    ids=["error", "defect", "nothing", "blank", "flood", "number"],
)
def test_a_curator_that_fails_shows_no_history(histories: Recall, bad: Any) -> None:
    answer = ask(histories, Told(bad))
    assert answer["status"] == "curator_failed"
    assert answer["details"]["curator"] == "told"
    assert 'with the curator "extractive" (in a shell, --curator extractive)' in answer["text"]
    assert not re.search(r"\.[.:]", answer["text"])
    assert len(json.dumps(answer)) < 2_000
    assert not any(raw in json.dumps(answer) for raw in RAW)


def test_a_curator_that_finds_nothing_says_so(histories: Recall) -> None:
    answer = ask(histories, Told("Nothing relevant was found."))
    assert answer["status"] == "nothing_relevant"
    assert f'"{WANTED}"' in answer["text"]
    assert not any(raw in json.dumps(answer) for raw in RAW)


def test_extractive_returns_passages_word_for_word_when_it_is_named(histories: Recall) -> None:
    answer = ask(histories, "extractive", looking_for="the decision to sort furnace ids before locking")
    assert (answer["status"], answer["details"]["curator"]) == ("found", "extractive")
    assert "Decision: sort furnace ids before locking them." in answer["text"]
    named = call(histories, Told("not asked"), {"query": "furnace", "looking_for": WANTED, "curator": "extractive"})
    assert named["details"]["curator"] == "extractive"


def test_no_argument_can_name_a_program_or_a_model(histories: Recall, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for name in (f"command:touch {mark}", "llm", "llm:gpt-4o", "sampling", 7):
        told = Told(CURATED)
        answer = call(histories, told, {"query": "furnace", "looking_for": WANTED, "curator": name})
        assert (answer["status"], answer["details"]["curator"]) == ("found", "told")
    assert not mark.exists()


def test_the_setting_names_the_curator(histories: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_RANK_CURATOR", "extractive")
    assert ask(histories, None)["details"]["curator"] == "extractive"
    assert ask(histories, Told(CURATED))["details"]["curator"] == "told"


def test_secrets_reach_neither_curator_nor_caller(histories: Recall) -> None:
    told = Told(lambda task: "\n".join(turn.matched for turn in task.results))
    answer = ask(histories, told, "deploy the beacon with the token")
    assert answer["status"] == "found"
    assert SECRET not in repr(told.tasks)
    assert SECRET not in json.dumps(answer)
    inventing = Told(f"the token is {SECRET}")
    assert SECRET not in json.dumps(ask(histories, inventing, "deploy the beacon"))
    unredacted = RecallTools(histories, options=HostOptions(redact=False), curator=told)
    unredacted.call("session_recall", {"query": "deploy the beacon with the token", "looking_for": WANTED})
    assert SECRET not in repr(told.tasks[-1])


def test_the_current_session_is_left_out(histories: Recall) -> None:
    told = Told(CURATED)
    tools = create_session_recall_tools(histories, curator=told, context=Context(session_id=TREE))
    json.loads(tools.session_recall("fresnel lens", "the lens that was chosen"))
    assert all(turn.session_id != TREE for task in told.tasks for turn in task.results)
    tools = SessionRecallTools(histories, curator=told, context=Context(session_id=LONG))
    tools.session_recall("heliograph", "the cause")
    assert {turn.message_id for turn in told.tasks[-1].results if turn.session_id == LONG} <= {
        message.id for message in histories.transcript(LONG).messages[:2]
    }


def test_a_project_that_is_not_the_callers_shows_nothing_with_global_off(histories: Recall) -> None:
    told = Told(CURATED)
    options = HostOptions(global_=False)
    here = Context(directory="/srv/boats/lamp-room", worktree="/srv/boats/lamp-room")
    tools = RecallTools(histories, options=options, context=here, curator=told)
    tools.call("session_recall", {"query": "furnace lens kiln", "looking_for": WANTED})
    assert {turn.project for task in told.tasks for turn in task.results} <= {"lamp-room"}


KEY = "sk-" + "proj-Qm7vX2pLr9TzB4cWn8Ys" * 2


@pytest.mark.parametrize(
    "told", ["found", "Nothing relevant was found.", CuratorError("asleep"), None, "empty", "error"]
)
def test_a_secret_in_the_call_is_neither_sent_nor_shown(histories: Recall, told: Any) -> None:
    curator = Told(CURATED if told in ("found", "empty", "error") else told) if told else None
    words = "qqqqzzzz" if told == "empty" else "furnace locks"
    padding = "x " * 90  # a text of an answer is cut at 200 characters
    args = {
        "query": f"{words} {padding}{KEY}",
        "looking_for": "" if told == "error" else f"{padding}where {KEY} was used",
        "project": KEY if told == "empty" else "",
    }
    shown = [call(histories, curator, args, wire=wire, options=HostOptions(redact=True)) for wire in ("snake", "camel")]
    shown.append(SessionRecallTools(histories, curator=curator).answer(args))
    if told == "error":
        assert shown[0].pop("error_category") == "looking_for_required"
    for answer in shown:
        assert KEY[:12] not in json.dumps(answer)
    tasks = curator.tasks if curator else []
    assert len(tasks) == (0 if told in (None, "empty", "error") else 3)
    assert all(KEY[:12] not in repr(task) and "[redacted" in task.query for task in tasks)
    if told == "found":
        assert "[redacted" in task_query(shown[1])
        unredacted = call(histories, curator, args, options=HostOptions(redact=False))
        assert unredacted["details"]["query"] == args["query"]
        assert KEY in curator.tasks[-1].looking_for


def task_query(answer: dict[str, Any]) -> str:
    """The query in the details of an answer."""
    return str(answer["details"]["query"])


def test_a_curator_that_raises_the_turn_it_read_shows_none_of_it(histories: Recall) -> None:
    def quoting(task: Any) -> str:
        raise CuratorError(task.results[0].matched.upper() * 9)

    answer = ask(histories, Told(quoting))
    assert answer["status"] == "curator_failed"
    assert len(answer["text"]) < 600
    assert not any(raw.upper() in json.dumps(answer).upper() for raw in RAW)


def test_the_name_of_a_curator_is_one_short_line(histories: Recall) -> None:
    told = Told(CURATED)
    told.name = "a\x1b[1m\nb" * 100
    name = ask(histories, told)["details"]["curator"]
    assert name.isprintable()
    assert len(name) == 80


def test_each_argument_is_described_on_one_line() -> None:
    described = inspect.getdoc(SessionRecallTools.session_recall) or ""
    lines = described.partition("Args:\n")[2].partition("\n\n")[0].splitlines()
    names = [line.strip().partition(":")[0] for line in lines]
    assert names == list(inspect.signature(SessionRecallTools.session_recall).parameters)[1:]
    (wanted,) = (line for line in lines if line.strip().startswith("looking_for:"))
    assert re.search(r'Good: "[^"]+"\. Too vague: "[^"]+"\.$', wanted)


@pytest.mark.parametrize(
    ("args", "category"),
    [
        ({}, "query_required"),
        ({"query": "", "looking_for": WANTED}, "query_required"),
        ({"query": "  ", "looking_for": WANTED}, "query_required"),
        ({"query": 7, "looking_for": WANTED}, "query_required"),
        ({"query": "furnace"}, "looking_for_required"),
        ({"query": "furnace", "looking_for": " "}, "looking_for_required"),
        ({"query": "furnace", "looking_for": ["x"]}, "looking_for_required"),
        ({"query": "furnace", "looking_for": "x", "project": 3}, "wrong_type:project"),
        ({"query": "furnace", "looking_for": "x", "date_from": "2026-02", "date_to": "2026-01"}, "empty_time_window"),
        ([], "other"),
    ],
)
def test_what_cannot_be_served_is_refused_in_a_sentence(histories: Recall, args: Any, category: str) -> None:
    answer = call(histories, Told(CURATED), args)
    assert (answer["ok"], answer["status"], answer["error_category"]) == (False, "error", category)
    assert 10 < len(answer["error"]) < 300
    original = call(histories, Told(CURATED), args, wire="camel")
    assert original["isError"] is True
    assert original["content"][0]["text"].startswith("Session recall error: ")
    assert original["details"]["status"] == "error"


def test_an_argument_of_no_use_is_told_and_ignored(histories: Recall) -> None:
    args = {"query": "furnace", "looking_for": WANTED, "date_to": "whenever", "budget_ms": "x"}
    answer = call(histories, Told(CURATED), args)
    assert answer["status"] == "found"
    told = " ".join(answer["warnings"])
    assert all(name in told for name in ("date_to", "budget_ms"))
    assert "curator" not in told
    refused = call(histories, Told(CURATED), {**args, "curator": "command:cat"}, mode="schema")
    assert (refused["status"], refused["error_category"]) == ("error", "schema")
    assert refused["rejected_params"] == ["curator", "budget_ms"]


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"query": 5}, "query must be a string, not a number"),
        ({"query": ["a"]}, "query must be a string, not a list"),
        ({}, "query is missing"),
        ({"query": "a", "lookingFor": 5}, "lookingFor must be a string, not a number"),
        ({"query": "a"}, "looking_for is missing"),
    ],
)
def test_a_required_argument_is_told_by_what_it_is(histories: Recall, args: dict[str, Any], text: str) -> None:
    assert call(histories, Told(CURATED), args)["error"].startswith(text)


@pytest.mark.parametrize("curated", [CURATED, "Nothing relevant was found.", CuratorError("asleep")])
@pytest.mark.parametrize("query", ["furnace locks", "qqqqzzzz"])
def test_a_day_that_cannot_be_read_is_told_in_every_form(histories: Recall, query: str, curated: Any) -> None:
    args = {"query": query, "lookingFor": WANTED, "dateFrom": "2020", "dateTo": "whenever"}
    ours = call(histories, Told(curated), args)
    (told,) = [text for text in ours["warnings"] if "whenever" in text]
    assert told.startswith("Ignored dateTo: it must be")
    assert 'to "whenever"' not in ours["text"]
    original = call(histories, Told(curated), args, wire="camel")
    first, second = (entry["text"] for entry in original["content"])
    assert second == f"Note: {told}"
    assert "whenever" not in first
    assert query != "qqqqzzzz" or 'from "2020". Try' in first
    late = call(histories, Told(curated), {**args, "dateFrom": "2026-02", "dateTo": "2026-01"})
    assert "dateFrom='2026-02' is after dateTo=" in late["error"]


def test_no_advice_to_search_all_projects_where_the_host_forbids_it(histories: Recall) -> None:
    here = Context(directory="/srv/boats/lamp-room", worktree="/srv/boats/lamp-room")
    args = {"query": "qqqqzzzz", "looking_for": WANTED, "project": "lamp-room"}
    texts = [
        RecallTools(histories, options=HostOptions(global_=on), context=here).call("session_recall", args)["text"]
        for on in (True, False)
    ]
    assert ["all of them" in text for text in texts] == [True, False]


@pytest.mark.parametrize("given", [{"histories": "/srv/history"}, {"curator": 5}, {"curator": object()}])
def test_what_the_tool_cannot_use_is_refused_at_once(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(given))):
        create_session_recall_tools(**given)


@pytest.mark.parametrize(
    "query",
    [
        *("C++", "100%", "what's next", "error[E0502]", "src/beacon/main.cpp", '"unclosed', "foo-bar", "project:x"),
        *("AND", "NOT (", "furnace*", "灯台の点滅", "🚨", "\x00", "\ud800", "x" * 100_000, "NEAR(a b)"),
    ],
)
def test_any_text_is_a_query(histories: Recall, query: str) -> None:
    answer = call(histories, Told(CURATED), {"query": query, "looking_for": query})
    assert answer["ok"]
    assert answer["status"] in ("found", "empty")


@pytest.mark.parametrize(
    ("curator", "query", "status", "text"),
    [
        (Told(CURATED), "furnace locks", "found", CURATED),
        (Told("Nothing relevant was found."), "furnace locks", "found", "No relevant context found."),
        (Told(CuratorError("asleep")), "furnace locks", "fallback", "asleep"),
        (None, "furnace locks", "fallback", "RECALL_RANK_CURATOR"),
        (Told(CURATED), "qqqqzzzz", "empty", "No past conversation matches"),
    ],
)
def test_the_originals_form(histories: Recall, curator: Any, query: str, status: str, text: str) -> None:
    answer = call(histories, curator, {"query": query, "looking_for": WANTED}, wire="camel")
    (content,) = answer["content"]
    assert (list(answer), content["type"]) == (["content", "details"], "text")
    assert text in content["text"]
    details = answer["details"]
    assert (details["query"], details["status"]) == (query, status)
    assert (details["matchCount"] > 0) is (details["sessionCount"] > 0) is (status != "empty")
    assert ("curatorModel" in details) is (status == "found")


def test_a_damaged_file_is_a_warning(tmp_path: Path) -> None:
    histories = Recall(open_sources(write_home(tmp_path, damaged=True)))
    answer = ask(histories, Told(CURATED))
    assert answer["status"] == "found"
    assert sum("0000000000b0" in text for text in answer["warnings"]) == 1


def test_a_cancelled_call_ends_while_its_curator_works(histories: Recall) -> None:
    cancel = threading.Event()

    class Patient(Told):
        def curate(self, task: Any, *, seconds: float, cancelled: Callable[[], bool]) -> str:
            cancel.set()
            until = time.monotonic() + 10
            while not cancelled():
                assert time.monotonic() < until
            raise CuratorCancelledError("cancelled")

    tools = SessionRecallTools(histories, curator=Patient(CURATED))
    answer = tools.answer({"query": "furnace", "looking_for": WANTED}, cancel=cancel)
    assert (answer["status"], answer["text"]) == ("error", "aborted")


def test_a_curator_that_hangs_is_ended(histories: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    from recall_rank.frontends.tools.sessions import recall_call

    monkeypatch.setattr(recall_call, "CURATION_SECONDS", 0.3)
    started = time.monotonic()
    answer = ask(histories, "command:sleep 60")
    assert answer["status"] == "curator_failed"
    assert "did not answer within" in answer["text"]
    assert time.monotonic() - started < 50


def test_a_command_gets_the_turns_fenced_and_answers(histories: Recall) -> None:
    answer = ask(histories, "command:grep -o 'sort furnace ids'")
    assert (answer["status"], answer["text"].splitlines()[0]) == ("found", "sort furnace ids")
    assert answer["details"]["curator"] == "command grep"
    failed = ask(histories, "command:sh -c 'echo asleep >&2; exit 3'")
    assert failed["status"] == "curator_failed"
    flood = ask(histories, "command:yes raw")
    assert flood["status"] == "curator_failed"


def test_a_curator_that_copies_its_input_shows_nothing(tmp_path: Path) -> None:
    from tests.fixtures.make_fixtures import lines
    from tests.fixtures.make_pi import Tree, file_name
    from tests.support.frontends.tallow_home import BRICK, exchange

    folder = tmp_path / ".tallow" / "sessions"
    folder.mkdir(parents=True)
    for number in range(4):
        session = f"019e0000-0000-7000-8000-{number:012}"
        tree = Tree(session, BRICK)
        words = " ".join(f"pelican {number} observation {each} of the northern harbour wall" for each in range(40))
        exchange(tree, f"pelican number {number}", words)
        (folder / file_name(session)).write_bytes(lines(tree.records))
    answer = ask(Recall(open_sources(tmp_path / ".tallow")), "command:cat", "pelican harbour")
    assert answer["status"] == "curator_failed"
    assert "harbour wall" not in json.dumps(answer)


def test_the_function_searches_this_machine(histories: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Recall, "discover", lambda: histories)
    monkeypatch.setenv("RECALL_RANK_CURATOR", "extractive")
    library._everywhere.cache_clear()
    try:
        answer = json.loads(library.session_recall("fresnel lens", "the lens that reaches far", project="lamp-room"))
    finally:
        library._everywhere.cache_clear()
    assert "nine miles" in answer["text"]


def test_the_function_tells_programs_its_arguments() -> None:
    signature = inspect.signature(library.session_recall)
    assert [(each.name, each.default) for each in signature.parameters.values()] == [
        ("query", inspect.Parameter.empty), ("looking_for", inspect.Parameter.empty),
        ("project", ""), ("date_from", ""), ("date_to", ""),
    ]  # fmt: skip
    assert library.session_recall.__module__ == library.__name__
    told = inspect.getdoc(library.session_recall) or ""
    assert all(f"\n    {name}: " in told for name in signature.parameters)


def test_a_model_on_loopback_picks_what_is_returned(
    histories: Recall, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("llm")
    monkeypatch.setenv("LLM_LOAD_PLUGINS", "")
    monkeypatch.setenv("NO_PROXY", "*")
    folder = tmp_path / "llm"
    folder.mkdir()
    model = TextModel(CURATED)
    with serving_text(model) as address:
        entry = {"model_id": "claude-haiku-4.5", "model_name": "claude-haiku-4.5", "api_base": address}
        entry["api_key_name"] = "stub"
        (folder / "keys.json").write_text('{"stub": "k"}', encoding="utf-8")  # one in the environment does not count
        (folder / "extra-openai-models.yaml").write_text(json.dumps([entry]), encoding="utf-8")  # JSON is YAML
        answer = ask(histories, None)
    assert (answer["status"], answer["text"]) == ("found", CURATED)
    assert answer["details"]["curator"] == "llm claude-haiku-4.5"
    assert "delivery order" in model.prompt
    assert not any(raw in json.dumps(answer) for raw in RAW)


def test_no_exception_leaves_a_call() -> None:
    class Broken:
        found = 1

        def search(self, *_: object, **__: object) -> object:
            raise RuntimeError("disk on fire")

    answer = json.loads(SessionRecallTools(Broken(), curator="extractive").session_recall("x", "y"))  # type: ignore[arg-type]
    assert answer["status"] == "error"
    assert "disk on fire" in answer["text"]
