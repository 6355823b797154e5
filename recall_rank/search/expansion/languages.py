"""The languages of a query: told by its words, and where these leave it open by the words of the history."""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank.analysis.languages.detection import (
    is_function_word,
    languages_of,
    scripts_in,
    written_word,
)
from recall_rank.analysis.languages.function_words import TELLING_WORDS
from recall_rank.analysis.languages.language import LANGUAGES, LATIN, OTHER_LATIN
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.model.record_classes import replace
from recall_rank.search.expansion.lexicon import Lexicon, members_of
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.query import Query, Word

COMMON = 200  # documents to one with a telling word, at most, in a history in which a language is common
_ALL_TELLING = sorted({word for name in OTHER_LATIN for word in TELLING_WORDS[name]})


def in_languages(query: Query, reader: IndexReader, eligible: EligibleSet) -> Query:
    """Return the query with its languages beside English, and without the function words of these; any other as it is.

    Of languages that are equally likely by the words of the query, that is taken in which the eligible documents have
    the most telling words. If its words tell of no language, not even of English, those are taken that are common
    among the eligible documents.
    """
    told = languages_of(query.text)
    languages = [_likeliest(names, reader, eligible) for names in told.likely]
    if told.possible:
        languages += [name for name in _common(reader, eligible) if name in told.possible]
    return _in(query, tuple(dict.fromkeys(languages))) if languages else query


def _likeliest(names: Sequence[str], reader: IndexReader, eligible: EligibleSet) -> str:
    """Return the language in which the eligible documents have the most telling words; the first one of equals."""
    if len(names) == 1:
        return names[0]
    shares = _shares(names, reader, eligible.doc_marks)
    return max(names, key=shares.__getitem__)


def _common(reader: IndexReader, eligible: EligibleSet) -> list[str]:
    """Return the languages in Latin letters that are common among the eligible documents, beside English.

    Only languages half of whose telling words are in the reader are counted: others cannot be common.
    """
    if reader.languages is None:
        reader.languages = _known(reader)
    if not reader.languages:
        return []
    enough = max(eligible.doc_count, 1) / COMMON
    shares = _shares(reader.languages, reader, eligible.doc_marks)
    return [name for name, (typical, _) in shares.items() if typical >= enough]


def _known(reader: IndexReader) -> tuple[str, ...]:
    """Return the languages in Latin letters, beside English, half of whose telling words are in the vocabularies.

    Each segment's view caches which ones it has, since only the last segment of a growing index is new to its reader.
    """
    known: set[bytes] = set()
    for view in reader.views:
        if view.telling_words is None:
            found = view.segment.vocabulary.find_all(_ALL_TELLING)
            view.telling_words = frozenset(word for word, term in zip(_ALL_TELLING, found, strict=True) if term >= 0)
        known |= view.telling_words
    return tuple(
        name for name in OTHER_LATIN if 2 * len(known.intersection(TELLING_WORDS[name])) >= len(TELLING_WORDS[name])
    )


def _shares(names: Sequence[str], reader: IndexReader, marks: bytearray | None) -> dict[str, tuple[int, int]]:
    """Return the number of documents that hold a telling word of each language: the median over these words, and the
    sum. `marks` are the eligible documents; without them all are.
    """
    lexicon = Lexicon(reader, marks)
    shares = {}
    for name in names:
        groups = [members_of(terms, 1.0) for terms in lexicon.find(list(TELLING_WORDS[name]))]
        counts = sorted(lexicon.frequencies(groups, reader.docs))
        shares[name] = (counts[len(counts) // 2], sum(counts))
    return shares


def _in(query: Query, languages: tuple[str, ...]) -> Query:
    """Return the query in these languages: their function words do not count.

    English ones count where the words in Latin letters are in another language. If there are only function words, all
    count.
    """
    written = [written_word(word.written) for word in query.words]
    accents = not all(map(str.isascii, written))
    english = not any(LATIN in LANGUAGES[name].scripts for name in languages)
    marked = {compound.at for compound in query.compounds if compound.span == 1}  # _die is no article
    counts = [
        (word.counts or (not english and scripts_in(own) == {LATIN}))
        and (word.cjk or at in marked or not is_function_word(own, languages, accents=accents))
        for at, (word, own) in enumerate(zip(query.words, written, strict=True))
    ]
    if not any(counts):
        return replace(query, languages=languages)
    words: list[Word] = [replace(word, counts=each) for word, each in zip(query.words, counts, strict=True)]
    return replace(query, words=tuple(words), counting=sum(counts), languages=languages)
