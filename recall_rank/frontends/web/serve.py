"""Serve the pages to browsers on this machine, until the process is interrupted."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from recall_rank.frontends.web.app import web_application
from recall_rank.frontends.web.guard import TOKEN

if TYPE_CHECKING:
    from recall_rank.frontends.web.pages import Forget
    from recall_rank.recall import Recall

ADDRESS: Final = "127.0.0.1"
PORT: Final = 7391  # unless it is taken: a bookmark of a page works again in the next process
KEEP_ALIVE_SECONDS: Final = 30  # between an answer and the whole head of the next request
HEADER_SECONDS: Final = 10.0  # until the whole head of the first request of a connection has arrived
MAX_CONNECTIONS: Final = 64  # a browser opens six; each takes a file, of which macOS gives a program 256
_BACKLOG: Final = 16  # connections that asyncio accepts at once: three times as many come before the first is read


_LEADS_ON: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={address}"><title>recall_rank</title>
<p><a href="{address}">The pages of recall_rank</a></p>
"""


def leading_page(address: str, folder: Path) -> Path:
    """Return a page, in a folder that only this user can enter, that leads a browser to an address: what is opened
    stands in command lines, which all users of a machine can read.
    """
    page = folder / "open.html"
    page.touch(0o600, exist_ok=False)
    page.write_text(_LEADS_ON.format(address=address), encoding="utf-8")
    return page


class PortTakenError(OSError):
    """The port that was asked for cannot be bound."""


def serve(
    recall: Recall,
    started: Callable[[str], None],
    *,
    port: int | None = None,
    redact: bool = False,
    forget: Forget | None = None,
) -> None:
    """Serve the pages until the process gets SIGINT or SIGTERM. `started` is called with the first address, whose token
    lets a browser in.

    Only this machine can connect. Without a `port`, it is PORT or, where that is taken, any free one. Raises
    PortTakenError when the port that was asked for is taken.
    """
    token = secrets.token_urlsafe(32)
    app = web_application(recall, token, redact=redact, forget=forget)
    for chosen in (PORT, 0) if port is None else (port,):
        try:
            _Server(server_config(app, chosen), token, started).run()
        except SystemExit:  # as uvicorn says that it cannot bind
            continue
        return
    raise PortTakenError(f"port {port} of {ADDRESS} is taken")


class _Server(uvicorn.Server):
    """A server that tells its first address as soon as a browser can connect."""

    def __init__(self, config: uvicorn.Config, token: str, started: Callable[[str], None]) -> None:
        super().__init__(config)
        self._token = token
        self._told = started

    async def startup(self, sockets: list[Any] | None = None) -> None:
        """Bind the port and tell the address. Raises SystemExit when the port is taken."""
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        self._told(f"http://{ADDRESS}:{port}/?{TOKEN}={self._token}")


class BoundedConnection(H11Protocol):
    """A connection of at most MAX_CONNECTIONS that must ask for something in time.

    Any user of the machine can connect, and does not need the token for that. A connection without a request, and one
    whose request does not get on, ends after some seconds, whatever is sent meanwhile. Where there are too many, the
    one whose time is over first ends at once; those that are being answered stay.
    """

    waiting: asyncio.TimerHandle | None = None  # ends the connection; None while a request is answered

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a new connection, and end another one if there are too many."""
        super().connection_made(transport)
        self._wait(HEADER_SECONDS)
        held = [each for each in self.connections if isinstance(each, BoundedConnection) and each.is_open]
        if len(held) > MAX_CONNECTIONS:
            min(held, key=BoundedConnection.ends).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take some bytes; the time limit is over once they complete the head of a request."""
        super().data_received(data)
        if self._is_answering:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it has come already."""
        super().on_response_complete()
        if not self._is_answering:
            self._wait(KEEP_ALIVE_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def is_open(self) -> bool:
        return not self.transport.is_closing()

    def ends(self) -> float:
        """Return when the connection ends by itself, in seconds of the loop's clock; never while it is answered."""
        return math.inf if self.waiting is None else self.waiting.when()

    @property
    def _is_answering(self) -> bool:
        # None before the first request, whatever its type says
        return self.cycle is not None and not self.cycle.response_complete  # type: ignore[redundant-expr]

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self.waiting = self.loop.call_later(seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None


def server_config(app: object, port: int) -> uvicorn.Config:
    """Return how an application is served: on this machine only, without a log of what is looked for."""
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        host=ADDRESS,
        port=port,
        http=BoundedConnection,
        log_config=None,
        log_level="critical",
        access_log=False,  # the addresses have the words that are looked for
        server_header=False,
        date_header=False,
        ws="none",
        lifespan="off",
        backlog=_BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=2,
    )
