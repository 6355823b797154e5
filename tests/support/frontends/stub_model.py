"""A model on this machine in the form of OpenAI's chat completions: it asks for one tool call, then answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any


class StubModel:
    """The requests that were made, and the tool call that is asked for in answer to the first one."""

    def __init__(self, tool: str, arguments: dict[str, Any]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._call = {"name": tool, "arguments": json.dumps(arguments)}

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
