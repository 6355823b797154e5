"""The guard before all pages: it refuses requests without a right to an answer, and restricts what a page may do.

Any page in a browser can send requests to this machine, and any program on it can. A request is served only if it names
this machine as its host (which DNS rebinding cannot), comes from no other origin, and has the cookie that the first
address sets, which contains a random token.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS: Final = ("127.0.0.1", "localhost")
TOKEN: Final = "token"  # noqa: S105 - the name of a parameter
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "img", "connect")),
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # "no-referrer" would take the origin off the form that forgets a session
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_LEADS_ON: Final = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">'
    '<title>recall_rank</title><p><a href="/">The pages of recall_rank</a></p>\n'
)
_OF_PACKAGE: Final = "/static/"
_OK: Final = 200
_SAFE_METHODS: Final = ("GET", "HEAD")
_OWN_SITES: Final = ("same-origin", "none")  # none: the user typed the address or opened a bookmark


class AccessGuard:
    """An ASGI application that answers 403 in place of another one, unless a request has the right to an answer."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        """Guard `app`. The address of the first page with `token` sets a cookie, which all other requests need."""
        self._app = app
        self._token = token
        self._cookie = f"recall_rank_{secrets.token_hex(4)}"  # browsers do not tell the ports of a host apart
        self._secret = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it with 403 and the reason."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"a {scope['type']} connection is not served")
        headers = Headers(scope=scope)
        answer = self._of_elsewhere(headers) or self._first_visit(scope, headers)
        if answer is None:
            answer = self._of_another_site(scope["method"], headers)
        if answer is None and not self._has_cookie(headers):
            answer = _refused("open the address that `recall-rank web` printed: it lets this browser in")

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    told[name] = value
                if scope["path"].startswith(_OF_PACKAGE) and message["status"] == _OK:
                    told["cache-control"] = "private, max-age=600"  # nothing of a history
            await send(message)

        await (self._app if answer is None else answer)(scope, receive, send_guarded)

    def _of_elsewhere(self, headers: Headers) -> Response | None:
        """Return the answer to a request for another host or from another origin."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or _name_of(hosts[0]) not in HOSTS:
            return _refused("this is served to 127.0.0.1 and localhost only")
        origins = headers.getlist("origin")
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            return _refused("pages of other origins are not served")
        return None

    def _of_another_site(self, method: str, headers: Headers) -> Response | None:
        """Return the answer to a request that a page of another site has made, or a form of an unknown one."""
        if any(site not in _OWN_SITES for site in headers.getlist("sec-fetch-site")):
            return _refused("pages of other sites are not served; open the address from the address bar")
        if method not in _SAFE_METHODS and not headers.getlist("origin"):
            return _refused("a form must say from where it was sent")
        return None

    def _first_visit(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the answer to the first address, which sets the cookie if its token is right.

        A browser that comes from the private page of `recall-rank web` names another site. It would not send a strict
        cookie with a redirect from there, so a page of this site leads on.
        """
        given = QueryParams(scope["query_string"].decode("latin-1")).getlist(TOKEN)
        if scope["path"] != "/" or not given:
            return None
        if len(given) != 1 or not _equal(given[0], self._token):
            return _refused("this token is not the one of the running program")
        is_led = any(site not in _OWN_SITES for site in headers.getlist("sec-fetch-site"))
        answer = HTMLResponse(_LEADS_ON) if is_led else RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, self._secret, httponly=True, samesite="strict", path="/")
        return answer

    def _has_cookie(self, headers: Headers) -> bool:
        return any(_equal(value, self._secret) for value in _cookies(headers.getlist("cookie"), self._cookie))


def _refused(reason: str) -> Response:
    return PlainTextResponse(f"403: {reason}\n", 403)


def _name_of(host: str) -> str:
    """Return the name in a Host header, without its port; "" for what is no name and port."""
    name, colon, port = host.lower().partition(":")
    return name if not colon or (port.isascii() and port.isdigit()) else ""


def _equal(given: str, wanted: str) -> bool:
    """Return whether two strings are equal, in a time that does not tell how far they are."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _cookies(headers: Iterable[str], name: str) -> list[str]:
    """Return the values of the cookies with this name."""
    return [cookies[name] for cookies in map(cookie_parser, headers) if name in cookies]
