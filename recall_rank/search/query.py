"""The parsed query: its words, compounds (words written as one), quoted phrases, variants, options and weights."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from recall_rank._core.runtime.record_factory import RecordFactory
from recall_rank._core.text.tokens import query_tokens
from recall_rank.analysis.languages.question_words import characters_of_question_words
from recall_rank.analysis.normalize import encode, fold
from recall_rank.analysis.query_syntax import OR, read_syntax
from recall_rank.analysis.stop_words import STOP_WORDS
from recall_rank.analysis.time_filters import resolve_window
from recall_rank.analysis.user_vocabulary import UserVocabulary, forms_of, stand_in
from recall_rank.model.query_syntax import QuerySyntax
from recall_rank.model.record_classes import field, frozen, replace
from recall_rank.search.options import Options
from recall_rank.weights import DEFAULT, Weights

MAX_PHRASES = 8  # exact phrases that weigh: each is looked for in the text around every candidate
MAX_QUERY_CHARS = 4096  # from which on a text is searched by its most telling line and words
MAX_PATTERN_CHARS = 1000  # of a regular expression
MAX_WORDS = 64  # words that are searched: the first ones, of a longer text those that tell most, with a warning
MAX_CHARACTERS = 240  # words that are searched if there are characters of scripts without spaces among them, which are
# not counted in MAX_WORDS: a character is a fraction of a word
_MARKS = b"_-.@#+%"  # at an edge of a special form
_QUOTED = re.compile(r'"([^"]*)"')


@frozen
class Word:
    """One word of a query, with its folded form and whether it counts. Stop words do not count."""

    form: bytes  # folded UTF-8, as terms are
    written: str  # as in the query
    counts: bool  # false for a stop word, unless the query has nothing but stop words
    cjk: bool  # a single character of a script without blanks


@frozen
class Compound:
    """Several words of a query written as one, such as rate-limit, or a name with its punctuation, such as C++ and _x.

    It covers the `span` words of the query from index `at` on.
    """

    form: bytes
    written: str
    at: int
    span: int
    cjk: bool


def is_special(form: bytes) -> bool:
    """Return whether a form, of a word of a query or a term, is special, that is, has punctuation at an edge."""
    return form[0] in _MARKS or form[-1] in _MARKS


@frozen
class Variant:
    """A text that counts in place of the `span` words of a query from index `at` on: a synonym, or what follows OR.

    A document with that text counts as one with these words, in the share `share`. A text of several words is matched
    where a document holds all of them that count.
    """

    written: str
    words: tuple[Word, ...]
    joined: bytes  # the words written as one; empty for a single word
    at: int
    span: int
    share: float
    synonym: bool  # from the user's vocabulary; else an alternative of the query


@frozen
class Query:
    """A query text, parsed, with its checked options. Times are milliseconds since 1970, UTC."""

    asked: str  # as the caller wrote it
    text: str  # what is searched as a whole: all of it, or the most telling line of a long text
    folded: str  # fold() of the text, as literal search compares it
    options: Options
    words: tuple[Word, ...]  # at most MAX_WORDS, or MAX_CHARACTERS with characters of scripts without spaces
    counting: int  # the number of words that count
    compounds: tuple[Compound, ...]
    phrases: tuple[str, ...]  # texts in double quotes
    now: int
    after: int  # messages must be later; 0 for no bound
    before: int  # messages must be earlier; 0 for no bound
    weights: Weights
    warnings: tuple[str, ...] = field(default=())
    variants: tuple[Variant, ...] = ()
    syntax: QuerySyntax | None = None  # how it was read; None for a query without operators
    languages: tuple[str, ...] = ()  # beside English; in_languages() finds them

    @property
    def nearest_first(self) -> bool:
        """Whether results of near directories come before others."""
        return bool(self.options.directory and self.options.fallback)

    @property
    def scores_all(self) -> bool:
        """Whether every hit is scored, and not only those that can be the best: to group, order or extend all."""
        options = self.options
        added = options.match in ("literal", "regex") or bool(options.extra_scores)
        return added or options.group == "session" or options.order == "time" or self.nearest_first

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
        warnings = [warning.text for warning in window.warnings]
        if options.fallback and not options.directory:
            warnings.append("fallback changes nothing without a directory")
        after, before = window.after or 0, window.before or 0
        asked, syntax = text, None
        if options.syntax and options.match != "regex":
            read = read_syntax(text, now, alternatives=options.match != "literal")
            warnings += read.warnings
            if not read.plain:
                text, syntax = read.text, read
                after, before = _narrowed(after, before, read, now)
        searched, runs = _first_alternatives(text[:MAX_QUERY_CHARS], syntax)
        if options.exact:
            searched = _with_phrases(searched, options.exact)
        words, compounds = words_of(searched)
        phrases = tuple(filter(str.strip, _QUOTED.findall(text[:MAX_QUERY_CHARS]))) if '"' in text else ()
        phrases = (*phrases, *_in_order(options.exact)) if options.exact else phrases
        words, compounds, phrases = _within_limits(text, words, compounds, phrases, warnings)
        variants: list[Variant] = []
        for run in runs:
            variants += _alternatives(words, run)
        if options.vocabulary and options.match in ("smart", "fuzzy") and len(text) <= MAX_QUERY_CHARS:
            variants += _synonyms(searched, words, options.vocabulary, (options.weights or DEFAULT).stem)
        return _query(
            asked,
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
            tuple(variants),
            syntax,
            (),
        )


def _within_limits(
    text: str, words: list[Word], compounds: list[Compound], phrases: tuple[str, ...], warnings: list[str]
) -> tuple[list[Word], list[Compound], tuple[str, ...]]:
    """Return the words, compounds and phrases of a query that are searched; a warning names each limit it exceeds.

    Of a text of more than MAX_QUERY_CHARS characters, shortened() chooses later, and tells it.
    """
    is_long = len(text) > MAX_QUERY_CHARS
    if len(words) > MAX_WORDS and (most := _most_words(words)) < len(words):
        if not is_long:
            warnings.append(f"only the first {most} words of the query are searched")
        words = words[:most]
        compounds = [compound for compound in compounds if compound.at + compound.span <= most]
    if len(phrases) > MAX_PHRASES and not is_long:
        warnings.append(f"only the first {MAX_PHRASES} of {len(phrases):,} exact phrases weigh as such")
        phrases = phrases[:MAX_PHRASES]
    return words, compounds, phrases


_query, _make_words, _make_compounds = (
    RecordFactory(Query).make,
    RecordFactory(Word).make_all,
    RecordFactory(Compound).make_all,
)
_STOP_FORMS = frozenset(word.encode() for word in STOP_WORDS)
_Run = tuple[int, tuple[str, ...]]  # words with OR between them: the index of the first among the words of a query, all


def words_of(text: str) -> tuple[list[Word], list[Compound]]:
    """Return the words of a query, and its compounds, that is, words written as one; both in the order of the text.

    Characters of question words of scripts without spaces do not count, and are in no compound, unless the query has
    nothing else.
    """
    words, compounds = query_tokens(encode(text), _STOP_FORMS)
    made = _make_words(words)
    if not text.isascii() and any(word.cjk for word in made):
        asking = characters_of_question_words([word.form for word in made])
        if asking and any(word.counts and at not in asking for at, word in enumerate(made)):
            made = [replace(word, counts=False) if at in asking else word for at, word in enumerate(made)]
            compounds = [each for each in compounds if asking.isdisjoint(range(each[2], each[2] + each[3]))]
    return made, _make_compounds(compounds)


def _most_words(words: list[Word]) -> int:
    """Return how many of the first words of a query are searched."""
    spaced = [at for at, word in enumerate(words) if not word.cjk]
    most = min(len(words), MAX_CHARACTERS)
    return min(most, spaced[MAX_WORDS]) if len(spaced) > MAX_WORDS else most


def _narrowed(after: int, before: int, syntax: QuerySyntax, now: int) -> tuple[int, int]:
    """Return the time bounds of the options, narrowed by those that the query itself names; 0 is no bound."""
    for value in syntax.given("since"):
        after = max(after, resolve_window(now, since=value).after or 0)
    for value in syntax.given("until"):
        bound = resolve_window(now, until=value).before or 0
        before = min(before, bound) if before else bound
    return after, before


def _first_alternatives(text: str, syntax: QuerySyntax | None) -> tuple[str, list[_Run]]:
    """Return the text of a query with the first word only of each run of words with OR between them, and the runs."""
    if syntax is None or not syntax.any_of:
        return text, []
    base, end = "", 0
    found: list[_Run] = []
    for run in syntax.any_of:
        base += text[end : run.start]
        found.append((len(words_of(base)[0]), run.words))
        base += run.words[0]
        end = run.end
    return base + text[end:], found


def _in_order(phrases: Collection[str]) -> Sequence[str]:
    return sorted(phrases) if isinstance(phrases, (set, frozenset)) else tuple(phrases)


def _with_phrases(text: str, phrases: Collection[str]) -> str:
    """Return a text with those of the phrases added in quotes whose words it does not hold next to each other."""
    held = forms_of(text)
    missing = (each.replace('"', " ") for each in _in_order(phrases) if not stand_in(forms_of(each), held))
    return " ".join([text, *(f'"{phrase}"' for phrase in missing)])


def _alternatives(words: list[Word], run: _Run) -> Iterator[Variant]:
    """Yield a variant for each word but the first of a run of words with OR between them.

    The first is among `words`, and counts from now on, also if it is a stop word.
    """
    at, operands = run
    names = [operand.strip('"') for operand in operands]
    span = len(words_of(names[0])[0])
    if not span or at + span > len(words):
        return
    for place in range(at, at + span):
        words[place] = replace(words[place], counts=True)
    if span == 1:
        words[at] = replace(words[at], written=f" {OR} ".join(names))
    for name in names[1:]:
        yield from _variant(name, at, span, 1.0, synonym=False)


def _synonyms(text: str, words: list[Word], vocabulary: UserVocabulary, share: float) -> Iterator[Variant]:
    """Yield a variant for each text that the user's vocabulary has for words of a query outside of quotes."""
    quoted: set[int] = set()
    for phrase in _QUOTED.finditer(text):
        first, last = (len(words_of(text[:end])[0]) for end in phrase.span())
        quoted.update(range(first, last))
    for synonym in vocabulary.synonyms(forms_of(text)[: len(words)]):
        covered = range(synonym.at, synonym.at + synonym.span)
        if quoted.isdisjoint(covered) and any(words[place].counts for place in covered):
            yield from _variant(synonym.text, synonym.at, synonym.span, share, synonym=True)


def _variant(written: str, at: int, span: int, share: float, *, synonym: bool) -> Iterator[Variant]:
    """Yield the variant for a text; nothing for a text without a word."""
    words, compounds = words_of(written)
    pairs = [each for each in compounds if each.cjk]
    special = [each for each in compounds if each.span == 1 and len(words) == 1]  # such as C++
    if special or (pairs and all(word.cjk for word in words)):
        words = [Word(each.form, each.written, True, False) for each in special or pairs]
    if words:
        joined = b"".join(word.form for word in words) if len(words) > 1 and not pairs else b""
        yield Variant(written, tuple(words), joined, at, span, share, synonym)
