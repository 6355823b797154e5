"""The forms of a word in a language: every possible spelling of a folded term is stemmed."""

from __future__ import annotations

from itertools import product

import Stemmer

from recall_rank.analysis.languages.language import LANGUAGES, folded_word


def may_have_stem(term: str, stem: str, language: str) -> bool:
    """Return whether a spelling of a folded term, with accents on any letters, has a stem; or is the stem itself.

    Articles and other words that a language writes as one with the next one may stand before it.
    """
    accented = LANGUAGES[language].spellings
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
