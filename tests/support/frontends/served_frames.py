"""A server of invented histories in a thread, over real pipes, and arbitrary frames to send it."""

from __future__ import annotations

import json
import os
import select
import threading
import time
from typing import Any, Final, Self

import anyio
from hypothesis import strategies as st

from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.mcp import server
from recall_rank.frontends.mcp.background_reading import BackgroundHistories
from recall_rank.model import Context
from recall_rank.recall import Recall
from tests.support.frontends.harbor import Invented

INITIALIZE: Final = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NOTIFICATIONS: Final = (
    *("notifications/cancelled", "notifications/progress", "notifications/initialized"),
    *("notifications/roots/list_changed", "notifications/message", "notifications/none_such"),
)
REQUESTS: Final = (
    *("ping", "initialize", "tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list"),
    *("resources/subscribe", "prompts/list", "completion/complete", "logging/setLevel", "none/such", ""),
)
NAMES: Final = ("requestId", "progressToken", "progress", "total", "message", "uri", "name", "arguments", "level")
WAIT_SECONDS: Final = 30.0


class ServedFrames:
    """A running server and the client's ends of its pipes."""

    def __init__(self, *, initialized: bool = True, directory: str | None = "/home/ana/quay") -> None:
        inward, self._to_server = os.pipe()
        self._from_server, outward = os.pipe()
        self._asked = 0
        self._unread = b""
        histories = BackgroundHistories(Recall([Invented()]))
        assert histories.wait(30)

        def run() -> None:
            context = Context(directory=directory)
            served = server.RecallServer(histories, HostOptions(redact=True), context).server
            try:
                anyio.run(server._serve_pipes, served, inward, outward)
            finally:
                os.close(outward)
                os.close(inward)

        self._thread = threading.Thread(target=run)
        self._thread.start()
        if initialized:
            self.send(json.dumps(INITIALIZE).encode(), json.dumps(INITIALIZED).encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._to_server)
        self._thread.join(WAIT_SECONDS)
        os.close(self._from_server)
        assert not self._thread.is_alive()

    def send(self, *lines: bytes) -> None:
        """Write lines. A pipe holds little: what is longer is written while the server reads."""
        os.write(self._to_server, b"".join(line + b"\n" for line in lines))

    def answers(self) -> list[dict[str, Any]]:
        """The answers up to that of a ping that is sent now; AssertionError when none comes."""
        self._asked += 1
        asked = f"after {self._asked}"
        self.send(json.dumps({"jsonrpc": "2.0", "id": asked, "method": "ping"}).encode())
        found: list[dict[str, Any]] = []
        until = time.monotonic() + WAIT_SECONDS
        while True:
            line, end, rest = self._unread.partition(b"\n")
            if end:
                self._unread = rest
                found.append(json.loads(line))
                if found[-1].get("id") == asked:
                    return found
                continue
            ready, _, _ = select.select([self._from_server], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._from_server, 65_536) if ready else b""
            assert data, "the server answers no ping"
            self._unread += data


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from(
            [2**63, 2**64, -(2**63) - 1, 10**400, 7, "7", "0", "9" * 5_000, "\u0667", "", "\x00", "\ud800", [], {}]
        ),
        st.floats(),
        st.text(st.characters(), max_size=8),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner),
    max_leaves=6,
)
metas = st.fixed_dictionaries({"progressToken": values}) | values
params = st.one_of(
    st.fixed_dictionaries({}, optional={**dict.fromkeys(NAMES, values), "_meta": metas}),
    st.fixed_dictionaries({"name": st.sampled_from(["recall", "recall_get", "recall_sessions"]), "arguments": values}),
    st.fixed_dictionaries(
        {"uri": st.sampled_from(["recall://session/%ff?offset=" + "9" * 5_000, "recall://session/a"])}
    ),
    values,
)
versions = st.sampled_from(["2.0", "1.0", 2, None])
ids = st.one_of(st.integers(0, 9), st.sampled_from(["7", "x"]), values)
known_params = st.fixed_dictionaries({}, optional={**dict.fromkeys(NAMES, values), "_meta": metas})
notifications = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(NOTIFICATIONS)}, optional={"params": known_params}
)
requests = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": ids, "method": st.sampled_from(REQUESTS)}, optional={"params": params}
)
responses = st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "id": ids}, optional={"result": values, "error": values})
malformed = st.fixed_dictionaries(
    {},
    optional={"jsonrpc": versions, "id": values, "method": values, "params": values, "result": values, "error": values},
)
messages = st.one_of(notifications, requests, responses, malformed)


def written(value: object, form: int) -> bytes:
    """A value as JSON in one of several encodings, most of them not allowed; never with a line end."""
    plain = json.dumps(value)
    data = {
        1: json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"),
        2: b"\xef\xbb\xbf" + plain.encode(),
        3: plain.encode("utf-16", "surrogatepass"),
        4: plain.encode()[: len(plain) // 2],
        5: b"[" * 5_000 + plain.encode() + b"]" * 5_000,
        6: b" " * 70_000 + plain.encode() + b"\r",
        7: b"\x00" + plain.encode() + b"\xff",
    }.get(form, plain.encode())
    return data.replace(b"\n", b" ")


written_frames = st.builds(written, messages | values | st.lists(messages, max_size=3), st.integers(0, 20))
frames = st.one_of(written_frames, written_frames, st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"")))
