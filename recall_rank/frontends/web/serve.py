"""Serve the pages to browsers on this machine, until the process is interrupted."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import uvicorn

from recall_rank.frontends.web.app import web_application
from recall_rank.frontends.web.guard import TOKEN

if TYPE_CHECKING:
    from recall_rank.frontends.web.pages import Forget
    from recall_rank.recall import Recall

ADDRESS: Final = "127.0.0.1"
PORT: Final = 7391  # unless it is taken: a bookmark of a page works again in the next process
_KEEP_ALIVE_SECONDS: Final = 30
_BACKLOG: Final = 1_024  # connections that wait to be accepted


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
            _Server(_config(app, chosen), token, started).run()
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


def _config(app: object, port: int) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        host=ADDRESS,
        port=port,
        log_config=None,
        log_level="critical",
        access_log=False,  # the addresses have the words that are looked for
        server_header=False,
        date_header=False,
        ws="none",
        lifespan="off",
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=2,
    )
