"""The options of a search: the names a caller may pass, and the record Options that checks their values."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypedDict, cast, get_args

from recall_rank.analysis.text_edits import Redact
from recall_rank.analysis.user_vocabulary import UserVocabulary
from recall_rank.model import Context, Group, Match, Order, Scope
from recall_rank.model.option_errors import OptionTypeError, OptionValueError
from recall_rank.model.record_classes import field_names, frozen
from recall_rank.weights import Weights

MAX_RESULTS = 1000
MAX_BUDGET_MS = 86_400_000  # a day

TYPES = ("text", "tool", "reasoning", "all")
ROLE_FILTERS = ("user", "assistant", "all")


ExtraScores = Mapping[str, float] | Mapping[tuple[str, str], float] | Mapping[str | tuple[str, str], float]
"""Part id, or (session id, part id), -> the caller's own score; a part id alone is that part of every session."""


class RerankOptions(TypedDict, total=False):
    """The keyword arguments of rerank(): the search options that concern the texts themselves."""

    match: Match
    budget_ms: float
    now: int | None
    cancel: Any
    must: Collection[str]
    must_not: Collection[str]
    weights: Weights | None


class RankOptions(RerankOptions, total=False):
    """The keyword arguments of rank(): search options as in SearchOptions.

    The search option `sessions` is not among them, since the argument of rank() with that name is the corpus.
    """

    scope: Scope
    group: Group
    type: str
    role: str
    session_id: str | None
    session_prefix: str | None
    title: str | None
    results: int
    width: int
    before: int | str | None
    after: int | str | None
    last: str | None
    from_: str | None
    to: str | None
    since: str | None
    until: str | None
    directory: str | None
    fallback: bool
    tool_name: str | None
    explain: bool
    context: Context | None
    project: str | None
    agent: str | None
    host: str | None
    user: str | None
    files: Collection[str]
    exclude_session_ids: Collection[str]
    exact: Collection[str]
    syntax: bool
    vocabulary: UserVocabulary | None
    order: Order
    offset: int
    fold: bool
    extra_scores: ExtraScores | None
    redact: Redact | None


class SearchOptions(RankOptions, total=False):
    """The keyword arguments of Index.search and Recall.search. Their defaults and checks are in the class Options."""

    sessions: int | None


@frozen
class Options:
    """The options of one search, with their defaults. Creating one checks every value.

    Raises OptionValueError or OptionTypeError; the message names the option, its value and the accepted values.
    """

    match: Match = "smart"
    scope: Scope = "global"
    group: Group = "part"
    type: str = "all"
    role: str = "all"
    session_id: str | None = None
    session_prefix: str | None = None
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
    agent: str | None = None
    host: str | None = None
    user: str | None = None
    files: Collection[str] = ()
    exclude_session_ids: Collection[str] = ()
    must: Collection[str] = ()
    must_not: Collection[str] = ()
    exact: Collection[str] = ()
    syntax: bool = False
    vocabulary: UserVocabulary | None = None
    order: Order = "relevance"
    offset: int = 0
    fold: bool = True
    extra_scores: ExtraScores | None = None
    redact: Redact | None = None
    weights: Weights | None = None  # None for recall_rank.weights.DEFAULT

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
            raise OptionValueError(
                "budget_ms", f"must be a number above 0, up to {MAX_BUDGET_MS}, not {self.budget_ms!r}"
            )
        self._check_types()
        if self.now is not None:
            _whole("now", self.now, 0, 2**53)
        if self.tool_name and self.type not in ("all", "tool"):
            raise OptionValueError("tool_name", f"goes with type 'all' or 'tool', not {self.type!r}")
        if self.scope != "global" and not self.session_id:
            places = ("project", "repository", "worktree", "directory")
            needed = ("session_id",) if self.scope == "session" else places
            if self.context is None or not any(getattr(self.context, name) for name in needed):
                raise OptionValueError("scope", f"{self.scope!r} needs a context with {' or '.join(needed)}")

    def _check_types(self) -> None:
        """Raise OptionTypeError for the first option whose value is not of the type of its annotation.

        Raises OptionValueError for a number in `extra_scores` that is not finite.
        """
        for name in ("fallback", "explain", "syntax", "fold"):
            if not isinstance(getattr(self, name), bool):
                raise OptionTypeError(name, f"must be True or False, not {getattr(self, name)!r}")
        for name in _STRINGS:
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise OptionTypeError(name, f"must be a string, not {value!r}")
        for name in ("must", "must_not", "exact", "files", "exclude_session_ids"):
            value = getattr(self, name)
            # an iterator would be exhausted by this check
            listed = isinstance(value, (list, tuple, set, frozenset))
            if not listed or not all(isinstance(item, str) and item for item in value):
                raise OptionTypeError(name, f"must be a list of non-empty strings, not {value!r}")
            if name in ("exact", "files") and not all(map(str.strip, value)):
                raise OptionValueError(name, f"must be a list of strings that are not blank, not {value!r}")
        _check_extra_scores(self.extra_scores)
        if self.context is not None and not isinstance(self.context, Context):
            raise OptionTypeError("context", f"must be a recall_rank.Context, not {self.context!r}")
        if self.redact is not None and not callable(self.redact):
            raise OptionTypeError(
                "redact", f"must be a function (text, low, high) that gives edits, not {self.redact!r}"
            )
        if self.weights is not None and not isinstance(self.weights, Weights):
            raise OptionTypeError("weights", f"must be a recall_rank.weights.Weights, not {self.weights!r}")
        if self.vocabulary is not None and not isinstance(self.vocabulary, UserVocabulary):
            raise OptionTypeError("vocabulary", f"must be a recall_rank.UserVocabulary, not {self.vocabulary!r}")
        if self.cancel is not None and not callable(getattr(self.cancel, "is_set", None)):
            raise OptionTypeError("cancel", f"must have is_set(), as threading.Event has; {self.cancel!r} has not")


