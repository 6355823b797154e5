"""The transport of the MCP server: frames, that is, lines of JSON with one message each, over two pipes.

The size and depth of a frame and the number of open requests are limited. Every request gets one answer. A frame
without a valid message is answered with an error of JSON-RPC 2.0. No frame ends the connection.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio
import orjson
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from mcp_types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from recall_rank.frontends.mcp.handshake import Handshake
from recall_rank.frontends.mcp.pipes import MAX_BYTES, MAX_DEPTH, comparable, lines, too_deep, write_all

MAX_OPEN: Final = 1_024  # requests without an answer
_LAST_ANSWERS: Final = 0.5  # seconds that running calls have after the client has closed its side
_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_INTERNAL_ERROR: Final = -32603
_BUSY: Final = -32000

Streams = tuple[Any, Any]
"""The stream that the server of the SDK reads messages from, and the one that it writes messages to."""


@asynccontextmanager
async def frames(inward: int, outward: int, handshake: Handshake | None = None) -> AsyncIterator[Streams]:
    """A context manager that gives the streams (from client, to client) of a server over two file descriptors.

    The first stream ends when the client closes its side. Of a client that was answered by a handshake, the server
    first gets the frames of the handshake, and what it answers to them is dropped; then it gets what came since.
    """
    connection = _Connection(outward)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    loop = asyncio.get_running_loop()

    async def received(line: bytes | None) -> None:
        message = await connection.understood(line)
        if message is not None:
            await to_server.send(SessionMessage(message))

    async def replayed(line: bytes) -> None:
        message = await connection.understood(line)
        if isinstance(message, JSONRPCRequest):
            connection.drop_answer(message.id)
        await to_server.send(SessionMessage(message))
        await connection.dropped.wait()  # else the client could use its number again

    async def ended() -> None:
        with anyio.move_on_after(_LAST_ANSWERS):
            await connection.answered()
        await to_server.aclose()

    def read() -> None:
        try:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, asyncio.CancelledError):
                rest = lines(inward) if handshake is None else handshake.rest()
                for known in handshake.replayed if handshake is not None else ():
                    asyncio.run_coroutine_threadsafe(replayed(known), loop).result()
                for line in rest:
                    asyncio.run_coroutine_threadsafe(received(line), loop).result()
        except RuntimeError:
            if not loop.is_closed():  # a closed loop means that the server has ended
                raise
        finally:
            with suppress(RuntimeError):  # the loop is closed: the server has ended
                asyncio.run_coroutine_threadsafe(ended(), loop)

    async def write() -> None:
        async with from_server:
            async for item in from_server:
                await connection.send(item.message)
        written.set()

    written = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        threading.Thread(target=read, name="frames", daemon=True).start()
        yield from_client, to_client
        with anyio.move_on_after(_LAST_ANSWERS):  # the client may have stopped reading
            await to_client.aclose()
            await written.wait()
        tasks.cancel_scope.cancel()


class _Connection:
    """The requests of a client that wait for an answer, and the file descriptor that answers are written to."""

    def __init__(self, outward: int) -> None:
        self.open: set[str | int] = set()  # as comparable() gives them
        self._outward = outward
        self._turn = anyio.Lock()
        self._writing = 0
        self._wrote = anyio.Event()
        self._unsent: str | int | None = None
        self.dropped = anyio.Event()  # the answer that drop_answer named

    def drop_answer(self, number: str | int) -> None:
        """Drop the next answer to the request with this id: the client has it already."""
        self._unsent = comparable(number)

    async def answered(self) -> None:
        """Wait until every open request has its answer."""
        while self.open or self._writing:
            self._wrote = anyio.Event()
            await self._wrote.wait()

    async def understood(self, line: bytes | None) -> Any:
        """Return the message in a frame, a line of JSON; None when it has no valid message.

        Such a frame is answered with an error. `line` is None for a frame that was too long.
        """
        if line is None:
            return await self._refused(None, _INVALID_REQUEST, f"a frame may have {MAX_BYTES} bytes")
        known = None
        try:
            if too_deep(line):
                return await self._refused(None, _INVALID_REQUEST, f"a frame may be {MAX_DEPTH} levels deep")
            value = orjson.loads(line)
            asked = value if isinstance(value, dict) else {}
            known = asked.get("id") if comparable(asked.get("id")) is not None else None
            message = _valid_message(value)
            if message is not None:
                return await self._counted(message)
        except orjson.JSONDecodeError:
            return await self._refused(None, _PARSE_ERROR, "a frame must be one line of JSON")
        except Exception as error:  # noqa: BLE001 - a defect costs one frame, which is told, and not the connection
            words = f"the frame could not be read: {type(error).__name__}"
            return await self._refused(known, _INTERNAL_ERROR, words)
        if "method" not in asked and ("result" in asked or "error" in asked):
            return None  # a malformed response: responses get no answer
        return await self._refused(known, _INVALID_REQUEST, "not a JSON-RPC 2.0 message")

    async def _counted(self, message: Any) -> Any:
        """Return `message`, and note it as open if it is a request; None for a request that is refused, with an
        error.
        """
        if isinstance(message, JSONRPCRequest):
            key = comparable(message.id)
            if key is None or key in self.open:
                return await self._refused(message.id, _INVALID_REQUEST, "another request with this id is not answered")
            if len(self.open) >= MAX_OPEN:
                return await self._refused(message.id, _BUSY, f"{MAX_OPEN} requests wait: ask again later")
            self.open.add(key)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._close((message.params or {}).get("requestId"))  # a cancelled request gets no answer
        return message

    async def send(self, message: Any) -> None:
        """Write a message of the server to the client; a response closes its request.

        A response that cannot be written as JSON, such as one with a lone surrogate, is replaced by an error.
        """
        is_answer = isinstance(message, JSONRPCResponse | JSONRPCError)
        if is_answer:
            self._close(message.id)
            if self._unsent is not None and comparable(message.id) == self._unsent:
                self._unsent = None
                self.dropped.set()
                return
        try:
            data = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        except PydanticSerializationError:
            if not is_answer:
                raise
            await self._refused(message.id, _INTERNAL_ERROR, "the answer has text that is no Unicode")
            return
        await self._write(data)

    def _close(self, number: object) -> None:
        """Note that a request is answered or cancelled; `number` is its id, or any other value of a client."""
        key = comparable(number)
        if key is not None:
            self.open.discard(key)

    async def _refused(self, known: str | int | None, code: int, words: str) -> None:
        """Write an error as the answer to a frame; `known` is the id of the request, None when it has none."""
        error = {"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": words}}
        await self._write(orjson.dumps(error))

    async def _write(self, data: bytes) -> None:
        """Write one frame. It is written in a thread, so that a client that does not read cannot block other
        requests.
        """
        self._writing += 1
        try:
            async with self._turn:
                await anyio.to_thread.run_sync(write_all, self._outward, data + b"\n", abandon_on_cancel=True)
        finally:
            self._writing -= 1
            self._wrote.set()


def _valid_message(value: Any) -> Any:
    """Return a JSON value as the JSON-RPC 2.0 message that it is; None when it is none."""
    try:
        message = jsonrpc_message_adapter.validate_python(value, by_name=False)
    except (ValidationError, RecursionError):
        return None
    # with an id, it is not a notification but a request whose id is null or of a wrong type
    return None if isinstance(message, JSONRPCNotification) and "id" in value else message
