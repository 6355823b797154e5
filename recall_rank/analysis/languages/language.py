"""The languages that are known, and what tells them apart: their script, letters and function words."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from functools import cache
from typing import Final, NamedTuple

from recall_rank._core.text.tokens import query_tokens
from recall_rank.analysis.languages.function_words import FUNCTION_WORDS
from recall_rank.analysis.stop_words import STOP_WORDS

ENGLISH: Final = "english"
LATIN: Final = "LATIN"  # a script is named by the first word of the Unicode names of its letters
_NO_WORDS: Final[frozenset[bytes]] = frozenset()


class _FoldedLetters(dict[int, str]):
    """A table for str.translate() that folds a letter as the tokeniser does; what it leaves out becomes ""."""

    def __missing__(self, point: int) -> str:
        words, _ = query_tokens(chr(point).encode(), _NO_WORDS)
        self[point] = folded = words[0][0].decode() if words else ""
        return folded


_FOLDED: Final = _FoldedLetters()


def folded_word(word: str) -> str:
    """Return a word as terms are written: without accents and case, and without punctuation inside it."""
    return word.lower() if word.isascii() and word.isalnum() else word.translate(_FOLDED)


class Language(NamedTuple):
    """A language."""

    name: str
    scripts: tuple[str, ...]
    letters: str = ""  # letters that not all languages of the script have; those with accents are folded in terms
    openings: tuple[str, ...] = ()  # words and prefixes that are written as one with the word behind them, folded
    stemmed: bool = True  # Snowball has an algorithm for it


def _latin(name: str, letters: str = "", openings: str = "", *, stemmed: bool = True) -> Language:
    return Language(name, (LATIN,), letters, tuple(openings.split()), stemmed)


# In the order in which they are taken where nothing tells one from another: those of more people first.
LANGUAGES: Final = {
    language.name: language
    for language in (
        _latin(ENGLISH),
        Language("arabic", ("ARABIC",), "ةى", tuple("ال و ف ب ك ل لل وال فال بال كال ولل وب ول وس س".split())),
        Language("persian", ("ARABIC",), "پچژگکی", ("می", "نمی")),
        Language("armenian", ("ARMENIAN",)),
        Language("greek", ("GREEK",)),
        Language("hindi", ("DEVANAGARI",)),
        Language("nepali", ("DEVANAGARI",)),
        Language("russian", ("CYRILLIC",), "йыэъё"),
        Language("serbian", ("CYRILLIC", LATIN), "јљњћђџčćšžđ"),
        Language("ukrainian", ("CYRILLIC",), "іїєґ", stemmed=False),
        Language("tamil", ("TAMIL",)),
        Language("hebrew", ("HEBREW",), stemmed=False),
        Language("yiddish", ("HEBREW",)),
        _latin("spanish", "áéíñóúü"),
        _latin("french", "àâçèéêëîïôùûüœ", "l d qu s n m t c j jusqu lorsqu puisqu"),
        _latin("portuguese", "àáâãçéêíóôõú"),
        _latin("german", "äöüß"),
        _latin("italian", "àèéìòù", "l d un dell nell all sull dall quell c s"),
        _latin("turkish", "çğıöşü"),
        _latin(
            "vietnamese",
            "".join(
                unicodedata.normalize("NFC", vowel + tone)
                for vowel in ("a", "ă", "â", "e", "ê", "i", "o", "ô", "ơ", "u", "ư", "y")
                for tone in ("", "\u0300", "\u0301", "\u0303", "\u0309", "\u0323")
                if vowel + tone not in "aeiouy"
            )
            + "đ",
            stemmed=False,
        ),
        _latin("indonesian", "", "me mem men meng meny di ke ter ber se per pe pem pen peng peny"),
        _latin("polish", "ąćęłńóśźż"),
        _latin("dutch", "éëïóöü"),
        _latin("romanian", "ăâîșțşţ"),
        _latin("hungarian", "áéíóöőúüű"),
        _latin("czech", "áčďéěíňóřšťúůýž"),
        _latin("swedish", "åäö"),
        _latin("danish", "åæø"),
        _latin("norwegian", "åæø"),
        _latin("finnish", "äö"),
        _latin("catalan", "àçèéíïòóúü", "l d s n m t"),
        _latin("lithuanian", "ąčęėįšųūž"),
        _latin("estonian", "äõöüšž"),
        _latin("basque", "ñç"),
        _latin("irish", "áéíóú", "h n t m b g bh"),
        _latin("sesotho", "š", "mo ba di li le ma se bo"),
        _latin("esperanto", "ĉĝĥĵŝŭ"),
    )
}

OTHER_LATIN: Final = tuple(name for name, each in LANGUAGES.items() if LATIN in each.scripts and name != ENGLISH)
"""The languages beside English that are written in Latin letters."""


def words_of_language(name: str) -> Collection[str]:
    """Return the function words of a language in lower case, those of other languages than English by frequency."""
    return STOP_WORDS if name == ENGLISH else FUNCTION_WORDS[name]


@cache
def function_words(name: str) -> frozenset[str]:
    """Return the function words of a language as they are written, in lower case."""
    return frozenset(words_of_language(name))


@cache
def folded_function_words(name: str) -> frozenset[str]:
    """Return the function words of a language as terms are written."""
    return frozenset(map(folded_word, words_of_language(name)))


@cache
def accented_letters(name: str) -> dict[str, str]:
    """Return a mapping from a folded letter to the accented letters of the language that are folded to it."""
    found: dict[str, str] = {}
    for letter in LANGUAGES[name].letters:
        if (folded := folded_word(letter)) != letter and len(folded) == 1:
            found[folded] = found.get(folded, "") + letter
    return found
