"""Sampling with the client of the SDK: the server asks the client's model while it answers a call, in both ways."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp
import mcp_types as types
import pytest
from mcp.server.lowlevel import Server

from recall_rank.frontends.curators.answer_check import curated_answer
from recall_rank.frontends.curators.choose import curator_named
from recall_rank.frontends.curators.curator import CuratorError
from recall_rank.frontends.curators.prompt import NOTHING_RELEVANT, SYSTEM
from recall_rank.frontends.curators.sampling import SamplingCurator
from recall_rank.frontends.mcp import sampling_requests
from recall_rank.frontends.mcp import server as mcp_server
from recall_rank.frontends.mcp.sampling_requests import SamplingCalls
from tests.support.frontends.recalled_turns import FACT, task
from tests.support.frontends.served_frames import INITIALIZE, INITIALIZED

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])


class Curating:
    """A server with one tool, which curates the same task in every call, and what its calls came to."""

    def __init__(self, seconds: float = 20.0, *, searching: bool = False) -> None:
        self.began = threading.Event()
        self._searching = searching  # until it is cancelled, before any model is asked
        self.ended: list[str] = []
        self.ends = [threading.Event() for _ in range(8)]
        self.calls = SamplingCalls()
        self._seconds = seconds
        self._count = 0
        self.server: Server[Any] = Server("test", on_list_tools=self._tools, on_call_tool=self._call)

    async def _tools(self, ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="curate", input_schema={"type": "object"})])

    async def _call(self, ctx: Any, params: types.CallToolRequestParams) -> Any:
        number = self._count
        self._count += 1 if params.request_state is None else 0

        async def work(sampling: SamplingCurator | None) -> types.CallToolResult:
            cancel = threading.Event()

            def curate() -> str:
                self.began.set()
                try:
                    if self._searching:
                        cancel.wait(20)
                    curator = curator_named("sampling", sampling=sampling, environ={})
                    return curated_answer(curator, task(), seconds=self._seconds, cancelled=cancel.is_set).text
                except CuratorError as error:
                    self.ended.append(type(error).__name__)
                    return f"{type(error).__name__}: {error}"
                finally:
                    self.ends[number].set()

            try:
                text = await anyio.to_thread.run_sync(curate, abandon_on_cancel=True)
            finally:
                cancel.set()
            return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

        return await self.calls.answer(ctx.session, params, work)


class Model:
    """The model of a client: it answers with a text, an error or nothing at all."""

    def __init__(self, answer: Any = FACT) -> None:
        self.requests: list[types.CreateMessageRequestParams] = []
        self.asked = anyio.Event()
        self._answer = answer

    async def __call__(self, context: Any, params: types.CreateMessageRequestParams) -> Any:
        self.requests.append(params)
        self.asked.set()
        if self._answer is None:
            await anyio.sleep(600)
        if not isinstance(self._answer, str):
            return self._answer
        content = types.TextContent(type="text", text=self._answer)
        return types.CreateMessageResult(role="assistant", content=content, model="host-model")


def talk(there: Curating, work: Callable[[Any], Awaitable[Any]], **client: Any) -> Any:
    async def run() -> Any:
        with anyio.fail_after(60):
            async with mcp.Client(there.server, **client) as each:
                return await work(each)

    return anyio.run(run)


async def curated(client: Any) -> str:
    return str((await client.call_tool("curate", {"query": "winch"})).content[0].text)


@MODES
def test_the_model_of_the_client_curates(mode: str) -> None:
    model = Model()
    assert talk(Curating(), curated, mode=mode, sampling_callback=model) == FACT
    (request,) = model.requests
    assert request.system_prompt == SYSTEM
    assert request.messages[0].role == "user"
    assert FACT in request.messages[0].content.text
    assert request.model_preferences.hints[0].name == "haiku"
    assert 0 < request.max_tokens <= 8_000
    assert not request.tools


@MODES
def test_the_version_decides_how_the_client_is_asked(mode: str) -> None:
    async def work(client: Any) -> Any:
        if mode == "legacy":
            return None
        return await client.session.call_tool("curate", {}, allow_input_required=True)

    waiting = talk(Curating(2.0), work, mode=mode, sampling_callback=Model())
    if mode == "auto":
        assert waiting.result_type == "input_required"
        assert list(waiting.input_requests) == ["curator"]
        assert FACT not in waiting.request_state


@MODES
def test_a_client_without_a_model_is_not_asked(mode: str) -> None:
    there = Curating()
    assert talk(there, curated, mode=mode).startswith("NoCuratorError: the host offers no model")


@MODES
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("", "CuratorError: the curator sampling returned nothing"),
        (NOTHING_RELEVANT, ""),
        ("w" * 10_000_000, "frame"),
        ("w" * 40_000, "CuratorError: the model of the host returned more than 32000 characters"),
        (SYSTEM, "CuratorError: the curator sampling returned its instructions, so its answer is not shown"),
        (f"\x1b[1m{FACT}\x07\n<<<end of search results 12>>>", FACT),
    ],
    ids=["nothing", "not relevant", "ten megabytes", "long", "echo", "controls"],
)
def test_what_the_model_answers_is_checked(mode: str, answer: str, said: str) -> None:
    found = talk(Curating(), curated, mode=mode, sampling_callback=Model(answer))
    if said == "frame":  # in memory there are no frames: pipes.MAX_BYTES bounds a pipe
        said = "CuratorError: the model of the host returned more than 32000 characters"
    assert found == said


PICTURE = types.CreateMessageResult(
    role="assistant", content=types.ImageContent(type="image", data="AA==", mime_type="image/png"), model="m"
)


@MODES
def test_an_answer_without_text_is_an_error(mode: str) -> None:
    found = talk(Curating(), curated, mode=mode, sampling_callback=Model(PICTURE))
    assert found == "CuratorError: the host answered without a text of its model"


def test_a_refusal_of_the_user_is_an_error() -> None:
    refusal = types.ErrorData(code=-1, message="User rejected sampling request")
    found = talk(Curating(), curated, mode="legacy", sampling_callback=Model(refusal))
    assert found == "CuratorError: asking the model of the host failed: User rejected sampling request"


def test_a_handler_of_the_client_that_crashed_has_not_refused() -> None:
    async def crash(*_: Any) -> Any:
        raise RuntimeError("")

    found = talk(Curating(), curated, mode="legacy", sampling_callback=crash)
    assert found.startswith("CuratorError: asking the model of the host failed")
    assert "refused" not in found
    assert "MCPError" not in found


def test_a_model_that_hangs_is_given_up() -> None:
    began = time.monotonic()
    found = talk(Curating(0.5), curated, mode="legacy", sampling_callback=Model(None))
    assert found == "CuratorTimeoutError: the model of the host did not answer within 0.5 seconds"
    assert time.monotonic() - began < 10


def test_a_cancelled_call_ends_its_request() -> None:
    there, model = Curating(), Model(None)

    async def work(client: Any) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(curated, client)
            await model.asked.wait()
            tasks.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(there.ends[0].wait, 10)

    talk(there, work, mode="legacy", sampling_callback=model)
    assert there.ended == ["CuratorCancelledError"]


def test_a_cancelled_call_that_has_not_asked_yet_ends() -> None:
    there = Curating(searching=True)

    async def work(client: Any) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(curated, client)
            assert await anyio.to_thread.run_sync(there.began.wait, 10)
            tasks.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(there.ends[0].wait, 10)

    talk(there, work, sampling_callback=Model())
    assert there.ended == ["CuratorCancelledError"]


def test_over_pipes_a_message_that_is_too_long_is_dropped_and_the_time_limit_ends_the_call() -> None:
    to_server, from_client = os.pipe()[::-1]
    from_server, to_client = os.pipe()
    there = Curating(2.0)
    thread = threading.Thread(target=lambda: anyio.run(mcp_server._serve_pipes, there.server, from_client, to_client))
    thread.start()
    capabilities = {**INITIALIZE["params"], "capabilities": {"sampling": {}}}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "curate", "arguments": {}}}
    with os.fdopen(to_server, "w") as outward, os.fdopen(from_server) as inward:

        def send(message: Any) -> None:
            outward.write(json.dumps(message) + "\n")
            outward.flush()

        for message in ({**INITIALIZE, "params": capabilities}, INITIALIZED, call):
            send(message)
        assert json.loads(inward.readline())["id"] == INITIALIZE["id"]
        request = json.loads(inward.readline())
        assert request["method"] == "sampling/createMessage"
        content = {"type": "text", "text": "w" * 10_000_000}
        send({"jsonrpc": "2.0", "id": request["id"], "result": {"role": "assistant", "content": content, "model": "m"}})
        assert "a frame may have" in json.loads(inward.readline())["error"]["message"]
        rest = [json.loads(inward.readline()) for _ in range(2)]
    thread.join(10)
    assert not thread.is_alive()
    os.close(to_client)
    (answer,) = [message for message in rest if message.get("id") == 7]
    assert answer["result"]["content"][0]["text"].startswith("CuratorTimeoutError: ")
    assert [message["method"] for message in rest if "method" in message] == ["notifications/cancelled"]


async def suspended(client: Any, **args: Any) -> Any:
    return await client.session.call_tool("curate", args, allow_input_required=True)


RESPONSE = {
    "curator": types.CreateMessageResult(
        role="assistant", content=types.TextContent(type="text", text=FACT), model="host-model"
    )
}


async def answered(client: Any, waiting: Any, responses: Any = None, **args: Any) -> str:
    result = await client.session.call_tool(
        "curate", args, input_responses=responses or RESPONSE, request_state=waiting.request_state
    )
    return str(result.content[0].text)


def test_a_suspended_call_goes_on_with_the_answer() -> None:
    async def work(client: Any) -> str:
        return await answered(client, await suspended(client, a=1), a=1)

    assert talk(Curating(), work, sampling_callback=Model()) == FACT


def test_a_suspended_call_without_an_answer_fails() -> None:
    async def work(client: Any) -> str:
        return await answered(client, await suspended(client), {"other": RESPONSE["curator"]})

    found = talk(Curating(), work, sampling_callback=Model())
    assert found == "CuratorError: the host answered without a text of its model"


def test_a_suspended_call_that_is_answered_late_says_so() -> None:
    there = Curating(0.3)

    async def work(client: Any) -> str:
        waiting = await suspended(client)
        assert await anyio.to_thread.run_sync(there.ends[0].wait, 10)
        return await answered(client, waiting)

    assert talk(there, work, sampling_callback=Model()).startswith("CuratorTimeoutError: ")


def test_the_number_of_a_call_serves_one_answer_to_equal_arguments() -> None:
    async def work(client: Any) -> None:
        waiting = await suspended(client, a=1)
        with pytest.raises(mcp.MCPError, match="no call with these arguments"):
            await answered(client, waiting, a=2)
        assert await answered(client, waiting, a=1) == FACT
        with pytest.raises(mcp.MCPError, match="no call with these arguments"):
            await answered(client, waiting, a=1)

    talk(Curating(), work, sampling_callback=Model())


def test_calls_that_are_never_answered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling_requests, "MAX_SUSPENDED", 2)
    there = Curating()

    async def work(client: Any) -> None:
        waiting = [await suspended(client, a=number) for number in range(4)]
        assert len(there.calls._suspended) == 2
        with pytest.raises(mcp.MCPError, match="no call with these arguments"):
            await answered(client, waiting[0], a=0)
        assert await answered(client, waiting[3], a=3) == FACT
        for number in (0, 1):
            assert await anyio.to_thread.run_sync(there.ends[number].wait, 10)

    talk(there, work, sampling_callback=Model())
    assert set(there.ended) == {"CuratorCancelledError"}
