"""Handshake: the first frames of a client, answered while the library of the protocol is still being imported.

Hosts wait for the answer to `initialize` before they ask their model, and some not for long, but the library takes
longer to import than all the rest of the start.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from recall_rank.frontends.mcp.offer import ServerOffer
from recall_rank.frontends.mcp.pipes import lines, too_deep, write_all

VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # that begin with `initialize`
_FRAME_FIELDS: Final = frozenset({"jsonrpc", "id", "method", "params"})
_MAX_ID_CHARS: Final = 64
_MAX_ID: Final = 2**31
_CAPABILITIES: Final = frozenset({"experimental", "sampling", "elicitation", "roots", "extensions", "tasks"})
_CLIENT_FIELDS: Final = frozenset({"name", "version", "title", "description", "websiteUrl"})
_END: Final = object()


class Handshake:
    """Answers `initialize`, and then `ping` and `tools/list`, of the client on two pipes, in a thread of its own.

    A frame is answered only if it is certain what the library would answer: any other frame, and all behind it, wait
    until a server takes them by `rest()`. Every frame is answered here or comes out of `rest()`, never both, except
    those in `replayed`, whose answers the server must not send again.
    """

    def __init__(self, inward: int, outward: int, offer: ServerOffer) -> None:
        self.client: str | None = None  # the name of the client, once it has initialized
        self.replayed: list[bytes] = []  # frames that the server has to know; the first one is `initialize`
        self._inward = inward
        self._outward = outward
        self._offer = offer
        self._lock = threading.Lock()
        self._over = False
        self._first = threading.Event()
        self._rest: queue.Queue[Any] = queue.Queue(1)  # a client that sends more waits

    def start(self) -> None:
        """Start to read and answer."""
        threading.Thread(target=self._read, name="handshake", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` for the first frame; return whether it was read, and answered if it can be."""
        return self._first.wait(seconds)

    def rest(self) -> Iterator[bytes | None]:
        """Yield the frames that are not answered here, as `lines` does. From the call on, no frame is answered here."""
        with self._lock:
            self._over = True
        return iter(self._rest.get, _END)

    def _read(self) -> None:
        try:
            for line in lines(self._inward):
                with self._lock:
                    self._over = self._over or not self._answered(line)
                    rest = self._over
                self._first.set()
                if rest:
                    self._rest.put(line)
        finally:
            self._first.set()
            self._rest.put(_END)

    def _answered(self, line: bytes | None) -> bool:
        """Answer a frame; return False, having done nothing, for one that is left to the library."""
        if line is None or too_deep(line):
            return False
        try:
            frame = orjson.loads(line)
        except orjson.JSONDecodeError:
            return False
        if not isinstance(frame, dict) or frame.get("jsonrpc") != "2.0" or not frame.keys() <= _FRAME_FIELDS:
            return False
        params = frame.get("params", {})
        if not isinstance(params, dict):
            return False
        if "id" not in frame:
            return self._noted(frame.get("method"), params, line)
        result = self._result(frame.get("method"), params, line) if _is_plain_id(frame["id"]) else None
        if result is None:
            return False
        write_all(self._outward, orjson.dumps({"jsonrpc": "2.0", "id": frame["id"], "result": result}) + b"\n")
        return True

    def _noted(self, method: object, params: Mapping[str, Any], line: bytes) -> bool:
        """Keep the notification that the client is initialized for the server; return False for any other one."""
        if method != "notifications/initialized" or params or self.client is None or len(self.replayed) != 1:
            return False
        self.replayed.append(line)
        return True

    def _result(self, method: object, params: Mapping[str, Any], line: bytes) -> dict[str, Any] | None:
        """Return the result of a request; None for a request that is left to the library."""
        if method == "initialize" and self.client is None and _is_plain_start(params):
            self.client = params["clientInfo"]["name"]
            self.replayed.append(line)
            return self._offer.initialize_result(params["protocolVersion"])
        if self.client is None or not _is_plain_meta(params):
            return None
        if method == "ping" and params.keys() <= {"_meta"}:
            return {}
        if method == "tools/list" and params.keys() <= {"_meta", "cursor"} and params.get("cursor") is None:
            return self._offer.tools_result(self.client)
        return None


def _is_plain_start(params: Mapping[str, Any]) -> bool:
    """Return whether the parameters of `initialize` are such that every version of the protocol takes them."""
    client = params.get("clientInfo")
    return (
        params.keys() <= {"protocolVersion", "capabilities", "clientInfo", "_meta"}
        and params.get("protocolVersion") in VERSIONS
        and _is_plain_meta(params)
        and _are_plain_capabilities(params.get("capabilities"))
        and isinstance(client, dict)
        and {"name", "version"} <= client.keys() <= _CLIENT_FIELDS
        and all(isinstance(value, str) for value in client.values())
    )


def _is_plain_id(number: object) -> bool:
    """Return whether the id of a request is one that every version of the protocol takes: a short text or integer."""
    if isinstance(number, str):
        return len(number) <= _MAX_ID_CHARS
    return isinstance(number, int) and not isinstance(number, bool) and abs(number) < _MAX_ID


def _is_plain_meta(params: Mapping[str, Any]) -> bool:
    """Return whether `_meta` of a request is absent or has the token of its progress alone."""
    meta = params.get("_meta", {})
    return isinstance(meta, dict) and meta.keys() <= {"progressToken"} and all(map(_is_plain_id, meta.values()))


def _are_plain_capabilities(value: object) -> bool:
    """Return whether the capabilities of a client are objects of objects, but for flags, as every version takes them.

    Hosts send little more than {"roots": {"listChanged": true}}.
    """
    if not isinstance(value, dict) or not value.keys() <= _CAPABILITIES:
        return False
    return all(isinstance(each, dict) and all(map(_is_plain_setting, each.items())) for each in value.values())


def _is_plain_setting(setting: tuple[str, Any]) -> bool:
    name, value = setting
    return isinstance(value, bool) if name == "listChanged" else value == {}
