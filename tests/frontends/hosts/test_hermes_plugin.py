"""The plugin for Hermes, loaded as Hermes does it, with a stand-in of Hermes and, mostly, of recall-rank."""

from __future__ import annotations

import atexit
import importlib.util
import json
import logging
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from recall_rank.frontends.hosts.every_host import HOSTS
from recall_rank.frontends.hosts.host import Launch
from recall_rank.frontends.hosts.install import install, plan_install, plan_uninstall, uninstall
from recall_rank.frontends.tools.untrusted_text import NOTICE, TRUST
from recall_rank.model.recalled_text import NUDGE
from tests.frontends.hosts import plugin_tools

CHILD = """import json, os, pathlib, sys
assert sys.argv[1:] == ["batch", "--live", "--calls", "-", "--out", "-"]
calls = pathlib.Path(__file__).with_name("calls")
for line in sys.stdin:
    with calls.open("a") as file:
        file.write(line)
    call = json.loads(line)
    args = call.get("args", {})
    if "cancel" in call or args.get("query") == "wait":
        continue
    if args.get("query") == "die":
        os._exit(3)
    output = {"ok": True, "asked": call["tool"]}
    if args.get("query") == "refused":
        output = {"ok": False, "error": "no"}
    elif call["tool"] == "hook:auto_recall":
        parts = args["parts"]
        output["parts"] = parts + ([{"text": "<recall-auto>"}] if "last time" in parts[0]["text"] else [])
    elif call["tool"] == "session_search":
        message = {"index": 3, "role": "user", "content": "we take amber", "timestamp": 1.0, "archived": False}
        first = {**message, "index": 0, "content": "hello"}
        hit = {"title": "t", "when": "w", "snippet": "amber", "score": 0.5, "anchor_index": 3, "messages": [message]}
        hit["bookends"] = {"opening": [first, message], "closing": []}
        found = [{"session_id": each, **hit} for each in ("asking", "one", "two", "three", "four")]
        output |= {"mode": "discovery", "query": args.get("query"), "results": found[: args.get("limit", 5)]}
        if "around_message_id" in args:
            output |= {"mode": "scroll", "session_id": args["session_id"], "messages": [message]}
            output["around_message_id"] = args["around_message_id"]
    print(json.dumps({"id": call["id"], "output": output}), flush=True)
"""


class Hermes:
    """A stand-in of what Hermes hands to a plugin, and of its own session_search."""

    def __init__(self, module: ModuleType, calls: Path) -> None:
        self.tools: dict[str, dict[str, Any]] = {}
        self.middleware: dict[str, Callable[..., Any]] = {}
        self.hooks: dict[str, Callable[..., Any]] = {}
        self._calls = calls
        module.register(self)

    def register_tool(self, name: str, toolset: str, schema: Any, handler: Any, *, check_fn: Any) -> None:
        self.tools[name] = {"toolset": toolset, "schema": schema, "handler": handler, "check": check_fn}

    def register_middleware(self, kind: str, callback: Callable[..., Any]) -> None:
        self.middleware[kind] = callback

    def register_hook(self, name: str, callback: Callable[..., Any]) -> None:
        self.hooks[name] = callback

    def tool(self, name: str, **args: Any) -> Any:
        """Call a tool of the plugin."""
        return json.loads(self.tools[name]["handler"](args, session_id="asking", task_id="t", user_task=None))

    def search(self, own: object = None, **args: Any) -> Any:
        """Call session_search as Hermes does; `own` is what its own tool answers."""
        answer = self.middleware["tool_execution"](
            tool_name="session_search",
            args=args,
            original_args=args,
            next_call=lambda _: json.dumps(own or {"success": True, "own": True}),
            session_id="asking",
            turn_id="",
        )
        return json.loads(answer)

    def turn(self, text: str, *, first: bool = False) -> Any:
        """Begin a turn."""
        return self.hooks["pre_llm_call"](session_id="asking", user_message=text, is_first_turn=first, model="m")

    def calls(self) -> list[dict[str, Any]]:
        """Return the calls that reached the stand-in of recall-rank."""
        return [json.loads(line) for line in self._calls.read_text().splitlines()]


