"""A server on loopback that answers as Ollama and as an endpoint with OpenAI's interface do."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.semantic.word_embedder import WordEmbedder


class EmbeddingServer(ThreadingHTTPServer):
    """Embeds by words. `asked` lists (path, body, headers) of every call; `reply`, if set, is (status, body) of all."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.reply: tuple[int, bytes] | None = None
        self.headers: dict[str, str] = {}
        self.backwards = False  # whether OpenAI's vectors come in reverse

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append((self.path, body, dict(self.headers)))
        status, data = server.reply or (200, self._answer(body))
        self.send_response(status)
        for name, value in server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _answer(self, body: dict[str, Any]) -> bytes:
        rows = WordEmbedder()(body["input"]).tolist()
        if self.path.endswith("/api/embed"):
            return json.dumps({"model": body["model"], "embeddings": rows}).encode()
        data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
        return json.dumps({"object": "list", "data": data[::-1] if self.server.backwards else data}).encode()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Write no log."""


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """Serve until the context ends."""
    with EmbeddingServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
