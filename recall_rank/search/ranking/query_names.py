"""The names of a query: its identifiers, paths and compounds, with which the names in passages are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall_rank._core.rank.passage_names import JOINERS, QueryName, plain_name
from recall_rank._core.rank.rapidfuzz_scorer import Scorer
from recall_rank.analysis.normalize import encode, fold
from recall_rank.search.expansion.expansion import Expansion
from recall_rank.search.query import Query

MOST_NAMES = 8  # those of a query that weigh most; a pasted stack trace has dozens
_JOINERS = JOINERS.decode()
_RUN = re.compile(rf"[\w${re.escape(_JOINERS)}]+")
_PROSE = re.compile(r"[^\W\d_A-Z]+(?:-[^\W\d_A-Z]+)*(?:/[^\W\d_A-Z]+)?|[\d\W]+")

Name = tuple[str, int, int]  # as the query writes it, and its words [first, last)


def query_names(query: Query, expansion: Expansion) -> list[QueryName]:
    """Return the names of a query, at most MOST_NAMES, those of the greatest weight first.

    A name is a run of characters without a blank that has several words, such as `src/load.py` or `rateLimit`; or the
    whole query, if it is one word or documents write its words as one. Beside stop words or many others, plain words
    with hyphens or one slash between them (part-time, and/or) and dates are no names. No word is in two names, and no
    name has words of a script without blanks. The worth of a name is the square of the share that its words have in the
    query by their weights: a boost adds to the evidence of all words, of which only that share is the name's own, and a
    question with a name in it asks for more than the places of that name.
    """
    words = query.words
    weights = [weight * word.counts for weight, word in zip(expansion.word_weights, words, strict=True)]
    names = list(_written_as_one(query))
    inside = {at for _, first, last in names for at in range(first, last)}
    if query.counting > query.weights.prose_words or any(
        not word.counts and at not in inside for at, word in enumerate(words)
    ):
        names = [name for name in names if not _PROSE.fullmatch(name[0])]
    names = names or list(_joined(query, expansion))
    total = sum(weights) or 1.0
    weighed = [
        ((sum(weights[first:last]) / total) ** 2, written, first, last)
        for written, first, last in names
        if not any(word.cjk for word in words[first:last])
    ]
    weighed.sort(key=lambda each: -each[0])
    return [_name(worth, written, first, last) for worth, written, first, last in weighed[:MOST_NAMES] if worth]


def _name(worth: float, written: str, first: int, last: int) -> QueryName:
    """Return a name with the scorers that compare others with it: optimal string alignment counts a swap as one edit.

    It is the distance by which misspelt words are repaired (search/expansion/forms.py), here over the length of the
    longer name.
    """
    from rapidfuzz.distance import OSA  # loaded by the first query with a name: most have none

    plain, alike = (Scorer(OSA.normalized_similarity, text) for text in (plain_name(written, fold), written))
    return QueryName(first, last, worth, plain, alike, encode("".join(set(_JOINERS).intersection(written))))


def _written_as_one(query: Query) -> Iterator[Name]:
    """Yield the names that the query writes without a blank, in order."""
    words = query.words
    if len(words) == 1:
        # _x is a name, and c++ is c: what follows a word is in no name of a passage
        marked = (each.written for each in query.compounds if each.written[-1] not in f"{_JOINERS}+%")
        yield next(marked, words[0].written), 0, 1
        return
    starts = word_starts(query)
    last = 0
    for run in _RUN.finditer(query.text):
        while last < len(words) and starts[last] < run.start():
            last += 1
        first = last
        while last < len(words) and starts[last] < run.end():
            last += 1
        if last - first > 1:
            yield run.group().rstrip(_JOINERS), first, last


def word_starts(query: Query) -> list[int]:
    """Return where each word of a query begins in its text; a word that only an option adds is in no run."""
    starts, place = [], 0
    for word in query.words:
        found = query.text.find(word.written, place)
        starts.append(max(found, place))
        place = found + len(word.written) if found >= 0 else place
    return starts


def _joined(query: Query, expansion: Expansion) -> Iterator[Name]:
    """Yield the whole query, if it has several words that documents write as one, such as `rate limit`.

    Some words of a longer query are left out: of `cursor rules making rules`, `cursorRules` is one name among others.
    """
    count = len(query.words)
    for group in expansion.groups:
        if group.span == count > 1 and not group.variant:
            yield group.written, 0, count
            return
