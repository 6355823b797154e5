"""The page of a search: its form as options of a search, its hits, and the sessions where nothing is looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from recall_rank.frontends.redaction.redacted_answers import hidden, response_without_secrets, session_without_secrets
from recall_rank.frontends.web.text_pieces import Piece
from recall_rank.model.project_scope import place_of, short_name
from recall_rank.model.response import Group, Match, Order
from recall_rank.model.serialize import repaired

if TYPE_CHECKING:
    from recall_rank.model import Result, SearchResponse, Session
    from recall_rank.recall import Recall

Listed = TypeVar("Listed", "Result", "Session")
PAGE: Final = 20  # hits of one page
RECENT: Final = 20  # sessions that are listed where nothing is looked for
QUERY_CHARS: Final = 2_000
BUDGET_MS: Final = 1_500
MAX_NAMES: Final = 500  # projects that the form suggests
_WIDTH: Final = 300
_TEXTS: Final = ("agent", "project", "since", "until")  # filters whose empty text is no filter
_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {  # name -> values; the first one is the default
    "role": ("all", "user", "assistant"),
    "type": ("all", "text", "tool", "reasoning"),
    "match": ("smart", *(each for each in get_args(Match) if each != "smart")),
    "group": get_args(Group),
    "order": get_args(Order),
}


@dataclass(frozen=True, slots=True)
class SearchForm:
    """The query, filters and page that an address asks for. Fields that have their default are no part of it."""

    query: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    page: int = 1

    @classmethod
    def read(cls, given: Mapping[str, str]) -> SearchForm:
        """Return the form of an address. Raises ValueError for a value that is none, in a sentence."""
        query = repaired(given.get("q", "")).strip()
        if len(query) > QUERY_CHARS:
            raise ValueError(f"a query has at most {QUERY_CHARS:,} characters; this one has {len(query):,}")
        filters = {name: value for name in _TEXTS if (value := given.get(name, "").strip())}
        for name, values in _CHOICES.items():
            value = given.get(name) or values[0]
            if value not in values:
                raise ValueError(f"{name} must be {' or '.join(values)}, not {value!r}")
            if value != values[0]:
                filters[name] = value
        return cls(query, filters, page_number(given.get("page", "")))

    @property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each field that has only some."""
        return _CHOICES

    def value(self, name: str) -> str:
        """Return the value of a field, its default where the form does not give one."""
        return self.filters.get(name, _CHOICES[name][0] if name in _CHOICES else "")

    def address(self, page: int | None = None) -> dict[str, str]:
        """Return the parameters of the address of this search, at another page if one is given."""
        at = self.page if page is None else page
        known = {"q": self.query, **self.filters, "page": str(at) if at > 1 else ""}
        return {name: value for name, value in known.items() if value}


@dataclass(frozen=True, slots=True)
class SearchView:
    """The contents of the page of a search: a response with its hits, or sessions where nothing is looked for."""

    form: SearchForm
    response: SearchResponse | None = None
    hits: Sequence[HitView] = ()
    sessions: Sequence[Session] = ()
    problem: str = ""

    @property
    def first(self) -> int:
        """The number of hits on earlier pages."""
        return (self.form.page - 1) * PAGE


@dataclass(frozen=True, slots=True)
class HitView:
    """One hit as a page shows it."""

    result: Result
    speaker: str
    snippet: tuple[Piece, ...]


def search_view(recall: Recall, form: SearchForm, *, redact: bool) -> SearchView:
    """Return what the page of a search shows. A query or filter that is refused becomes `problem`."""
    if not form.query:
        agent, project = form.filters.get("agent"), form.filters.get("project")
        recent = recall.sessions(agent=agent, limit=None if project else RECENT)
        if project:
            recent = [each for each in recent if project in (each.project, short_name(place_of(each)))][:RECENT]
        return SearchView(form, sessions=[listed_session(each) for each in recent] if redact else recent)
    options: dict[str, Any] = dict(form.filters)
    options |= {"results": PAGE, "offset": (form.page - 1) * PAGE, "width": _WIDTH, "budget_ms": BUDGET_MS}
    options["syntax"] = form.filters.get("match") not in ("literal", "regex")
    if redact:
        options["redact"] = hidden
    try:
        response = recall.search(form.query, **options)
    except (ValueError, TypeError) as error:
        return SearchView(form, problem=str(error))
    hosts = [hit.host for hit in response.results]
    if redact:
        response = response_without_secrets(response)
    hits = map(_with_known_host, response.results, hosts)
    return SearchView(form, response, tuple(map(_shown, hits)))


def listed_session(session: Session) -> Session:
    """Return a session with its secrets replaced, as a list shows it and links to it."""
    return _with_known_host(session_without_secrets(session), session.host)


def _with_known_host(shown: Listed, host: str | None) -> Listed:
    """Return a result or session without its machine where redaction has changed that: an address could not name it."""
    return shown if shown.host == host else replace(shown, host=None)


def _shown(hit: Result) -> HitView:
    kind = "" if hit.part_type in ("text", "tool") else hit.part_type
    speaker = "title" if hit.source == "title" else " · ".join(
        filter(None, (hit.author, hit.role, hit.tool_name, kind))
    )  # fmt: skip
    pieces: list[Piece] = []
    at = 0
    for start, end in sorted((span.start, span.end) for span in hit.spans):
        start = max(start, at)
        if start < end:
            pieces += [Piece(hit.snippet[at:start]), Piece(hit.snippet[start:end], marked=True)]
            at = end
    pieces.append(Piece(hit.snippet[at:]))
    return HitView(hit, speaker, tuple(piece for piece in pieces if piece.text))


def page_number(text: str) -> int:
    """Return the number of a page in an address, 1 for what is none."""
    return min(int(text), 50_000_000) if text.isascii() and text.isdigit() and len(text) < 12 and int(text) else 1


def names_of(sessions: Sequence[Session]) -> tuple[list[str], list[str]]:
    """Return the names of the agents and, at most MAX_NAMES, of the projects of sessions, in alphabetical order."""
    agents = sorted({session.agent for session in sessions if session.agent})
    projects = dict.fromkeys(name for session in sessions if (name := short_name(place_of(session))))
    return agents, sorted(list(projects)[:MAX_NAMES])
