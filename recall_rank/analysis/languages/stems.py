"""The stems of words by Snowball's algorithms, and those that a folded term may have."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, combinations, product
from typing import Any

from recall_rank.analysis.languages.detection import script_of, written_word
from recall_rank.analysis.languages.language import LANGUAGES, accented_letters, folded_word

MAX_RESTORED = 4  # letters at the end of a term that are tried with and without accents
CHANGED = 2  # letters at the end of a stem that an algorithm may have changed


def written_in(word: str, language: str) -> bool:
    """Return whether a language has an algorithm for stems, and the script of a word."""
    known = LANGUAGES[language]
    return known.stemmed and script_of(word[:1]) in known.scripts


def stem_in(word: str, language: str) -> str:
    """Return the stem of a word, as it is written, in a language (Snowball, snowballstem.org/algorithms)."""
    return str(_stemmer(language).stemWord(written_word(word)))


def openings_of(language: str) -> tuple[str, ...]:
    """Return the words and prefixes, folded, that a language writes as one with the word behind them; first ""."""
    return ("", *LANGUAGES[language].openings)


def beginning(written: str, stem: str) -> str:
    """Return the beginning that the forms of a word share: its stem, or that of the word if the stem is of another
    script, as stems of Cyrillic Serbian are.
    """
    word = written_word(written)
    return stem if script_of(stem[:1]) == script_of(word[:1]) else word[: len(stem)]


def with_stem(stem: str, begin: str, terms: list[str], language: str) -> list[bool]:
    """Return, for each of `terms`, whether it is a form of the word with the stem `stem`, as stem_in() returns it, and
    the beginning `begin`.

    Terms are folded, so an algorithm, which looks at the accents of endings, does not know their endings. Therefore a
    term is taken for the word if it is the stem, or one of its possible spellings has the stem.
    """
    root = folded_word(stem)
    tried = [(at, spelling) for at, term in enumerate(terms) for spelling in spellings(term, begin, language)]
    stems = _stemmer(language).stemWords([spelling for _, spelling in tried])
    found = [term == root for term in terms]
    for (at, _), own in zip(tried, stems, strict=True):
        found[at] = found[at] or folded_word(own) == root
    return found


def spellings(term: str, begin: str, language: str) -> list[str]:
    """Return the possible spellings of a folded term, without an opening of the language, if it is a form of a word.

    They are the beginning `begin` of the word as it is written, without its last letters, and the rest of the term, of
    whose last MAX_RESTORED letters that may have lost an accent none, one or two have one.
    """
    accented = accented_letters(language)
    head, tail = "", term
    start = begin[:-CHANGED]
    folded = folded_word(start)
    if folded:
        for opening in openings_of(language):
            if term.startswith(opening + folded):
                head, tail = start, term[len(opening + folded) :]
                break
    choices = [
        [(at, letter) for letter in accented[tail[at]]]
        for at in [at for at, letter in enumerate(tail) if letter in accented][-MAX_RESTORED:]
    ]
    found = [head + tail]
    for changes in chain(
        ((one,) for one in chain(*choices)),
        *(product(first, second) for first, second in combinations(choices, 2)),
    ):
        spelt = list(tail)
        for at, letter in changes:
            spelt[at] = letter
        found.append(head + "".join(spelt))
    return found


@lru_cache(maxsize=len(LANGUAGES))
def _stemmer(language: str) -> Any:
    import Stemmer  # loaded with the first query that needs it

    return Stemmer.Stemmer(language, 0)
