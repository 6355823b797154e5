"""The languages of a query: told by its words, and where these leave it open by the words of the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from recall_rank.analysis.languages.detection import (
    NONE,
    is_function_word,
    languages_of,
    scripts_in,
    telling_words,
    written_word,
)
from recall_rank.analysis.languages.language import LANGUAGES, LATIN, OTHER_LATIN
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.search.expansion.lexicon import Lexicon, members_of
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.query import Query, Word

COMMON = 200  # documents to one with a telling word, at most, in a history in which a language is common


def in_languages(query: Query, reader: IndexReader, eligible: EligibleSet) -> Query:
    """Return the query with its languages beside English, and without the function words of these; any other as it is.

    Of languages that are equally likely by the words of the query, that is taken in which the eligible documents have
    the most telling words. If its words tell of no language, not even of English, those are taken that are common
    among the eligible documents.
    """
    told = languages_of(query.text)
    if told is NONE:
        return query
    languages = [
        each[0] if len(each) == 1 else max(each, key=_shares(each, reader, eligible).__getitem__)
        for each in told.likely
    ]
    if told.possible:
        common = _common(reader, eligible)
        if common:
            languages += [name for name in told.possible if name in common]
    return _in(query, tuple(dict.fromkeys(languages))) if languages else query


def _common(reader: IndexReader, eligible: EligibleSet) -> frozenset[str]:
    """Return the languages in Latin letters that are common among the eligible documents, beside English.

    Those of all documents of a reader are cached.
    """
    if eligible.doc_marks is not None or reader.common_languages is None:
        shares = _shares(OTHER_LATIN, reader, eligible)
        enough = max(eligible.doc_count, 1) / COMMON
        found = frozenset(name for name, (typical, _) in shares.items() if typical >= enough)
        if eligible.doc_marks is not None:
            return found
        reader.common_languages = found
    return reader.common_languages


def _shares(names: Sequence[str], reader: IndexReader, eligible: EligibleSet) -> dict[str, tuple[float, int]]:
    """Return, for each language, how many eligible documents hold a telling word of it: the median over these words,
    and the sum.
    """
    lexicon = Lexicon(reader, eligible.doc_marks)
    words = {name: telling_words(name) for name in names}
    terms = iter(lexicon.find([form for forms in words.values() for form in forms]))
    members = {name: [members_of(next(terms), 1.0) for _ in forms] for name, forms in words.items()}
    found = {}
    for name, groups in members.items():
        counts = lexicon.frequencies(groups, eligible.doc_count)
        found[name] = (median(counts), sum(counts))
    return found


def _in(query: Query, languages: tuple[str, ...]) -> Query:
    """Return the query in these languages: their function words do not count.

    English ones count where the words in Latin letters are in another language. If there are only function words, all
    count.
    """
    written = [written_word(word.written) for word in query.words]
    accents = not all(map(str.isascii, written))
    english = not any(LATIN in LANGUAGES[name].scripts for name in languages)
    counts = [
        (word.counts or (not english and scripts_in(own) == {LATIN}))
        and (word.cjk or not is_function_word(own, languages, accents=accents))
        for word, own in zip(query.words, written, strict=True)
    ]
    if not any(counts):
        return replace(query, languages=languages)
    words: list[Word] = [replace(word, counts=each) for word, each in zip(query.words, counts, strict=True)]
    return replace(query, words=tuple(words), counting=sum(counts), languages=languages)
