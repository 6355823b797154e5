"""The parsed query: its words, compounds (words written as one), quoted phrases, options and weights."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from recall_rank._core.runtime.record_factory import RecordFactory
from recall_rank._core.text.tokens import query_tokens
from recall_rank.analysis.normalize import encode, fold
from recall_rank.analysis.stop_words import STOP_WORDS
from recall_rank.analysis.time_filters import resolve_window
from recall_rank.search.options import Options
from recall_rank.weights import DEFAULT, Weights

MAX_QUERY_CHARS = 4096
MAX_PATTERN_CHARS = 1000  # of a regular expression
MAX_WORDS = 64  # words that are searched; further words of a query are ignored, with a warning
_QUOTED = re.compile(r'"([^"]*)"')


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a query, with its folded form and whether it counts, that is, is not a stop word."""

    form: bytes  # folded UTF-8, as terms are
    written: str  # as in the query
    counts: bool  # false for a stop word, unless the query has nothing but stop words
    cjk: bool  # a single character of a script without blanks


@dataclass(frozen=True, slots=True)
class Compound:
    """Several words of a query written as one, or one word with its punctuation.

    It covers the `span` words of the query from index `at` on.
    """

    form: bytes
    written: str
    at: int
    span: int
    cjk: bool


@dataclass(frozen=True, slots=True)
class Query:
    """A query text, parsed, with its checked options. Times are milliseconds since 1970, UTC."""

    text: str
    folded: str  # fold() of the text, as literal search compares it
    options: Options
    words: tuple[Word, ...]
    counting: int  # the number of words that count
    compounds: tuple[Compound, ...]
    phrases: tuple[str, ...]  # texts in double quotes
    now: int
    after: int  # messages must be later; 0 for no bound
    before: int  # messages must be earlier; 0 for no bound
    weights: Weights
    warnings: tuple[str, ...] = field(default=())

    @classmethod
    def parse(cls, text: str, now: int, options: Options) -> Query:
        """The query that `text` and checked options give, at the time `now` in milliseconds since 1970.

        Raises ValueError for a blank or too long text, and for time bounds that exclude every time.
        """
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


_query, _words_of, _compounds_of = (
    RecordFactory(Query).make,
    RecordFactory(Word).make_all,
    RecordFactory(Compound).make_all,
)
_STOP_FORMS = frozenset(word.encode() for word in STOP_WORDS)


def _words(text: str) -> tuple[list[Word], list[Compound]]:
    """The words of a query, and its compounds, that is, words written as one; both in the order of the text."""
    words, compounds = query_tokens(encode(text), _STOP_FORMS)
    return _words_of(words), _compounds_of(compounds)
