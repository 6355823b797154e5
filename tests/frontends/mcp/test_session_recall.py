"""session_recall over MCP with the client of the SDK: schema, fences, the client's own model, and its refusals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp
import mcp_types as types
import pytest

import recall_rank
from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.mcp import server as mcp_server
from recall_rank.frontends.mcp.background_reading import BackgroundHistories
from recall_rank.frontends.mcp.server import RecallServer
from recall_rank.frontends.tools.sessions import recall_call
from recall_rank.loaders import open_sources
from recall_rank.model import Context
from recall_rank.recall import Recall
from tests.support.frontends.curators import Told, without_curators
from tests.support.frontends.ends import ended, gone, soon
from tests.support.frontends.served_frames import INITIALIZE, INITIALIZED
from tests.support.frontends.tallow_home import LONG, SECRET, write_home

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")

CURATED = "Decision: sort furnace ids before locking them."
ARGS = {"query": "furnace locks", "looking_for": "the decision how to order locks"}


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_curators(monkeypatch, tmp_path)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home"))


def server(home: Path, curator: Any = None, context: Context | None = None) -> RecallServer:
    histories = BackgroundHistories(Recall(open_sources(home)))
    here = context or Context(directory="/srv/boats/brick-kiln")
    return RecallServer(histories, host_options({"redact": True}), here, ("session_recall",), curator)


def talk(there: RecallServer, work: Callable[[Any], Awaitable[Any]], **client: Any) -> Any:
    async def run() -> Any:
        async with mcp.Client(there.server, **{"mode": "legacy", **client}) as each:
            return await work(each)

    return anyio.run(run)


def answer(there: RecallServer, args: dict[str, Any] | None = None, **client: Any) -> types.CallToolResult:
    async def work(each: Any) -> Any:
        return await each.call_tool("session_recall", args or ARGS)

    found: types.CallToolResult = talk(there, work, **client)
    return found


class Model:
    """The model of a client: keeps the requests it gets, and answers each with a text or by a function."""

    def __init__(self, said: str | Callable[[], Awaitable[Any]]) -> None:
        self.said = said
        self.requests: list[types.CreateMessageRequestParams] = []

    async def __call__(self, _: Any, params: types.CreateMessageRequestParams) -> Any:
        self.requests.append(params)
        if not isinstance(self.said, str):
            return await self.said()
        content = types.TextContent(type="text", text=self.said)
        return types.CreateMessageResult(role="assistant", content=content, model="small")


def test_the_tool_is_described_with_good_and_vague_examples(home: Path) -> None:
    async def work(client: Any) -> None:
        (tool,) = (await client.list_tools()).tools
        assert tool.name == "session_recall"
        assert tool.input_schema["required"] == ["query", "looking_for"]
        described = tool.input_schema["properties"]["looking_for"]["description"]
        assert "Good: " in described
        assert "Too vague: " in described
        assert tool.input_schema["properties"]["curator"]["enum"] == ["extractive"]
        assert tool.output_schema["properties"]["status"]["enum"] == list(recall_call.STATUSES)
        assert (tool.annotations.read_only_hint, tool.annotations.open_world_hint) == (True, True)

    talk(server(home), work)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_model_of_the_client_picks_what_is_returned(home: Path, mode: str) -> None:
    model = Model(CURATED)
    result = answer(server(home), mode=mode, sampling_callback=model)
    found: Any = result.structured_content
    assert not result.is_error
    assert (found["status"], found["text"]) == ("found", CURATED)
    assert found["details"]["curator"] == "sampling"
    assert (found["trust"], "<<<recalled " in result.content[0].text) == ("untrusted-history", True)
    assert "delivery order" not in json.dumps(found)
    (request,) = model.requests
    prompt = request.messages[0].content.text  # type: ignore[union-attr]
    assert "delivery order" in prompt
    assert "<<<search results " in prompt
    assert request.system_prompt
    assert "data" in request.system_prompt
    assert request.max_tokens > 1_000
    assert request.model_preferences is not None
    assert request.model_preferences.hints
    assert request.model_preferences.hints[0].name == "haiku"


def test_no_secret_is_sent_to_the_client(home: Path) -> None:
    model = Model(CURATED)
    answer(server(home), {"query": "deploy the beacon token", "looking_for": "the token"}, sampling_callback=model)
    assert model.requests
    assert SECRET not in repr(model.requests)
    key = "sk-" + "proj-Qm7vX2pLr9TzB4cWn8Ys" * 2
    result = answer(
        server(home), {"query": f"deploy {key}", "looking_for": f"the use of {key}"}, sampling_callback=model
    )
    assert len(model.requests) == 2
    assert key[:12] not in repr(model.requests)
    assert key[:12] not in repr(result)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_without_a_model_of_the_client_the_answer_says_what_to_set(home: Path, mode: str) -> None:
    found: Any = answer(server(home), mode=mode).structured_content
    assert found["status"] == "no_curator"
    assert "RECALL_RANK_CURATOR" in found["text"]
    assert "delivery order" not in json.dumps(found)


def test_extractive_is_used_only_when_it_is_named(home: Path) -> None:
    model = Model(CURATED)
    found: Any = answer(server(home), {**ARGS, "curator": "extractive"}, sampling_callback=model).structured_content
    assert (found["status"], found["details"]["curator"]) == ("found", "extractive")
    assert "sort furnace ids" in found["text"]
    assert model.requests == []


def test_the_curator_of_the_command_comes_before_the_clients_model(home: Path) -> None:
    model = Model(CURATED)
    found: Any = answer(server(home, Told("by hand")), sampling_callback=model).structured_content
    assert (found["text"], model.requests) == ("by hand", [])


def test_a_client_that_refuses_gets_no_history(home: Path) -> None:
    async def refuse() -> Any:
        return types.ErrorData(code=-1, message="the user said no")

    found: Any = answer(server(home), sampling_callback=Model(refuse)).structured_content
    assert found["status"] == "curator_failed"
    assert "the user said no" in found["text"]
    assert "delivery order" not in json.dumps(found)


def test_a_client_that_answers_with_an_image_gets_no_history(home: Path) -> None:
    async def paint() -> Any:
        content = types.ImageContent(type="image", data="AAAA", mime_type="image/png")
        return types.CreateMessageResult(role="assistant", content=content, model="small")

    found: Any = answer(server(home), sampling_callback=Model(paint)).structured_content
    assert found["status"] == "curator_failed"
    assert "without a text" in found["text"]


def test_a_client_that_does_not_answer_is_not_waited_for(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_call, "CURATION_SECONDS", 0.3)
    started = time.monotonic()
    found: Any = answer(
        server(home), sampling_callback=Model(lambda: anyio.sleep(20))
    ).structured_content  # fmt: skip
    assert found["status"] == "curator_failed"
    assert "did not answer within 0.3 seconds" in found["text"]
    assert time.monotonic() - started < 10


def test_a_call_that_takes_too_long_ends_its_request_to_the_client(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_server, "CALL_SECONDS", 0.5)
    there = server(home)
    ended = anyio.Event()

    async def wait() -> None:
        try:
            await anyio.sleep(20)
        finally:
            ended.set()

    async def work(client: Any) -> Any:
        found = (await client.call_tool("session_recall", ARGS)).structured_content
        with anyio.fail_after(5):
            await ended.wait()
        return found

    assert talk(there, work, sampling_callback=Model(wait))["error_category"] == "aborted"


def test_a_cancelled_call_ends_and_the_server_goes_on(home: Path) -> None:
    asked = anyio.Event()

    async def wait() -> None:
        asked.set()
        await anyio.sleep(20)

    async def work(client: Any) -> Any:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "session_recall", ARGS)
            with anyio.fail_after(5):
                await asked.wait()
            tasks.cancel_scope.cancel()
        return (await client.call_tool("session_recall", {**ARGS, "curator": "extractive"})).structured_content

    started = time.monotonic()
    assert talk(server(home), work, sampling_callback=Model(wait))["status"] == "found"
    assert time.monotonic() - started < 10


def test_other_tools_do_not_wait_for_a_curator(home: Path) -> None:
    histories = BackgroundHistories(Recall(open_sources(home)))
    options = host_options({"redact": True, "concurrency": 1})
    there = RecallServer(histories, options, Context(), ("recall", "session_recall"))
    asked = anyio.Event()

    async def wait() -> None:
        asked.set()
        await anyio.sleep(20)

    async def work(client: Any) -> Any:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "session_recall", ARGS)
            with anyio.fail_after(10):
                await asked.wait()
                found = await client.call_tool("recall_sessions", {"scope": "global"})
            tasks.cancel_scope.cancel()
        return found.structured_content

    assert talk(there, work, sampling_callback=Model(wait))["ok"]


def test_two_calls_ask_the_client_at_once(home: Path) -> None:
    model = Model(CURATED)

    async def work(client: Any) -> list[Any]:
        found: list[Any] = []

        async def one(query: str) -> None:
            args = {**ARGS, "query": query}
            found.append((await client.call_tool("session_recall", args)).structured_content)

        async with anyio.create_task_group() as tasks:
            for query in ("furnace", "lens", "heliograph"):
                tasks.start_soon(one, query)
        return found

    assert [each["status"] for each in talk(server(home), work, sampling_callback=model)] == ["found"] * 3
    assert len(model.requests) == 3


def test_the_rest_of_a_long_answer_is_of_one_curation(home: Path) -> None:
    long = "".join(chr(0x4E00 + at % 9_000) for at in range(30_000))
    told = Told(long)

    async def work(client: Any) -> str:
        args, text = dict(ARGS), ""
        while len(text) < len(long):
            found = (await client.call_tool("session_recall", args)).structured_content
            assert len(found["text"]) < len(long)
            text += found["text"]
            args["cursor"] = found.get("next_cursor", "")
        return text

    assert talk(server(home, told), work) == long
    assert len(told.tasks) == 1


def test_the_session_of_the_command_is_left_out(home: Path) -> None:
    told = Told(CURATED)
    args = {"query": "heliograph", "looking_for": "the cause"}
    answer(server(home, told, Context(session_id=LONG, directory="/srv/boats/lamp-room")), args)
    assert all("tripod" not in turn.matched for turn in told.tasks[0].results)


@pytest.mark.parametrize(
    ("args", "category"),
    [
        ({"query": "furnace"}, "looking_for_required"),
        ({"looking_for": "x"}, "query_required"),
        ({**ARGS, "looking_for": "x" * 5_000}, "too_much"),
        ({**ARGS, "date_from": "2026-03", "date_to": "2026-02"}, "empty_time_window"),
    ],
)
def test_refused_calls_are_errors(home: Path, args: dict[str, Any], category: str) -> None:
    async def work(client: Any) -> Any:
        return await client.session.call_tool("session_recall", args)

    result = talk(server(home, Told(CURATED)), work)
    assert result.is_error
    assert result.structured_content["error_category"] == category


HANGING = """import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(f"{os.getpid()} {child.pid}\\n")
time.sleep(600)
"""


@pytest.mark.parametrize("leaves", ["closes", "terminates"])
def test_a_client_that_leaves_during_a_call_leaves_no_process_of_a_curator(
    home: Path, tmp_path: Path, leaves: str
) -> None:
    code, file, folders = tmp_path / "hang.py", tmp_path / "pids", tmp_path / "folders"
    code.write_text(HANGING)
    folders.mkdir()
    curator = f"command:{sys.executable} {code} {file}"
    words = ["-m", "recall_rank", "mcp", "--history", str(home), "--no-cache", "--tools", "session_recall"]
    package = str(Path(recall_rank.__file__).parents[1])
    environ = {**os.environ, "PYTHONPATH": package, "TMPDIR": str(folders)}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "session_recall", "arguments": ARGS}}
    there = subprocess.Popen(
        [sys.executable, *words, "--curator", curator], env=environ, cwd=tmp_path, stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert there.stdin is not None
        there.stdin.write("".join(json.dumps(each) + "\n" for each in (INITIALIZE, INITIALIZED, call)).encode())
        there.stdin.flush()
        pids = soon(file).split()
        if leaves == "closes":
            there.stdin.close()
        else:
            there.terminate()
        there.wait(10)
        assert all(ended(int(pid)) for pid in pids)
        assert gone(folders)
    finally:
        there.kill()
        there.wait()
        there.stdin.close()


def test_a_client_on_stdin_and_stdout_is_asked_for_its_model(home: Path, tmp_path: Path) -> None:
    words = ["-m", "recall_rank", "mcp", "--history", str(home), "--no-cache"]
    words += ["--tools", "recall,session_search,session_recall"]
    environ = {**os.environ, "PYTHONPATH": str(Path(recall_rank.__file__).parents[1])}
    parameters = mcp.StdioServerParameters(command=sys.executable, args=words, env=environ, cwd=str(tmp_path))
    model = Model(CURATED)

    async def run() -> Any:
        async with mcp.Client(parameters, mode="legacy", sampling_callback=model) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names[-2:] == ["session_search", "session_recall"]
            return (await client.call_tool("session_recall", ARGS)).structured_content

    found = anyio.run(run)
    assert (found["status"], found["text"], len(model.requests)) == ("found", CURATED, 1)
