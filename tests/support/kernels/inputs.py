"""Inputs for kernels: texts rich in special cases, and columns that fit each other."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from random import Random
from typing import Any

from hypothesis import strategies as st

from recall_rank._core.index.postings import Postings
from recall_rank._core.index.vocabulary import Vocabulary
from tests.reference.index import builder as reference_builder
from tests.reference.index import postings as reference_postings
from tests.reference.index import vocabulary as reference_vocabulary

LATIN = ["a", "b", "s", "S", "A", "B", "XML", "Parser", "get", "HTTP", "URLs", "error", "404", "1", "22", "x" * 30]
PUNCTUATION = ["'", "\u2019", "'s", "_", "-", ".", "#", "%", "+", "++", "(", " ", "\n", "\t", "/", "@"]
EDGES = ["__", "--", '"', "\u201c"]
ACCENTS = ["é", "e\u0301", "É", "E\u0301", "\u0301", "ß", "İ", "ﬁ", "ᾳ", "\u0345", "\u00ad", "Ａ", "ｂ", "７", "²", "①"]
SCRIPTS = ["Е", "ошибка", "щ" * 20, "٣", "ا", "ـ", "क", "़", "्", "ो", "שׁ", "שׁ", "𐐀", "ก", "้"]
SYLLABIC = ["เ", "า", "ำ", "ะ", "ິ", "ເ", "ຳ", "ກ", "ក", "្", "ា", "က", "္", "ျ", "်"]  # Thai, Lao, Khmer, Myanmar
CJK = ["中", "国", "か", "\u3099", "\u309a", "カ", "ﾊ", "ﾟ", "ﾞ", "ワ", "ゝ", "가", "ᄀ", "ᅡ", "ᆨ", "각", "豈", "𠀀", "・"]
EMOJI = ["🙂", "👩", "\u200d", "\ufe0f", "🏽", "🇫", "✓"]
ATOMS = [*LATIN, *PUNCTUATION, *EDGES, *ACCENTS, *SCRIPTS, *SYLLABIC, *CJK, *EMOJI]
BROKEN = [b"\xff", b"\xf8", b"\xfb", b"\xc3", b"\xe4\xb8", b"\xe0\x81\x81", b"\xed\xa0\x80", b"\xf0\x80\x80\x80"]
BROKEN += [b"\xf4\x90\x80\x80", b"\x80", b"\x00", b"\x01"]

RAW = [atom.encode() for atom in ATOMS] + BROKEN
CODE = [c.encode() for c in "aAbSsX1_-.'#%+@= "]

strings = st.lists(st.sampled_from(ATOMS), max_size=16).map("".join)
texts = st.one_of(
    st.lists(st.sampled_from(RAW), max_size=16).map(b"".join),
    st.lists(st.sampled_from(CODE), max_size=24).map(b"".join),
    st.binary(max_size=40),
)
# As Hits tells them: part, document, score, its own evidence, tier; the floats are of 32 bits.
hit_rows = st.lists(
    st.tuples(*[st.integers(0, 2**32 - 1)] * 2, *[st.floats(0, 9, width=32)] * 2, st.integers(0, 2)), max_size=9
)
# Structures are made from a seed: drawing them one value after the other would take most of the time of a test.
seeds = st.integers(0, 2**32 - 1).map(Random)


def some_text(chance: Random) -> bytes:
    """Return a text as the strategy `texts` draws it."""
    atoms = chance.choice([RAW, RAW, CODE])
    return b"".join(chance.choices(atoms, k=chance.randint(0, 16)))


# Few letters, so that words are near each other; with the bytes that begin the terms of a field.
LETTERS = ["a", "b", "c", "1", "5", "é", "щ", "中", "🙂"]


def some_term(chance: Random) -> bytes:
    tag = chance.choice(["", "", "", "\x01", "\x02"])
    return (tag + "".join(chance.choices(LETTERS, k=chance.randint(1, 9)))).encode()


def some_terms(chance: Random) -> list[bytes]:
    return [some_term(chance) for _ in range(chance.randint(0, 24))]


def columns(documents: Iterable[dict[bytes, int]]) -> dict[str, memoryview]:
    """Return the buffers of a segment whose documents hold the given terms, as the kernels take them."""
    builder = reference_builder.SegmentBuilder()
    builder.documents = list(documents)
    return typed(builder.finish())


VOCABULARY = ("arena", "offsets", "starts", "signatures")
POSTINGS = (
    *("shared_bits", "shared_ranks", "lone_docs", "lone_blocks", "df", "frequent", "more"),
    *("block_starts", "block_bits", "block_ranks", "pointers", "frames"),
)


def typed(made: dict[str, Any]) -> dict[str, memoryview]:
    """Return all columns of a segment as columns of numbers."""
    terms = {name: memoryview(made[name]).cast("B" if name == "arena" else "I") for name in VOCABULARY}
    return terms | dict(zip(POSTINGS, made["postings"], strict=True))


def vocabularies(known: Iterable[bytes]) -> tuple[Vocabulary, reference_vocabulary.Vocabulary]:
    """Return the native and the slow vocabulary of the given terms."""
    made = columns([dict.fromkeys(known, 1)])
    slow = reference_vocabulary.Vocabulary(bytes(made["arena"]), *(made[name].tolist() for name in VOCABULARY[1:]))
    return Vocabulary(*(made[name] for name in VOCABULARY)), slow


def postings(made: dict[str, memoryview]) -> tuple[Postings, reference_postings.Postings]:
    """Return the native and the slow postings of a segment."""
    return Postings(*(made[name] for name in POSTINGS)), reference_postings.Postings(
        *(made[name].tolist() for name in POSTINGS)
    )


def marks(chance: Random, count: int, share: float = 0.6) -> bytearray:
    """Return `count` bytes of which about `share` are not 0."""
    return bytearray(chance.random() < share for _ in range(count))


def ascending(chance: Random, count: int, groups: int) -> array[int]:
    """Return `count` ascending numbers below `groups`, equal ones adjacent."""
    return array("I", sorted(chance.randrange(groups) for _ in range(count)))
