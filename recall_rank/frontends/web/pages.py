"""The pages of a history: each method answers the requests for one address."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from starlette.datastructures import QueryParams
from starlette.responses import HTMLResponse, RedirectResponse, Response

from recall_rank.frontends.activity.activity import PERIODS, Activity, activity
from recall_rank.frontends.redaction.redact import redacted
from recall_rank.frontends.web.charts import coverage_bars, timeline
from recall_rank.frontends.web.conversation import figures_in_words
from recall_rank.frontends.web.search_view import (
    SearchForm,
    SearchView,
    listed_session,
    names_of,
    page_number,
    search_view,
)
from recall_rank.frontends.web.session_shelf import OpenedSession, SessionShelf
from recall_rank.frontends.web.session_view import (
    SessionMatches,
    SessionView,
    matches_in,
    message_view,
    page_of,
    session_view,
)
from recall_rank.frontends.web.templating import templates
from recall_rank.model import Session
from recall_rank.model.agent_names import named_id
from recall_rank.model.option_errors import error_text
from recall_rank.model.response import Match

if TYPE_CHECKING:
    from starlette.requests import Request

    from recall_rank.recall import Recall

ACTIVITY_SECONDS: Final = 60.0  # counting a large history takes a second: the counts are kept so long
_BODY: Final = 4_096  # bytes of a form
Forget = Callable[[Session], None]
"""Takes a session out of the cache for good; raises OSError or ValueError, with a sentence, when it cannot."""


class Pages:
    """The pages of the histories of a Recall. Every method takes a request and returns the answer to it.

    With `redact`, keys and passwords are replaced in all that is shown. Without `forget`, no page changes anything.
    """

    def __init__(self, recall: Recall, *, redact: bool = False, forget: Forget | None = None) -> None:
        self._recall = recall
        self._redact = redact
        self._forget = forget
        self._shelf = SessionShelf(recall)
        self._form_secret = secrets.token_bytes(32)
        self._activity: tuple[float, Activity] | None = None
        self._names: tuple[float, tuple[list[str], list[str]]] | None = None
        self._counting = threading.Lock()  # a search must not wait for the counts of the activity
        self._naming = threading.Lock()

    def search(self, request: Request) -> Response:
        """Answer with the form and the hits of a search; without a query, with the newest sessions."""
        agents, projects = self._known_names()
        try:
            form = SearchForm.read(request.query_params)
            view = search_view(self._recall, form, redact=self._redact)
        except ValueError as error:
            view = SearchView(SearchForm(), problem=str(error))
        bars = coverage_bars(view.response.coverage) if view.response is not None else []
        known: dict[str, Any] = {"view": view, "form": view.form, "agents": agents, "projects": projects, "bars": bars}
        return self._page("search.html", 400 if view.problem else 200, known)

    def session(self, request: Request) -> Response:
        """Answer with a page of a session. An address that names a message leads to the page that has it."""
        asked = request.query_params
        opened, matches = self._opened(asked)
        wanted = asked.get("message")
        if wanted is not None and wanted in opened.numbers:
            number = opened.numbers[wanted]
            address = {**self._about(opened, matches), "page": str(page_of(number))}
            return RedirectResponse(f"{request.url.path}?{QueryParams(address)}#m{number}", 303)
        view = session_view(opened, page_number(asked.get("page", "")), matches, redact=self._redact)
        return self._page("session.html", 200, self._of_session(view, opened, matches))

    def message(self, request: Request) -> Response:
        """Answer with one message of a session, whose long texts are shown in stretches."""
        asked = request.query_params
        opened, matches = self._opened(asked)
        start = page_number(asked.get("from", "")) if asked.get("from", "0") != "0" else 0
        number = page_number(asked.get("number", ""))
        view = message_view(opened, number, start, matches, redact=self._redact)
        known = {**self._of_session(view, opened, matches), "number": number, "start": start}
        return self._page("message.html", 200, known)

    def activity(self, request: Request) -> Response:
        """Answer with the messages per period, project and agent, drawn and as tables."""
        unit = request.query_params.get("by") or None
        if unit not in (None, *PERIODS):
            raise ValueError(f"by must be {' or '.join(PERIODS)}, not {unit!r}")
        view = timeline(self._counted_activity(), unit)
        return self._page("activity.html", 200, {"view": view, "units": PERIODS, "chosen": unit or ""})

    def lineage(self, request: Request) -> Response:
        """Answer with the tree of sessions that are linked with one."""
        chain = self._recall.chain(request.query_params.get("id", ""))
        if self._redact:
            nodes = tuple(replace(each, session=listed_session(each.session)) for each in chain.nodes)
            chain = replace(chain, nodes=nodes)
        spent = [(node, list(figures_in_words(node.figures.tokens, node.figures.cost))) for node in chain.nodes]
        return self._page("lineage.html", 200, {"chain": chain, "nodes": spent})

    def coverage(self, _: Request) -> Response:
        """Answer with what is searched: a report on each source, and what could not be read."""
        reports = self._recall.sources()
        most = max((report.parts for report in reports), default=0) or 1
        known = {"reports": reports, "most": most, "checked": self._recall.checked, "notes": self._recall.notes()}
        return self._page("coverage.html", 200, known)

    def ask_to_forget(self, request: Request) -> Response:
        """Answer with the form that forgets a session."""
        session = self._recall.session(request.query_params.get("id", ""))
        named = self._named(session)
        known = {
            "session": listed_session(session) if self._redact else session,
            "named": named,
            "token": self._form_token(named),
            "can": self._forget is not None,
        }
        return self._page("forget.html", 200, known)

    def forget(self, body: bytes) -> Response:
        """Forget the session that the form of ask_to_forget() names; answer 403 unless it has the form's token."""
        form = QueryParams(body.decode("utf-8", "replace")) if len(body) <= _BODY else QueryParams()
        wanted, token = form.get("id", ""), form.get("form_token", "")
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._form_token(wanted).encode()):
            return self.problem(403, "this form is not one of this program")
        if self._forget is None:
            return self.problem(404, "nothing can be forgotten here: there is no cache")
        session = self._recall.session(wanted)
        try:
            self._forget(session)
        except (OSError, ValueError) as error:
            return self.problem(500, error_text(error))
        self._shelf.clear()
        with self._counting, self._naming:
            self._activity = self._names = None
        return self._page("forgotten.html", 200, {})

    def problem(self, status: int, sentence: str) -> Response:
        """Answer with a sentence about what went wrong."""
        return self._page("problem.html", status, {"sentence": self._plain(sentence), "status": status})

    def _page(self, name: str, status: int, known: Mapping[str, Any]) -> Response:
        shared = {"redacts": self._redact, "can_forget": self._forget is not None, "now": int(time.time() * 1000)}
        shown = templates().get_template(name).render(**shared, **known, plain=self._plain)
        return HTMLResponse(shown.encode("utf-8", "replace"), status)

    def _plain(self, text: str | None) -> str:
        """Return a name, title or path as it is shown: with `redact`, without keys and passwords."""
        return redacted(text or "") if self._redact else text or ""

    def _named(self, session: Session) -> str:
        """Return the name of a session in addresses: its id, with its machine unless redaction would change that."""
        named = named_id(session.id, session.host)
        return named if self._plain(named) == named else session.id

    def _opened(self, asked: Mapping[str, str]) -> tuple[OpenedSession, SessionMatches]:
        """Return the session that an address names, and the messages that its query finds in it."""
        match = asked.get("match") or "smart"
        if match not in get_args(Match):
            raise ValueError(f"match must be {' or '.join(get_args(Match))}, not {match!r}")
        form = SearchForm.read({"q": asked.get("q", "")})
        opened = self._shelf.open(asked.get("id", ""))
        return opened, matches_in(self._recall, opened, form.query, cast("Match", match), redact=self._redact)

    def _of_session(self, view: SessionView, opened: OpenedSession, matches: SessionMatches) -> dict[str, Any]:
        return {"view": view, "about": self._about(opened, matches), "matches": matches, "session": view.session}

    def _form_token(self, named: str) -> str:
        """Return the token of the form that forgets the session of this name, which no other program can make."""
        return hmac.new(self._form_secret, named.encode("utf-8", "replace"), "sha256").hexdigest()

    def _counted_activity(self) -> Activity:
        with self._counting:
            if self._activity is None or time.monotonic() - self._activity[0] > ACTIVITY_SECONDS:
                ids = {session.id for session in self._recall.sessions()}
                self._activity = time.monotonic(), activity(self._recall.indexed(ids))
            return self._activity[1]

    def _known_names(self) -> tuple[list[str], list[str]]:
        with self._naming:
            if self._names is None or time.monotonic() - self._names[0] > ACTIVITY_SECONDS:
                agents, projects = names_of(self._recall.sessions())
                # a filter by a redacted name would find nothing
                agents, projects = (
                    [name for name in names if self._plain(name) == name] for names in (agents, projects)
                )
                self._names = time.monotonic(), (agents, projects)
            return self._names[1]

    def _about(self, opened: OpenedSession, matches: SessionMatches) -> dict[str, str]:
        """Return the parameters of an address that name a session and what is marked in it."""
        named = self._named(opened.session)
        known = {"id": named, "q": matches.query, "match": matches.match if matches.match != "smart" else ""}
        return {name: value for name, value in known.items() if value}
