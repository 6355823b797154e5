"""A model on loopback that speaks the APIs of real ones and says what a script tells it.

It keeps every request, so that a check can see which tools were offered and what reached the model.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self

MODEL: Final = "stub-model"
_NUMBERS: Final = itertools.count(1)  # of replies, for their ids


@dataclass(frozen=True, slots=True)
class Call:
    """A reply that calls a tool: the offered tool with this name, or whose name ends with it after a separator."""

    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A request that reached the model: its path, the names of the tools that were offered, and its whole text."""

    path: str
    body: Mapping[str, Any]
    offered: tuple[str, ...]
    answers: tuple[str, ...]  # what tools answered, oldest first

    @property
    def text(self) -> str:
        """All texts of the request but the definitions of its tools, joined by line ends."""
        shown = {key: value for key, value in self.body.items() if key != "tools"}
        return "\n".join(_texts(shown))


Reply = Call | str
Events = Iterator[tuple[str | None, Any]]


@dataclass(slots=True)
class StubModel:
    """The server. `script` holds the replies to requests that offer tools; others, and those behind its end, get
    `default`.
    """

    default: str = "Done."
    script: list[Reply] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    _in_each_talk: bool = False
    _server: ThreadingHTTPServer | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        """The address, without a path."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_port}"

    def begin(self, *replies: Reply, in_each_talk: bool = False) -> None:
        """Forget the requests so far, and say `replies` from now on; with `in_each_talk`, each conversation gets all of
        them, one for each answer of a tool in it.
        """
        with self._guard:
            self._in_each_talk = in_each_talk
            self.script[:] = replies
            self.requests.clear()

    def talk(self) -> list[Request]:
        """The requests that offered tools: those of the agent itself, not of a title or a summary."""
        with self._guard:
            return [each for each in self.requests if each.offered]

    def reply(self, path: str, body: Mapping[str, Any], api: Api) -> Reply:
        """Keep a request and return the reply to it, its tool by the name that was offered."""
        request = Request(path, body, tuple(api.offered(body)), tuple(api.answers(body)))
        with self._guard:
            self.requests.append(request)
            at = len(request.answers) if self._in_each_talk else 0
            reply = self.script[at] if at < len(self.script) and request.offered else self.default
            if request.offered and not self._in_each_talk:
                del self.script[:1]
        return reply if isinstance(reply, str) else Call(offered_name(request.offered, reply.tool), reply.args)

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()


def offered_name(offered: Sequence[str], wanted: str) -> str:
    """Return the offered name of a tool; `wanted` itself where nothing offered ends with it."""
    if wanted in offered:
        return wanted
    ends = [name for name in offered if name.endswith(wanted) and name[-len(wanted) - 1] in "_-./"]
    return min(ends, key=len) if ends else wanted


@dataclass(frozen=True, slots=True)
class Api:
    """How one API says things: the tools of a request, what tools answered, and a reply as events of a stream."""

    offered: Callable[[Mapping[str, Any]], Iterable[str]]
    answers: Callable[[Mapping[str, Any]], Iterable[str]]
    stream: Callable[[Reply], Events]
    streams: bool = True  # else the reply is the value of its one event, as JSON


def _texts(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def _joined(value: Any) -> str:
    return "\n".join(_texts(value))


# OpenAI chat completions


def _chat_offered(body: Mapping[str, Any]) -> Iterator[str]:
    for tool in body.get("tools") or ():
        yield tool["function"]["name"]


def _chat_answers(body: Mapping[str, Any]) -> Iterator[str]:
    for message in body.get("messages", ()):
        if message.get("role") == "tool":
            yield _joined(message.get("content"))


def _chat_stream(reply: Reply) -> Events:
    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> tuple[None, dict[str, Any]]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return None, {
            "id": "stub",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": MODEL,
            "choices": [choice],
        }

    if isinstance(reply, str):
        yield chunk({"role": "assistant", "content": reply})
        yield chunk({}, "stop")
    else:
        called = {"name": reply.tool, "arguments": json.dumps(reply.args)}
        part = {"index": 0, "id": f"call_{next(_NUMBERS)}", "type": "function", "function": called}
        yield chunk({"role": "assistant", "tool_calls": [part]})
        yield chunk({}, "tool_calls")
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    yield (
        None,
        {"id": "stub", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [], "usage": usage},
    )
    yield None, "[DONE]"


# Anthropic messages


def _anthropic_offered(body: Mapping[str, Any]) -> Iterator[str]:
    for tool in body.get("tools") or ():
        yield tool["name"]


def _anthropic_answers(body: Mapping[str, Any]) -> Iterator[str]:
    for message in body.get("messages", ()):
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if part.get("type") == "tool_result":
                yield _joined(part.get("content"))


def _anthropic_stream(reply: Reply) -> Events:
    usage = {"input_tokens": 10, "output_tokens": 5}
    message = {"id": f"msg_{next(_NUMBERS)}", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    yield _named("message_start", message={**message, "stop_reason": None, "stop_sequence": None, "usage": usage})
    if isinstance(reply, str):
        yield _named("content_block_start", index=0, content_block={"type": "text", "text": ""})
        delta: dict[str, Any] = {"type": "text_delta", "text": reply}
    else:
        block = {"type": "tool_use", "id": f"toolu_{next(_NUMBERS)}", "name": reply.tool, "input": {}}
        yield _named("content_block_start", index=0, content_block=block)
        delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.args)}
    yield _named("content_block_delta", index=0, delta=delta)
    yield _named("content_block_stop", index=0)
    reason = "end_turn" if isinstance(reply, str) else "tool_use"
    yield _named("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=usage)
    yield _named("message_stop")


def _named(kind: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return kind, {"type": kind, **fields}


# OpenAI responses


def _responses_offered(body: Mapping[str, Any]) -> Iterator[str]:
    for tool in body.get("tools") or ():
        if tool.get("type") == "namespace":
            yield from (f"{tool['name']}/{each['name']}" for each in tool.get("tools", ()))
        elif "name" in tool:
            yield tool["name"]


def _responses_answers(body: Mapping[str, Any]) -> Iterator[str]:
    for item in body.get("input", ()):
        if item.get("type") == "function_call_output":
            yield _joined(item.get("output"))


def _responses_stream(reply: Reply) -> Events:
    number = next(_NUMBERS)
    item: dict[str, Any]
    if isinstance(reply, str):
        content = [{"type": "output_text", "text": reply, "annotations": []}]
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
    else:
        space, _, name = reply.tool.rpartition("/")
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name}
        item |= {"arguments": json.dumps(reply.args)} | ({"namespace": space} if space else {})
    yield _named("response.created", response={"id": f"resp_{number}"})
    yield _named("response.output_item.added", output_index=0, item=item)
    yield _named("response.output_item.done", output_index=0, item=item)
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, **details}
    yield _named("response.completed", response={"id": f"resp_{number}", "output": [item], "usage": usage})


# Gemini


def _gemini_offered(body: Mapping[str, Any]) -> Iterator[str]:
    for tool in body.get("tools") or ():
        yield from (each["name"] for each in tool.get("functionDeclarations", ()))


def _gemini_answers(body: Mapping[str, Any]) -> Iterator[str]:
    for content in body.get("contents", ()):
        for part in content.get("parts", ()):
            if "functionResponse" in part:
                yield _joined(part["functionResponse"].get("response"))


def _gemini_stream(reply: Reply) -> Events:
    part = (
        {"text": reply} if isinstance(reply, str) else {"functionCall": {"name": reply.tool, "args": dict(reply.args)}}
    )
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    yield None, {"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL}


APIS: Final = {  # the end of a path -> the API that is spoken there
    "/chat/completions": Api(_chat_offered, _chat_answers, _chat_stream),
    "/messages": Api(_anthropic_offered, _anthropic_answers, _anthropic_stream),
    "/responses": Api(_responses_offered, _responses_answers, _responses_stream),
    ":streamGenerateContent": Api(_gemini_offered, _gemini_answers, _gemini_stream),
    ":generateContent": Api(_gemini_offered, _gemini_answers, _gemini_stream, streams=False),
}


def _handler(model: StubModel) -> type[BaseHTTPRequestHandler]:
    """Return the class that answers the requests to a model."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model"}]}))

        def do_HEAD(self) -> None:
            self._send("")

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            path = self.path.partition("?")[0]
            api = next((each for end, each in APIS.items() if path.endswith(end)), None)
            if api is None:
                self._send(json.dumps({"input_tokens": 10, "totalTokens": 10}))  # of Claude Code and Gemini CLI
                return
            reply = model.reply(path, json.loads(raw), api)
            if not api.streams:
                ((_, value),) = api.stream(reply)
                self._send(json.dumps(value))
                return
            lines = []
            for name, value in api.stream(reply):
                said = value if isinstance(value, str) else json.dumps(value)
                lines.append((f"event: {name}\n" if name else "") + f"data: {said}\n\n")
            self._send("".join(lines), "text/event-stream")

        def _send(self, text: str, kind: str = "application/json") -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    return Handler
