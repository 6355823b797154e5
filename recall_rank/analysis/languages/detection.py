"""The languages of a query, told by the script of its words, their letters, and its function words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from recall_rank.analysis.languages.language import (
    ENGLISH,
    LANGUAGES,
    LATIN,
    OTHER_LATIN,
    folded_function_words,
    folded_word,
    function_words,
)
from recall_rank.analysis.stop_words import STOP_WORDS

MIN_SIGNS = 2  # signs from which a query in Latin letters is taken to be in another language than English
WORDS_A_SIGN = 6  # at most so many different words to a sign: pasted code holds a few short words of any language

# letters with the marks that belong to them, and apostrophes and joiners inside a word; compiled when first needed
_MARKS: Final = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"
_WORD: Final = f"(?:[^\\W\\d_]|[{_MARKS}])(?:[^\\W\\d_]|['\u2019\u200c{_MARKS}])*"
_ENGLISH: Final = frozenset(word for word in STOP_WORDS if len(word) > 1)  # many languages have the word "a"
_ASCII_WORD: Final = re.compile(r"[a-z][a-z']*")


class QueryLanguages(NamedTuple):
    """The languages of a query beside English, by name.

    `likely` has a tuple of equally likely languages for each script in which there is one; `possible` are those that
    the words do not rule out where they tell of none, not even of English.
    """

    likely: tuple[tuple[str, ...], ...]
    possible: tuple[str, ...]


NONE: Final = QueryLanguages((), ())


def written_word(word: str) -> str:
    """Return a word of a query in lower case and composed form, with plain apostrophes."""
    return unicodedata.normalize("NFC", word.lower().replace("i\u0307", "i").replace("\u2019", "'"))


@lru_cache(maxsize=4096)
def script_of(letter: str) -> str:
    """Return the script of a letter, such as LATIN: the first word of its Unicode name."""
    return LATIN if letter.isascii() else unicodedata.name(letter, "").partition(" ")[0]


def languages_of(text: str) -> QueryLanguages:
    """Return the languages of a query.

    A query in Latin letters is in another language than English where at least MIN_SIGNS of its words, and one of
    WORDS_A_SIGN, are signs of that one, and more than of English. Signs are function words, at least one of them, and
    words with letters of the language. In other scripts one sign is enough, and without any the first language of the
    script is taken.
    """
    if text.isascii():
        told, possible = _of_latin_words(set(_ASCII_WORD.findall(text.lower())))
        return QueryLanguages((told,) if told else (), possible) if told or possible else NONE
    by_script: dict[str, set[str]] = {}
    for word in re.findall(_WORD, text):
        by_script.setdefault(script_of(word[0]), set()).add(written_word(word))
    likely: list[tuple[str, ...]] = []
    possible = ()
    for script, words in by_script.items():
        if script == LATIN:
            told, possible = _of_latin_words(words)
        else:
            told = _of_words(words, script)
        if told:
            likely.append(told)
    return QueryLanguages(tuple(likely), possible) if likely or possible else NONE


def _of_words(words: set[str], script: str) -> tuple[str, ...]:
    """Return those of the languages of a script, not Latin, that have the most signs in the words."""
    names = _languages_in(script)
    return _most(_signs(words, script)) or names[:1]


def _of_latin_words(words: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the languages, beside English, that words in Latin letters are likely in, and those they may be in."""
    english = len(words & _ENGLISH)
    if 2 * english >= len(words):
        return (), ()
    letters = {letter for word in words if not word.isascii() for letter in word if not letter.isascii()}
    names = OTHER_LATIN
    if letters:
        names = tuple(name for name in names if letters.issubset(LANGUAGES[name].letters)) or names
    known = _words_in(LATIN, not letters).keys()
    if not known.isdisjoint(words):  # words with accents alone tell no language: English has some, such as naïve café
        signs = _signs(words, LATIN)
        signs = {name: signs[name] for name in names if name in signs and not known.isdisjoint(signs[name])}
        most = max(map(len, signs.values()), default=0)
        if most >= MIN_SIGNS and most > english and most * WORDS_A_SIGN >= len(words):
            return _most(signs), ()
    return (), () if english else names


def _signs(words: set[str], script: str) -> dict[str, set[str]]:
    """Return the words that are function words, or have letters, of the languages of a script, by language.

    Accents may be left out, in all words of a query. A single ASCII letter is no sign: it is a name in code.
    """
    plain = all(map(str.isascii, words))
    known = _words_in(script, plain)
    found: dict[str, set[str]] = {}
    for word in words:
        tellers = set(known.get(word, ())) if len(word) > 1 or not word.isascii() else set()
        if not word.isascii():
            tellers.update(name for letter in word for name in _letters_in(script).get(letter, ()))
        for name in tellers:
            found.setdefault(name, set()).add(word)
    return found


def _most(signs: dict[str, set[str]]) -> tuple[str, ...]:
    """Return the languages with the most signs; of equally many, those that share them with the fewest languages."""
    shared = Counter(word for words in signs.values() for word in words)
    order = {name: (len(words), sum(1 / shared[word] for word in sorted(words))) for name, words in signs.items()}
    most = max(order.values(), default=None)
    return tuple(name for name in LANGUAGES if order.get(name, ()) == most)


@lru_cache
def _languages_in(script: str) -> tuple[str, ...]:
    return tuple(name for name, language in LANGUAGES.items() if script in language.scripts)


@lru_cache
def _words_in(script: str, plain: bool) -> dict[str, tuple[str, ...]]:
    """Return a mapping from the function words of the languages of a script to the names of these languages.

    English is left out. With `plain`, the words have no accents.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in _languages_in(script):
        for word in () if name == ENGLISH else folded_function_words(name) if plain else function_words(name):
            found[word] = (*found.get(word, ()), name)
    return found


@lru_cache
def _letters_in(script: str) -> dict[str, tuple[str, ...]]:
    """Return a mapping from the letters of the languages of a script to the names of these languages."""
    found: dict[str, tuple[str, ...]] = {}
    for name in _languages_in(script):
        for letter in LANGUAGES[name].letters:
            found[letter] = (*found.get(letter, ()), name)
    return found


def is_function_word(word: str, languages: Iterable[str], *, accents: bool) -> bool:
    """Return whether a word, written in lower case, is a function word of one of the languages.

    Without `accents`, that is in a query without any, words are compared without theirs.
    """
    if accents:
        return any(word in function_words(name) for name in languages)
    return any(folded_word(word) in folded_function_words(name) for name in languages)


def scripts_in(text: str) -> set[str]:
    """Return the scripts of the letters of a text."""
    return {script_of(letter) for letter in text if letter.isalpha()}
