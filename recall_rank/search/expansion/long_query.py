"""Shorten a long query, such as a pasted trace, to its most telling words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from recall_rank.analysis.normalize import fold
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model.record_classes import frozen, replace
from recall_rank.search.expansion.lexicon import Lexicon
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.query import MAX_PHRASES, MAX_QUERY_CHARS, MAX_WORDS, Compound, Query, Word, words_of

READ_CHARS: Final = 32_768  # of a long text, from each of its ends: what failed is told at one of them
LINE_CHARS: Final = 400  # of the line that stands for a long text as a whole
SHOWN_CHARS: Final = 80  # of that line in a warning
_FAILURE: Final = re.compile(
    r"^\W*(?:[\w.$:]*(?:error|exception|panic|fault)\b[^:\n]{0,40}:|panicked at\b)", re.IGNORECASE
)
_TROUBLE: Final = re.compile(
    r"\b(?:\w*error|\w*exception|fatal|panic\w*|fail\w*|cannot|undefined|denied)\b", re.IGNORECASE
)
_HEADING: Final = re.compile(r"^\W*traceback \(most recent", re.IGNORECASE)


def shortened(query: Query, reader: IndexReader, eligible: EligibleSet) -> Query:
    """Return a query of more than MAX_QUERY_CHARS characters with the MAX_WORDS words that tell most; any other as it
    is.

    Words of the line that tells what failed come first, then the words that fewest eligible documents contain. Outside
    of that line, numbers and words that no document contains are left out. The chosen words keep their order. Only both
    ends of the text are read, and where a search looks for the text as a whole, as literal search does, its most
    telling line stands for it. A warning says so. The result depends only on the query and the eligible set.
    """
    if len(query.text) <= MAX_QUERY_CHARS:
        return query
    text = query.text
    if len(text) > 2 * READ_CHARS:
        text = f"{text[:READ_CHARS]}\n{text[-READ_CHARS:]}"
    words, compounds = words_of(text)
    ranks = _frequencies(reader, eligible, words, compounds)
    line = _telling_line(text, ranks)
    chosen = _chosen(words, compounds, ranks, {word.form for word in words_of(line)[0]})
    place = {at: number for number, at in enumerate(chosen)}
    counted = tuple(words[at] for at in chosen)
    kept = tuple(
        replace(compound, at=place[compound.at])
        for compound in compounds
        if all(at in place for at in range(compound.at, compound.at + compound.span))
    )
    if query.options.match == "literal":
        shown = line if len(line) <= SHOWN_CHARS else f"{line[:SHOWN_CHARS]}..."
        how = f"its most telling line is looked for, {shown!r}"
    else:
        most = f"{len(counted)} most telling words" if len(counted) != 1 else "most telling word"
        how = f"it is searched by its {most}"
    warning = f"the query has {len(query.text):,} characters: {how}"
    return replace(
        query,
        text=line,
        folded=fold(line),
        words=counted,
        counting=sum(word.counts for word in counted),
        compounds=kept,
        variants=(),
        phrases=tuple(each for each in query.phrases if len(each) <= LINE_CHARS)[:MAX_PHRASES],
        warnings=(*query.warnings, warning),
    )


@frozen
class _Unit:
    """Words of a long query that are chosen or left out together: those of a compound that documents contain, or one
    word.
    """

    first: int
    span: int
    frequency: int  # eligible documents that contain the compound or word; 0 for a number


def _frequencies(
    reader: IndexReader, eligible: EligibleSet, words: Sequence[Word], compounds: Sequence[Compound]
) -> dict[bytes, int]:
    """Return a mapping from the form of each word and compound to the number of eligible documents that hold it."""
    lexicon = Lexicon(reader, eligible.doc_marks)
    forms = list(dict.fromkeys([*(word.form for word in words), *(compound.form for compound in compounds)]))
    return {form: lexicon.count(terms) for form, terms in zip(forms, lexicon.find(forms), strict=True)}


def _chosen(
    words: Sequence[Word], compounds: Sequence[Compound], frequencies: dict[bytes, int], first: set[bytes]
) -> list[int]:
    """Return the indexes of the words of a long query to search, ascending, at most MAX_WORDS.

    Words whose forms are all in `first` are chosen before others, then those that the fewest eligible documents hold.
    """

    def later(unit: _Unit) -> bool:
        return any(word.form not in first for word in words[unit.first : unit.first + unit.span])

    def order(unit: _Unit) -> tuple[bool, int, int]:
        return later(unit), unit.frequency, unit.first

    chosen: set[int] = set()
    taken: set[bytes] = set()
    units = [unit for unit in _units(words, compounds, frequencies) if unit.frequency or not later(unit)]
    for unit in sorted(units, key=order):
        places = range(unit.first, unit.first + unit.span)
        forms = b" ".join(words[at].form for at in places)
        if forms not in taken and len(chosen) + unit.span <= MAX_WORDS:
            taken.add(forms)
            chosen.update(places)
    return sorted(chosen) or list(range(min(len(words), MAX_WORDS)))


def _units(words: Sequence[Word], compounds: Sequence[Compound], frequencies: dict[bytes, int]) -> Iterator[_Unit]:
    """Yield the units of a long query, that is, the words to be chosen together; stop words outside of compounds are
    left out.
    """
    joined = {each.at: each for each in compounds if each.span > 1 and not each.cjk and frequencies[each.form]}
    covered = 0
    for at, word in enumerate(words):
        compound = joined.get(at)
        if compound is not None and at >= covered:
            covered = at + compound.span
            yield _Unit(at, compound.span, frequencies[compound.form])
        elif at >= covered and word.counts:
            yield _Unit(at, 1, 0 if word.form.isdigit() else frequencies[word.form])


def _telling_line(text: str, frequencies: dict[bytes, int]) -> str:
    """Return the line of a text that tells most, cut to LINE_CHARS characters.

    It is the first line that begins with an error and its message, else the first that speaks of a failure, else the
    one with the rarest word that a document contains, else the first.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip() and not _HEADING.search(line)]
    for pattern in (_FAILURE, _TROUBLE):
        for line in lines:
            if pattern.search(line[:LINE_CHARS]) and any(word.counts for word in words_of(line[:LINE_CHARS])[0]):
                return line[:LINE_CHARS].strip()
    rarest, best = 0, ""
    for line in lines:
        for start in range(0, len(line), LINE_CHARS):
            piece = line[start : start + LINE_CHARS]
            known = [count for word in words_of(piece)[0] if word.counts and (count := frequencies.get(word.form, 0))]
            if known and (not rarest or min(known) < rarest):
                rarest, best = min(known), piece
    return (best or (lines or [text.strip()])[0][:LINE_CHARS]).strip()
