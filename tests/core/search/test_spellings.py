"""Other ways in which the words of a query stand in a vocabulary."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.search.spellings import joined_words, split_words, tagged_terms
from tests.reference.search import spellings as reference
from tests.support.kernels.inputs import seeds, some_terms, vocabularies

LONG = [b"a" * 30, b"b" * 34, b"b" * 35]
KNOWN = [b"rate", b"limit", b"rat", b"elimit", b"ratelimit", b"r", b"\1rate", b"\3rate", b"".join(LONG[:2])]


def some_words(chance: Random) -> tuple[list[bytes], list[bytes]]:
    """Terms, and words of which some are terms without their tag, pieces of terms, several terms, nothing."""
    known = some_terms(chance)
    pieces = [b"", b"a", b"b", b"1", "é".encode(), *LONG]
    for term in known:
        plain = term.lstrip(b"\1\2").decode()
        cut = chance.randint(0, len(plain))
        pieces += [plain.encode(), plain[:cut].encode(), plain[cut:].encode()]
    words = [
        chance.choice(pieces) + chance.choice([b"", b"", chance.choice(pieces)]) for _ in range(chance.randint(0, 8))
    ]
    return known + chance.sample(pieces[1:5], chance.randint(0, 3)), words


@given(seeds)
def test_spellings_are_a_look_at_every_term(chance: Random) -> None:
    known, words = some_words(chance)
    native, slow = vocabularies(known)
    unknown = bytes(chance.choice([0, 0, 0, 1, 255]) for _ in words)
    longest, shortest = chance.randint(0, 6), chance.randint(1, 3)
    assert tagged_terms(native, words, b"\1\3\2") == reference.tagged_terms(slow, words, b"\1\3\2")
    assert joined_words(native, words, longest, unknown) == reference.joined_words(slow, words, longest, unknown)
    assert split_words(native, words, shortest) == reference.split_words(slow, words, shortest)


def test_a_form_is_cut_where_both_sides_are_terms() -> None:
    native, _ = vocabularies(KNOWN)
    words = [b"ratelimit", b"", b"limit", b"rate-limit", b"limitrate"]
    assert split_words(native, words, 3) == [(0, 3), (0, 4), (4, 5)]
    assert split_words(native, words, 5) == []


def test_neighbours_are_joined_where_that_is_a_term_or_a_word_is_unknown() -> None:
    native, slow = vocabularies(KNOWN)
    number = slow.find(b"ratelimit")
    assert joined_words(native, [b"rate", b"limit", b"x"], 5, bytes(3)) == [(0, 1, b"ratelimit", number)]
    told = [(0, 1, b"ratelimit", number), (0, 2, b"ratelimitx", -1), (1, 2, b"limitx", -1)]
    assert joined_words(native, [b"rate", b"limit", b"x"], 5, b"\0\0\1") == told
    assert joined_words(native, [b"rate", b"limit", b"x"], 2, b"\0\0\1") == [told[0], told[2]]
    assert joined_words(native, [b"rate", b"", b"limit"], 5, b"\1\1\1") == []


def test_no_form_is_longer_than_a_term() -> None:
    native, slow = vocabularies(KNOWN)
    assert joined_words(native, LONG, 5, b"\1\1\1") == [(0, 1, KNOWN[-1], slow.find(KNOWN[-1]))]
    assert tagged_terms(native, [b"x" * 64, b"x" * 65, b"rate"], b"\1\3") == [
        (2, 0, slow.find(b"\1rate")),
        (2, 1, slow.find(b"\3rate")),
    ]


@pytest.mark.parametrize("forms", [["rate"], [None], [bytearray(b"rate")]])
def test_words_are_bytes(forms: Any) -> None:
    native, _ = vocabularies(KNOWN)
    for look in (
        lambda: tagged_terms(native, forms, b"\1"),
        lambda: joined_words(native, forms, 2, b"\0"),
        lambda: split_words(native, forms, 1),
    ):
        with pytest.raises(TypeError):
            look()


def test_what_does_not_fit_is_refused() -> None:
    native, _ = vocabularies(KNOWN)
    with pytest.raises(ValueError, match="differ in length"):
        joined_words(native, [b"rate"], 2, b"")
    for shortest in (0, -1):
        with pytest.raises(ValueError, match="at least one byte"):
            split_words(native, [b"rate"], shortest)
