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

MAX_QUERY_CHARS = 4096  # from which on a text is searched by its most telling line and words
MAX_PATTERN_CHARS = 1000  # of a regular expression
MAX_WORDS = 64  # words that are searched: the first ones, of a longer text those that tell most, with a warning
_QUOTED = re.compile(r'"([^"]*)"')


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a query, with its folded form and whether it counts. Stop words do not count."""

    form: bytes  # folded UTF-8, as terms are
    written: str  # as in the query
    counts: bool  # false for a stop word, unless the query has nothing but stop words
    cjk: bool  # a single character of a script without blanks


@dataclass(frozen=True, slots=True)
class Compound:
    """Several words of a query written as one, such as rate-limit, or one word with its punctuation, such as C++.

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

    asked: str  # as the caller wrote it
    text: str  # what is searched as a whole: all of it, or the most telling line of a long text
    folded: str  # fold() of the text, as literal search compares it
    options: Options
    words: tuple[Word, ...]  # at most MAX_WORDS
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
        """Parse `text` with checked options, at the time `now` in milliseconds since 1970.

        Of a text of more than MAX_QUERY_CHARS characters the beginning is parsed: shortened() chooses its most telling
        words later, for which it needs the eligible vocabulary. Raises TypeError for a text that is no str. Raises
        ValueError for a blank text, a pattern of more than MAX_PATTERN_CHARS characters, a time that cannot be read,
        and for time bounds that exclude every time.
        """
        if not isinstance(text, str):
            raise TypeError(f"query must be a string, not {text!r}")
        if not text.strip():
            raise ValueError("the query is empty")
        if options.match == "regex" and len(text) > MAX_PATTERN_CHARS:
            raise ValueError(f"the query has {len(text)} characters; at most {MAX_PATTERN_CHARS} are accepted")
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
        words, compounds = words_of(text[:MAX_QUERY_CHARS])
        warnings = [warning.text for warning in window.warnings]
        if len(words) > MAX_WORDS:
            if len(text) <= MAX_QUERY_CHARS:
                warnings.append(f"only the first {MAX_WORDS} words of the query are searched")
            words = words[:MAX_WORDS]
            compounds = [c for c in compounds if c.at + c.span <= MAX_WORDS]
        phrases = tuple(filter(str.strip, _QUOTED.findall(text[:MAX_QUERY_CHARS]))) if '"' in text else ()
        after, before = window.after or 0, window.before or 0
        return _query(
            text,
            text,
            fold(text[:MAX_QUERY_CHARS]),
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


_query, _make_words, _make_compounds = (
    RecordFactory(Query).make,
    RecordFactory(Word).make_all,
    RecordFactory(Compound).make_all,
)
_STOP_FORMS = frozenset(word.encode() for word in STOP_WORDS)


def words_of(text: str) -> tuple[list[Word], list[Compound]]:
    """Return the words of a query, and its compounds, that is, words written as one; both in the order of the text."""
    words, compounds = query_tokens(encode(text), _STOP_FORMS)
    return _make_words(words), _make_compounds(compounds)
