"""The inflections of a word in the vocabulary of one segment: the terms that share its stem, in English or another
language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank.analysis.languages.detection import script_of
from recall_rank.analysis.languages.language import folded_function_words, folded_word
from recall_rank.analysis.languages.stems import beginning, openings_of, stem_in, with_stem, written_in
from recall_rank.analysis.stemming import base_form, irregular_forms, stem, stem_all

MAX_FAMILIES = 65_536  # words whose inflections a vocabulary caches
FEW = 64  # terms that are stemmed whatever the time
STEM_TAIL = 7  # characters by which an inflected form may be longer than its English stem
LONG_TAIL = 12  # characters by which a form in another language may be longer: some put several endings in a row
MIN_ROOT_BYTES = 3  # of a stem, or what it shares with its forms: three Latin letters, or two of other scripts
LONGEST = 64  # characters and bytes of the longest term


class Inflection(NamedTuple):
    """Another form of a word, such as "went" for "go", with its terms in the index.

    Its terms may be in no eligible document.
    """

    form: bytes
    terms: Sequence[int]


def family(vocabulary: Vocabulary, form: bytes, late: Callable[[], bool]) -> Sequence[Inflection]:
    """Return the other inflections of one English word in the vocabulary of a segment.

    They have the stem of the word, or stand beside it in the table of irregular forms. The result is cached, except
    that when late() is true and more than FEW terms would have to be stemmed, an empty result is returned and not
    cached.
    """
    known: Sequence[Inflection] | None = vocabulary.families.get(form)
    if known is None:
        word = form.decode() if form.isalpha() else ""
        root = stem(base_form(word))
        ranges = _ranges_of_root(vocabulary, root)
        if sum([last - first for first, last in ranges]) > FEW and late():
            return ()
        if len(vocabulary.families) >= MAX_FAMILIES:
            vocabulary.families.clear()
        irregular = vocabulary.find_all([other.encode() for other in irregular_forms(word)])
        terms = dict.fromkeys([*(term for term in irregular if term >= 0), *_of_root(vocabulary, root, ranges)])
        kin = [Inflection(vocabulary.form(term), (term,)) for term in terms]
        known = vocabulary.families[form] = tuple([each for each in kin if each.form != form])
    return known


def family_in(
    vocabulary: Vocabulary, form: bytes, written: str, language: str, late: Callable[[], bool]
) -> Sequence[Inflection]:
    """Return the other inflections of one word of another language in the vocabulary of a segment.

    `form` is the word as terms are written, `written` as the query has it, with its accents. The inflections are the
    terms with one of its stems, as analysis.languages.stems.with_stem() finds them, in the order of the vocabulary.
    Function words of the language are left out. Cached, and cut by late(), as those of family().
    """
    if not written_in(written, language):
        return ()
    root = stem_in(written, language)
    script = script_of(written[:1])
    known: Sequence[Inflection] | None = vocabulary.families.get((language, script, root))
    if known is None:
        begin = beginning(written, root)
        terms = _candidates(vocabulary, folded_word(begin), language)
        if len(terms) > FEW and late():
            return ()
        if len(vocabulary.families) >= MAX_FAMILIES:
            vocabulary.families.clear()
        words = [vocabulary.form(term).decode() for term in terms]
        same = with_stem(root, begin, words, language)
        function_words = folded_function_words(language)
        known = vocabulary.families[language, script, root] = tuple(
            [
                Inflection(word.encode(), (term,))
                for term, word, kin in zip(terms, words, same, strict=True)
                if kin and word not in function_words
            ]
        )
    return [each for each in known if each.form != form]


def _candidates(vocabulary: Vocabulary, root: str, language: str) -> list[int]:
    """Return the numbers, ascending, of the terms that begin as the forms of a word with the beginning `root` do.

    The last letter of the beginning may have changed, and an opening of the language may stand before it.
    """
    shared = root[:-1] if len(root[:-1].encode()) > MIN_ROOT_BYTES else root
    if len(shared.encode()) < MIN_ROOT_BYTES:
        return []
    found: set[int] = set()
    for opening in openings_of(language):
        begin = (opening + shared).encode()
        if len(begin) <= LONGEST:
            found.add(vocabulary.find(begin))
            longest = min(len(opening) + len(root) + LONG_TAIL, LONGEST)
            found.update(*(range(first, last) for first, last in vocabulary.prefix(begin, longest)))
    found.discard(-1)
    return sorted(found)


def _ranges_of_root(vocabulary: Vocabulary, root: str) -> list[tuple[int, int]]:
    """Return ranges of term numbers [first, last) that include every term with the stem `root`, among others."""
    if len(root) < 3:
        return []
    shared = (root[:-1] if root[-1] in "iye" and len(root) > 3 else root).encode()
    exact = vocabulary.find(shared)
    ranges = [(exact, exact + 1)] if exact >= 0 else []
    return ranges + vocabulary.prefix(shared, min(len(root) + STEM_TAIL, LONGEST))


def _of_root(vocabulary: Vocabulary, root: str, ranges: list[tuple[int, int]]) -> list[int]:
    """Return the term numbers in `ranges` whose words have the stem `root`."""
    terms = [term for first, last in ranges for term in range(first, last)]
    words = [(term, other.decode()) for term in terms if (other := vocabulary.form(term)).isalpha()]
    stems = stem_all([word for _, word in words])
    return [term for (term, _), own in zip(words, stems, strict=True) if own == root]
