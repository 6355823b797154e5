"""A query: parsed and validated once, then read by every stage."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, get_args

from recall_rank._core.runtime.record_factory import Maker
from recall_rank._core.text.tokens import asked
from recall_rank.analysis.normalize import STOP_WORDS, encode, fold
from recall_rank.analysis.text_edits import Redact
from recall_rank.analysis.time_filters import resolve_window
from recall_rank.model import Context, Group, Match, Order, Scope
from recall_rank.weights import DEFAULT, Weights

MAX_QUERY_CHARS = 4096
MAX_PATTERN_CHARS = 1000
MAX_RESULTS = 1000
MAX_BUDGET_MS = 86_400_000  # a day
MAX_WORDS = 64  # words that are searched; the rest of a longer query is ignored with a warning
_QUOTED = re.compile(r'"([^"]*)"')

TYPES = ("text", "tool", "reasoning", "all")
ROLE_FILTERS = ("user", "assistant", "all")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the query as it is compared, and as it was written."""

    form: bytes
    written: str
    counts: bool  # false for stop words beside words that mean something
    cjk: bool


@dataclass(frozen=True, slots=True)
class Compound:
    """Several words that were written as one, or a word with its punctuation: covers words[at:at + span]."""

    form: bytes
    written: str
    at: int
    span: int
    cjk: bool