Load = Callable[..., Hermes]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """A function that installs the plugin with a program, and loads it as Hermes does."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("RECALL_RANK_CURATOR", "TERMINAL_CWD"):
        monkeypatch.delenv(name, raising=False)
    loaded: list[str] = []
    ends: list[Callable[[], None]] = []
    monkeypatch.setattr(atexit, "register", ends.append)

    def run(
        program: tuple[str, ...] = (), *, families: tuple[str, ...] = (), hooks: bool = True, **options: Any
    ) -> Hermes:
        (tmp_path / "child.py").write_text(CHILD)
        host = HOSTS["hermes"]
        launch = Launch(program or (sys.executable, str(tmp_path / "child.py")), families)
        install(plan_install(host, host.user({}, tmp_path), launch, "1", hooks=hooks))
        monkeypatch.setenv("RECALL_RANK_HERMES", json.dumps(options))
        folder = tmp_path / ".hermes/plugins/recall_rank"
        name = f"hermes_plugin_{len(loaded)}_of_test"
        place = str(folder)
        spec = importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[place])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        loaded.append(name)
        spec.loader.exec_module(module)
        return Hermes(module, tmp_path / "calls")

    yield run
    for end in ends:
        end()
    for each in list(sys.modules):
        if each.startswith(tuple(loaded) or "-"):
            del sys.modules[each]


def test_the_tools_are_registered_with_their_schemas(load: Load) -> None:
    hermes = load()
    assert list(hermes.tools) == [*plugin_tools.NAMES, "session_recall"]
    written = json.loads(plugin_tools.HERMES_TABLE.read_text())
    assert written == json.loads(json.dumps(plugin_tools.hermes_table()))
    assert hermes.tools["recall"]["schema"] == written["families"]["recall"]["recall"]
    assert {each["toolset"] for each in hermes.tools.values()} == {"recall_rank"}
    assert list(load(families=("session_search",)).tools) == []
    assert load(families=("recall",)).middleware == {}


def test_a_call_tells_the_session_and_leaves_out_its_own_messages(load: Load, tmp_path: Path) -> None:
    hermes = load(families=("recall",))
    answer = hermes.tool("recall", query="amber")
    assert (answer["trust"], answer["notice"], answer["asked"]) == (TRUST, NOTICE, "recall")
    hermes.tool("recall", query="amber", scope="session")
    hermes.tool("recall_messages", limit=5)
    calls = hermes.calls()
    assert [each["context"]["session_id"] for each in calls] == ["asking"] * 3
    assert calls[0]["context"]["directory"] == str(Path.cwd())
    assert calls[0]["args"] == {"query": "amber", "exclude_session_ids": ["asking"]}
    assert calls[1]["args"] == {"query": "amber", "scope": "session"}
    assert hermes.tool("recall", query="refused") == {"error": "recall-rank: no"}


def test_session_search_is_answered_in_the_form_of_hermes(load: Load) -> None:
    hermes = load()
    answer = hermes.search(query="amber", limit="2")
    assert (answer["success"], answer["mode"], answer["query"], answer["count"]) == (True, "discover", "amber", 2)
    assert [each["session_id"] for each in answer["results"]] == ["one", "two"]  # not the session that asks
    hit = answer["results"][0]
    assert hit["match_message_id"] == 3
    assert [(each["id"], each.get("anchor")) for each in hit["messages"]] == [(3, True)]
    assert [each["content"] for each in hit["bookend_start"]] == ["hello"]
    scrolled = hermes.search(session_id="one", around_message_id=3, window=50)
    assert (scrolled["mode"], scrolled["messages"][0]["id"]) == ("scroll", 3)
    assert hermes.calls()[-1]["args"] == {"session_id": "one", "around_message_id": "3", "window": 10}
    # A search in the session that asks is what was asked for.
    assert hermes.search(query="amber", session_id="asking")["results"][0]["session_id"] == "asking"


@pytest.mark.parametrize("args", [{"sort": "newest"}, {"role_filter": "tool"}, {"profile": "work"}])
def test_what_only_hermes_can_answer_stays_its_own(load: Load, args: dict[str, str]) -> None:
    assert load().search(query="amber", **args) == {"success": True, "own": True}


def test_a_whole_session_is_read_by_hermes_unless_it_has_none(load: Load) -> None:
    hermes = load()
    assert hermes.search(session_id="one") == {"success": True, "own": True}
    assert hermes.search({"success": False, "error": "not found"}, session_id="one")["trust"] == TRUST
    refused = {"success": False, "error": "not found"}
    assert hermes.search(refused, query="refused") == refused


def test_other_tools_are_left_alone(load: Load) -> None:
    serve = load().middleware["tool_execution"]
    assert serve(tool_name="terminal", args={"query": "x"}, next_call=lambda args: ("own", args)) == (
        "own",
        {"query": "x"},
    )


def test_the_hooks_add_the_reminder_and_what_was_found(load: Load) -> None:
    hermes = load(autoRecall=True)
    assert hermes.tools["recall"]["check"]() is True  # Hermes asks before a conversation: that starts the program
    for _ in range(500):
        found = hermes.turn("as last time", first=True)
        if "recall-auto" in found["context"]:
            break
        time.sleep(0.01)
    assert found == {"context": f"{NUDGE}\n\n<recall-auto>"}
    assert hermes.turn("new work") is None
    assert hermes.turn([{"type": "image"}]) is None  # type: ignore[arg-type]
    assert load(hooks=False).turn("as last time", first=True) is None


def test_auto_recall_keeps_the_host_waiting_for_its_deadline_only(load: Load, tmp_path: Path) -> None:
    (tmp_path / "silent.py").write_text("import sys\nfor line in sys.stdin: pass\n")
    hermes = load((sys.executable, str(tmp_path / "silent.py")), autoRecall=True)
    times = []
    for _ in range(5):
        began = time.monotonic()
        assert hermes.turn("as last time") is None
        times.append(time.monotonic() - began)
    assert sorted(times)[2] < 1.0  # 45 ms, on a machine that does something else as well


def test_a_program_that_ends_is_started_again(load: Load, caplog: pytest.LogCaptureFixture) -> None:
    hermes = load()
    with caplog.at_level(logging.WARNING):
        lost = hermes.tool("recall", query="die")
    assert lost == {"error": "recall-rank: recall-rank is not running: it ended with 3"}
    assert len(caplog.messages) == 1
    assert hermes.tool("recall", query="amber")["ok"] is True


def test_without_a_program_hermes_answers_itself(load: Load, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        hermes = load(("/nowhere/recall-rank",))
        assert hermes.search(query="amber") == {"success": True, "own": True}
    assert len([each for each in caplog.messages if "it is not running" in each]) == 1
    assert "No such file" in hermes.tool("recall", query="amber")["error"]


def test_a_program_that_says_nothing_is_told_and_ended(load: Load) -> None:
    hermes = load(callSeconds=0.2)
    assert hermes.tool("recall", query="wait") == {"error": "recall-rank: recall-rank took too long"}
    assert hermes.search(query="wait") == {"success": True, "own": True}


def test_session_search_finds_in_real_histories(load: Load, tmp_path: Path) -> None:
    (tmp_path / ".claude/projects").mkdir(parents=True)
    history = tmp_path / "history.jsonl"
    shutil.copy(plugin_tools.PACKAGE / "frontends/demo/history.jsonl", history)
    program = tmp_path / "program.py"
    program.write_text(
        f"import sys\nfrom recall_rank.__main__ import main\n"
        f"sys.argv = ['recall-rank', *sys.argv[1:], '--history', {str(history)!r}]\nmain()\n"
    )
    hermes = load((sys.executable, str(program)))
    answer = hermes.search(query="token bucket")
    assert answer["trust"] == TRUST
    hit = answer["results"][0]
    content = next(each["content"] for each in hit["messages"] if each.get("anchor"))
    read = hermes.search(session_id=hit["session_id"], around_message_id=hit["match_message_id"], window=1)
    assert content in [each["content"] for each in read["messages"] if each["id"] == hit["match_message_id"]]


def test_uninstall_takes_what_python_compiled_too(load: Load, tmp_path: Path) -> None:
    load()
    folder = tmp_path / ".hermes/plugins/recall_rank"
    (folder / "__pycache__").mkdir(exist_ok=True)
    (folder / "__pycache__/session_form.cpython-311.pyc").write_bytes(b"")
    host = HOSTS["hermes"]
    uninstall(plan_uninstall(host, host.user({}, tmp_path)))
    assert not (tmp_path / ".hermes").exists()
