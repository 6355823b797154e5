"""Ask the model of an MCP client while a tool call is answered: the transport of SamplingCurator.

There are two ways. Up to protocol version 2025-11-25, the server sends `sampling/createMessage` to the client, and the
client answers. From 2026-07-28 on, servers send no requests: the call is suspended, its result says that input is
required and holds the request, and the client calls again with the answer of its model and the number of the call.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from recall_rank.frontends.curators.curator import CuratorError
from recall_rank.frontends.curators.sampling import SamplingCurator, SamplingRequest

MAX_SUSPENDED: Final = 16  # calls that wait for the client's second call; the oldest one is ended
KEY: Final = "curator"  # of the request in the result of a suspended call
_SEND_SECONDS: Final = 600.0  # the curator's own time limit is shorter and ends the request

Outcome = types.CallToolResult | types.InputRequiredResult
Work = Callable[[SamplingCurator | None], Awaitable[types.CallToolResult]]
"""Answers one tool call with a curator that asks the client's model; None where the client offers none."""


class SamplingCalls:
    """Answers tool calls that may ask the model of the client, whatever version of the protocol it speaks."""

    def __init__(self) -> None:
        self._suspended: dict[str, _SuspendedCall] = {}

    async def answer(self, session: Any, params: types.CallToolRequestParams, work: Work) -> Outcome:
        """Return the result of `work` for the call of a client, or, in newer versions, what the call needs before.

        `session` is the server's session with the client. When this is cancelled, so is the work. Raises MCPError for
        the number of a suspended call that is not known or had other arguments.
        """
        if params.request_state is not None:
            return await self._resumed(params)
        capabilities = session.client_capabilities
        if capabilities is None or capabilities.sampling is None:
            return await work(None)
        if session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            loop = asyncio.get_running_loop()
            return await work(SamplingCurator(lambda request: _sent(session, request, loop)))
        call = _SuspendedCall(_identity(params))
        call.work = asyncio.ensure_future(work(SamplingCurator(call.ask)))
        return await self._outcome(call)

    async def _resumed(self, params: types.CallToolRequestParams) -> Outcome:
        """Return the outcome of a suspended call after the client's answer was handed to it."""
        call = self._suspended.get(str(params.request_state))
        if call is None or call.identity != _identity(params):
            raise MCPError(code=types.INVALID_PARAMS, message="no call with these arguments waits for this answer")
        del self._suspended[str(params.request_state)]
        call.answered((params.input_responses or {}).get(KEY))
        return await self._outcome(call)

    async def _outcome(self, call: _SuspendedCall) -> Outcome:
        """Wait until the work of a call is done or asks the client's model; in that case suspend the call."""
        assert call.work is not None  # noqa: S101 - set where the call was made
        asking = asyncio.ensure_future(call.asking.wait())
        try:
            await asyncio.wait((call.work, asking), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            call.end()
            raise
        finally:
            asking.cancel()
        if call.work.done() or call.request is None:
            return await call.work
        number = secrets.token_hex(16)
        self._suspended[number] = call
        while len(self._suspended) > MAX_SUSPENDED:
            self._suspended.pop(next(iter(self._suspended))).end()
        request, call.request = call.request, None
        call.asking.clear()
        return types.InputRequiredResult(input_requests={KEY: _message(request)}, request_state=number)


@dataclass(slots=True)
class _SuspendedCall:
    """A tool call whose work runs on between two calls of the client."""

    identity: str
    work: asyncio.Future[types.CallToolResult] | None = None
    asking: asyncio.Event = field(default_factory=asyncio.Event)
    request: SamplingRequest | None = None
    answer: Future[str] = field(default_factory=Future)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    def ask(self, request: SamplingRequest) -> Future[str]:
        """Return the future answer to a request, which the next outcome of the call holds. Called in a thread."""
        self.request, self.answer = request, Future()
        self.loop.call_soon_threadsafe(self.asking.set)
        return self.answer

    def answered(self, response: object) -> None:
        """Hand the client's response over; a time limit that was over before has cancelled the future answer."""
        if not self.answer.set_running_or_notify_cancel():
            return
        try:
            self.answer.set_result(_text(response))
        except CuratorError as error:
            self.answer.set_exception(error)

    def end(self) -> None:
        """End the work of the call."""
        self.answer.cancel()
        if self.work is not None:
            self.work.cancel()


def _sent(session: Any, request: SamplingRequest, loop: asyncio.AbstractEventLoop) -> Future[str]:
    """Send a request to a client that answers requests, from a thread; the future text of its answer."""

    async def sent() -> str:
        return _text(
            await session.send_request(
                _message(request), types.CreateMessageResult, request_read_timeout_seconds=_SEND_SECONDS
            )
        )

    return asyncio.run_coroutine_threadsafe(sent(), loop)


def _message(request: SamplingRequest) -> types.CreateMessageRequest:
    """Return a request in the form of the protocol."""
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[types.SamplingMessage(role="user", content=types.TextContent(type="text", text=request.user))],
            system_prompt=request.system,
            max_tokens=request.max_tokens,
            model_preferences=types.ModelPreferences(
                hints=[types.ModelHint(name=name) for name in request.model_hints],
                cost_priority=0.8,
                speed_priority=0.6,
                intelligence_priority=0.3,
            ),
        )
    )


def _text(response: object) -> str:
    """Return the text of a client's response; raises CuratorError for a response without text."""
    content = getattr(response, "content", None)
    blocks = content if isinstance(content, list) else [content]
    texts = [block.text for block in blocks if isinstance(block, types.TextContent)]
    if not texts:
        raise CuratorError("the host answered without a text of its model")
    return "\n".join(texts)


def _identity(params: types.CallToolRequestParams) -> str:
    """Return the name and arguments of a call as one text that equals that of a call with equal ones."""
    return json.dumps([params.name, params.arguments or {}], sort_keys=True)