@dataclass(frozen=True, slots=True)
class Options:
    """Everything a search may be asked besides its words; names and values are those of the recall tool.

    Raises ValueError or TypeError naming the option, the value and what is accepted.
    """

    match: Match = "smart"
    scope: Scope = "global"
    group: Group = "part"
    type: str = "all"
    role: str = "all"
    session_id: str | None = None
    title: str | None = None
    sessions: int | None = None
    results: int = 10
    width: int = 200
    before: int | str | None = None
    after: int | str | None = None
    last: str | None = None
    from_: str | None = None
    to: str | None = None
    since: str | None = None
    until: str | None = None
    directory: str | None = None
    fallback: bool = False
    tool_name: str | None = None
    explain: bool = False
    budget_ms: float = 2000.0
    now: int | None = None
    cancel: Any = None  # an object with is_set(), such as threading.Event
    context: Context | None = None
    project: str | None = None
    exclude_session_ids: Sequence[str] = ()
    must: Sequence[str] = ()
    must_not: Sequence[str] = ()
    order: Order = "relevance"
    offset: int = 0
    extra_scores: Mapping[str, float] | None = None
    redact: Redact | None = None
    weights: Weights | None = None

    def __post_init__(self) -> None:
        _one_of("match", self.match, get_args(Match))
        _one_of("scope", self.scope, get_args(Scope))
        _one_of("group", self.group, get_args(Group))
        _one_of("type", self.type, TYPES)
        _one_of("role", self.role, ROLE_FILTERS)
        _one_of("order", self.order, get_args(Order))
        _whole("results", self.results, 1, MAX_RESULTS)
        _whole("width", self.width, 20, 10_000)
        _whole("offset", self.offset, 0, 2**31)
        if self.sessions is not None:
            _whole("sessions", self.sessions, 1, 2**31)
        if not _is_number(self.budget_ms) or not 0 < self.budget_ms <= MAX_BUDGET_MS:
            raise ValueError(f"budget_ms must be a number above 0, up to {MAX_BUDGET_MS}, not {self.budget_ms!r}")
        self._check_types()
        if self.now is not None:
            _whole("now", self.now, 0, 2**53)
        if self.tool_name and self.type not in ("all", "tool"):
            raise ValueError(f"tool_name goes with type 'all' or 'tool', not {self.type!r}")
        if self.scope != "global" and not self.session_id:
            needed = ("session_id",) if self.scope == "session" else ("project", "directory", "worktree")
            if self.context is None or not any(getattr(self.context, name) for name in needed):
                wanted = " or ".join(needed)
                raise ValueError(f"scope {self.scope!r} needs a context with {wanted}, not {self.context!r}")

    def _check_types(self) -> None:
        for name in ("fallback", "explain"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, not {getattr(self, name)!r}")
        for name in ("session_id", "title", "directory", "tool_name", "project"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{name} must be a string, not {value!r}")
        for name in ("must", "must_not", "exclude_session_ids"):
            value = getattr(self, name)
            # an iterator would be used up here and leave nothing to filter by
            listed = isinstance(value, (list, tuple, set, frozenset))
            if not listed or not all(isinstance(item, str) and item for item in value):
                raise TypeError(f"{name} must be a list of non-empty strings, not {value!r}")
        signal: object = self.extra_scores
        if signal is not None and not (isinstance(signal, Mapping) and all(map(_is_number, signal.values()))):
            raise TypeError(f"extra_scores must map part ids to numbers, not {signal!r}")
        if self.context is not None and not isinstance(self.context, Context):
            raise TypeError(f"context must be a recall_rank.Context, not {self.context!r}")
        if self.redact is not None and not callable(self.redact):
            raise TypeError(f"redact must be a function (text, low, high) that gives edits, not {self.redact!r}")
        if self.weights is not None and not isinstance(self.weights, Weights):
            raise TypeError(f"weights must be a recall_rank.weights.Weights, not {self.weights!r}")
        if self.cancel is not None and not callable(getattr(self.cancel, "is_set", None)):
            raise TypeError(f"cancel must have is_set(), as threading.Event has; {self.cancel!r} has not")


OPTION_NAMES = frozenset(f.name for f in fields(Options))
_PLAIN = frozenset((str, int, float, bool, type(None)))


def options_of(given: Mapping[str, Any]) -> Options:
    """The options given by name; plain values that come again are not checked again."""
    return _checked(**given) if _PLAIN.issuperset(map(type, given.values())) else Options(**given)


_checked = lru_cache(maxsize=64, typed=True)(Options)


@dataclass(frozen=True, slots=True)
class Query:
    """The words of a query and its options. `after` and `before` are exclusive bounds in ms, 0 for none."""

    text: str
    folded: str  # as literal search compares it
    options: Options
    words: tuple[Word, ...]
    counting: int  # words that count
    compounds: tuple[Compound, ...]
    phrases: tuple[str, ...]
    now: int
    after: int
    before: int
    weights: Weights
    warnings: tuple[str, ...] = field(default=())

    @classmethod
    def parse(cls, text: str, now: int, options: Options) -> Query:
        """Raises ValueError for an empty query, one that is too long, or an impossible time window."""
        if not isinstance(text, str):
            raise TypeError(f"query must be a string, not {text!r}")
        if not text.strip():
            raise ValueError("the query is empty")
        longest = MAX_PATTERN_CHARS if options.match == "regex" else MAX_QUERY_CHARS
        if len(text) > longest:
            raise ValueError(f"the query has {len(text)} characters; at most {longest} are accepted")
        window = resolve_window(
            now,
            after=options.after,
            before=options.before,
            last=options.last,
            from_=options.from_,
            to=options.to,
            since=options.since,
            until=options.until,
            strict=True,
        )
        words, compounds = _words(text)
        warnings = [warning.text for warning in window.warnings]
        if len(words) > MAX_WORDS:
            warnings.append(f"only the first {MAX_WORDS} words of the query are searched")
            words = words[:MAX_WORDS]
            compounds = [c for c in compounds if c.at + c.span <= MAX_WORDS]
        phrases = tuple(phrase for phrase in _QUOTED.findall(text) if phrase.strip()) if '"' in text else ()
        after, before = window.after or 0, window.before or 0
        return _query(
            text,
            fold(text),
            options,
            tuple(words),
            sum([word.counts for word in words]),
            tuple(compounds),
            phrases,
            now,
            after,
            before,
            options.weights or DEFAULT,
            tuple(warnings),
        )


_query, _words_of, _compounds_of = Maker(Query).make, Maker(Word).each, Maker(Compound).each
_STOP_FORMS = frozenset(word.encode() for word in STOP_WORDS)


def _words(text: str) -> tuple[list[Word], list[Compound]]:
    words, compounds = asked(encode(text), _STOP_FORMS)
    return _words_of(words), _compounds_of(compounds)


def _one_of(name: str, value: object, accepted: Sequence[str]) -> None:
    if value not in accepted:
        listed = ", ".join(repr(item) for item in accepted[:-1])
        raise ValueError(f"{name} must be {listed} or {accepted[-1]!r}, not {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
