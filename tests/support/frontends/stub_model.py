"""Models on this machine with OpenAI's chat completions: one asks for a tool call, one answers with a text."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any


class StubModel:
    """The requests that were made, and the tool call that is asked for in answer to the first one; arguments that are a
    text are written as they stand.
    """

    def __init__(self, tool: str, arguments: dict[str, Any] | str) -> None:
        self.requests: list[dict[str, Any]] = []
        self._call = {"name": tool, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)}

    @property
    def results(self) -> list[str]:
        """The results of tools that the last request brought."""
        return [message["content"] for message in self.requests[-1]["messages"] if message["role"] == "tool"]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(request)
        message: dict[str, Any] = {"role": "assistant", "content": "The valve."}
        if not self.results:
            call = {"id": "call_1", "type": "function", "function": self._call}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        reason = "tool_calls" if message["content"] is None else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "finish_reason": reason, "message": message}
        return {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "stub",
            "choices": [choice],
            "usage": usage,
        }


@contextmanager
def serving(model: StubModel) -> Iterator[str]:
    """Serve the model on a free port of 127.0.0.1; the value is the base address for a client."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            body = json.dumps(model.answer(request)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


class TextModel:
    """A model that answers every request with one text, as a stream when it is asked for one, after some seconds."""

    def __init__(self, text: str, *, status: int = 200, seconds: float = 0.0, chunks: int = 1) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self._text = text
        self._status = status
        self._seconds = seconds
        self._chunks = chunks

    @property
    def prompt(self) -> str:
        """All texts of the messages of the last request, joined."""
        return "\n".join(str(message["content"]) for message in self.requests[-1]["messages"])

    def reply(self, request: dict[str, Any], key: str) -> tuple[int, str, Iterator[bytes]]:
        """Status, content type and pieces of the body that answer a request."""
        self.requests.append(request)
        self.keys.append(key)
        time.sleep(self._seconds)
        if self._status != 200:
            return self._status, "application/json", iter([json.dumps({"error": {"message": self._text}}).encode()])
        if request.get("stream"):
            return 200, "text/event-stream", self._events()
        message = {"role": "assistant", "content": self._text}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "stub", "choices": [choice]}
        return 200, "application/json", iter([json.dumps(whole).encode()])

    def _events(self) -> Iterator[bytes]:
        frame = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "stub"}
        delta = {"index": 0, "finish_reason": None, "delta": {"role": "assistant", "content": self._text}}
        last = {"index": 0, "finish_reason": "stop", "delta": {}}
        for _ in range(self._chunks):
            yield b"data: " + json.dumps({**frame, "choices": [delta]}).encode() + b"\n\n"
        yield b"data: " + json.dumps({**frame, "choices": [last]}).encode() + b"\n\ndata: [DONE]\n\n"


@contextmanager
def serving_text(model: TextModel) -> Iterator[str]:
    """Serve a TextModel on a free port of 127.0.0.1; the value is the base address for a client."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, kind, pieces = model.reply(request, self.headers.get("authorization", ""))
            try:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("connection", "close")
                self.end_headers()
                for piece in pieces:
                    self.wfile.write(piece)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client was ended

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()