_STRINGS = ("session_id", "session_prefix", "title", "directory", "tool_name", "project", "agent", "host", "user")
OPTION_NAMES = frozenset(field_names(Options))
_PLAIN = frozenset((str, int, float, bool, type(None), UserVocabulary))  # equal only to itself


def parse_options(given: SearchOptions) -> Options:
    """Return the checked Options for options given by name.

    Options whose values are all strings, numbers, vocabularies or None are cached, so that repeated ones are not
    checked again.
    Raises TypeError for an unknown name, and the errors of Options.
    """
    if not OPTION_NAMES.issuperset(given):
        unknown = sorted(given.keys() - OPTION_NAMES)
        raise TypeError(f"unknown option {', '.join(unknown)}; accepted are {', '.join(sorted(OPTION_NAMES))}")
    values = cast("dict[str, Any]", given)
    return _checked(**values) if _PLAIN.issuperset(map(type, values.values())) else Options(**values)


_checked = lru_cache(maxsize=64, typed=True)(Options)


def _one_of(name: str, value: object, accepted: Sequence[str]) -> None:
    """Raise OptionValueError unless the value of the option `name` is one of `accepted`."""
    if value not in accepted:
        listed = ", ".join(repr(item) for item in accepted[:-1])
        raise OptionValueError(name, f"must be {listed} or {accepted[-1]!r}, not {value!r}")


def _is_number(value: object) -> bool:
    """Return whether a value is an int or a float, and not a bool."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _check_extra_scores(scores: object) -> None:
    """Raise OptionTypeError unless `scores` is None or a mapping from part ids, or (session id, part id), to numbers.

    Raises OptionValueError for a number that is not finite.
    """
    if scores is None:
        return
    if not isinstance(scores, Mapping):
        raise OptionTypeError("extra_scores", f"must map part ids to numbers, not {scores!r}")
    from numbers import Real  # numpy's numbers are Real, too

    for key, score in scores.items():
        pair = isinstance(key, tuple) and len(key) == 2 and all(isinstance(each, str) for each in key)
        if not isinstance(key, str) and not pair:
            raise OptionTypeError("extra_scores", f"must map part ids or (session id, part id) to numbers, not {key!r}")
        if isinstance(score, bool) or not isinstance(score, Real):
            raise OptionTypeError("extra_scores", f"must map part ids to numbers, not {key!r} to {score!r}")
        if not math.isfinite(score):
            raise OptionValueError("extra_scores", f"must map part ids to finite numbers, not {key!r} to {score!r}")


def _whole(name: str, value: object, low: int, high: int) -> None:
    """Raise OptionValueError unless the value of the option `name` is an int in [low, high]."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise OptionValueError(name, f"must be a whole number from {low} to {high}, not {value!r}")
