"""Languages: every possible spelling of a folded term is stemmed; telling words are chosen from all function words."""

from __future__ import annotations

from itertools import islice, product

import Stemmer

from recall_rank.analysis.languages.language import (
    LANGUAGES,
    accented_letters,
    folded_function_words,
    folded_word,
    words_of_language,
)


def may_have_stem(term: str, stem: str, language: str) -> bool:
    """Return whether a spelling of a folded term, with accents on any letters, has a stem; or is the stem itself.

    Articles and other words that a language writes as one with the next one may stand before it.
    """
    accented = accented_letters(language)
    algorithm = Stemmer.Stemmer(language, 0)
    root = folded_word(stem)
    found = term == root
    for opening in ("", *LANGUAGES[language].openings):
        if not term.startswith(opening):
            continue
        rest = term[len(opening) :]
        start = stem[:-2] if rest.startswith(folded_word(stem[:-2])) else ""
        tail = rest[len(folded_word(start)) :]
        letters = [(letter, *accented.get(letter, "")) for letter in tail]
        spelt = (start + "".join(chosen) for chosen in product(*letters))
        found = found or any(folded_word(algorithm.stemWord(each)) == root for each in spelt)
    return found


def neighbours(name: str) -> list[str]:
    """Return the languages that share a script with a language, itself among them."""
    scripts = set(LANGUAGES[name].scripts)
    return [other for other, language in LANGUAGES.items() if scripts.intersection(language.scripts)]


def telling_words(name: str) -> tuple[bytes, ...]:
    """Return the first eight function words, of two letters or more, that no neighbour of a language has, as terms."""
    others = {word for other in neighbours(name) if other != name for word in folded_function_words(other)}
    own = dict.fromkeys(map(folded_word, words_of_language(name)))
    return tuple(islice((word.encode() for word in own if len(word) > 1 and word not in others), 8))
