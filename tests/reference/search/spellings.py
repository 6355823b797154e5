"""Terms that spell a query form with a tag, joined or split."""

from __future__ import annotations

from tests.reference.index.vocabulary import Vocabulary
from tests.reference.text.token_buffer import MAX_TERM


def tagged_terms(vocabulary: Vocabulary, forms: list[bytes], tags: bytes) -> list[tuple[int, int, int]]:
    return [
        (at, place, vocabulary.find(bytes([tag]) + form))
        for at, form in enumerate(forms)
        for place, tag in enumerate(tags)
        if form and bytes([tag]) + form in vocabulary.terms
    ]


def joined_words(
    vocabulary: Vocabulary, forms: list[bytes], longest: int, unknown: bytes
) -> list[tuple[int, int, bytes, int]]:
    found = []
    for first in range(len(forms)):
        for last in range(first + 1, min(first + longest, len(forms))):
            form = b"".join(forms[first : last + 1])
            number = vocabulary.find(form)
            if (
                all(forms[first : last + 1])
                and len(form) <= MAX_TERM
                and (number >= 0 or any(unknown[first : last + 1]))
            ):
                found.append((first, last, form, number))
    return found


def split_words(vocabulary: Vocabulary, forms: list[bytes], shortest: int) -> list[tuple[int, int]]:
    return [
        (at, cut)
        for at, form in enumerate(forms)
        for cut in range(shortest, len(form) - shortest + 1)
        if form.isalnum() and form[:cut] in vocabulary.terms and form[cut:] in vocabulary.terms
    ]
