"""The application of the pages: addresses, the guard before them, and how many requests are answered at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from recall_rank.frontends.web.guard import AccessGuard
from recall_rank.frontends.web.pages import Forget, Pages
from recall_rank.frontends.web.templating import FOLDER

if TYPE_CHECKING:
    from starlette.requests import Request

    from recall_rank.recall import Recall

AT_ONCE: Final = 8  # requests that threads answer; others wait, as many as there may be connections
_BODY: Final = 4_096  # bytes of a form that are read
_GONE: Final = 499  # nobody reads the answer


def web_application(recall: Recall, token: str, *, redact: bool = False, forget: Forget | None = None) -> Starlette:
    """Return an ASGI application that shows the histories of `recall` to a browser that has `token`.

    It stands on Recall alone and changes nothing; only with `forget` it has a form that takes a session out of the
    cache. With `redact`, keys and passwords are replaced in all that is shown.
    """
    pages = Pages(recall, redact=redact, forget=forget)
    served = _Served(pages)
    routes = [
        Route("/", served.page(pages.search)),
        Route("/session", served.page(pages.session)),
        Route("/message", served.page(pages.message)),
        Route("/activity", served.page(pages.activity)),
        Route("/lineage", served.page(pages.lineage)),
        Route("/coverage", served.page(pages.coverage)),
        Route("/forget", served.page(pages.ask_to_forget), methods=["GET"]),
        Route("/forget", served.forget, methods=["POST"]),
        Mount("/static", StaticFiles(directory=FOLDER / "static")),
    ]
    return Starlette(routes=routes, middleware=[Middleware(AccessGuard, token=token)])


class _Served:
    """Answers requests in threads, AT_ONCE at a time; errors become pages that say what is wrong."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._places = asyncio.Semaphore(AT_ONCE)

    def page(self, answer: Callable[[Request], Response]) -> Callable[[Request], object]:
        """Return the endpoint that serves what a method of Pages answers."""

        async def endpoint(request: Request) -> Response:
            return await self._answered(request, lambda: answer(request))

        return endpoint

    async def forget(self, request: Request) -> Response:
        """Serve the form that forgets a session."""
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _BODY:
                return PlainTextResponse("413: this is no form of these pages\n", 413)
        return await self._answered(request, lambda: self._pages.forget(body))

    async def _answered(self, request: Request, answer: Callable[[], Response]) -> Response:
        async with self._places:
            if await request.is_disconnected():  # such as a search that the next key replaced
                return Response(status_code=_GONE)
            return await run_in_threadpool(self._safe, answer)

    def _safe(self, answer: Callable[[], Response]) -> Response:
        try:
            return answer()
        except LookupError as error:
            return self._pages.problem(404, str(error.args[0]) if error.args else "there is no such page")
        except ValueError as error:
            return self._pages.problem(400, str(error))
        except OSError as error:
            return self._pages.problem(500, f"this cannot be read: {error.strerror or error}")
