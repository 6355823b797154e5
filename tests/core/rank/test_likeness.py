"""Sketches of passages, and the families of those that say the same, against their slow versions."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from hypothesis import given

from recall_rank._core.rank import likeness
from recall_rank._core.rank.candidate import Candidate
from recall_rank._core.rank.features import FEATURE_NAMES
from recall_rank._core.rank.likeness import Sketch
from recall_rank._core.rank.matcher import Matcher
from tests.reference.rank import likeness as slow
from tests.support.kernels.inputs import seeds, some_text
from tests.support.kernels.matchers import query, some_passage

START = FEATURE_NAMES.index("start")
PIECES = (
    *(b"fog", b"Horn", b"lens_2", b"rate", b"Limit", b"the", b"12", b"  7", "\u2192".encode(), "\u706f".encode()),
    *("k\u00e9el".encode(), "\u0440\u0435\u043b\u0435".encode(), b"\t", b" ", b"\n", b":", b"|", b"\xf9", b"-"),
)


def words() -> Matcher:
    return query("rate", "limit", "the", weights=[1.0, 1.0, 0.5], stop=("the",))


def sketched(texts: list[bytes], *, whole: bool = True, start: int = 0, matcher: Matcher | None = None) -> list[Sketch]:
    found = []
    for doc in range(len(texts)):
        candidate = Candidate(doc, doc + 3, 1.0)
        candidate.features = [float(start) if k == START else 1.0 for k in range(len(FEATURE_NAMES))]
        found.append(candidate)
    ends = array("Q", [sum(map(len, texts[:k])) for k in range(len(texts) + 1)])
    text = b"".join(texts)
    return likeness.sketches(matcher or words(), lambda *_: text, ends, 3, found, whole)


def some_pieces(chance: Random) -> bytes:
    return b"".join(chance.choices(PIECES, k=chance.randint(0, 60)))


@given(seeds)
def test_a_sketch_has_the_least_number_at_each_place(chance: Random) -> None:
    texts = [chance.choice((some_pieces, some_passage, some_text))(chance) for _ in range(3)]
    start = chance.choice((0, chance.randint(0, 400)))
    for text, whole, near in zip(texts, sketched(texts), sketched(texts, whole=False, start=start), strict=True):
        assert whole.numbers == slow.sketch(text)
        at = min(start, len(text))
        # what precedes the passage in the segment is no part of it, nor is what follows
        assert near.numbers == slow.sketch(text[max(0, at - slow.NEARBY) : at + slow.NEARBY])
        matches = [(a, b, slot) for a, b, slot, *_ in words().form_matches(text, 0, len(text)) if slot < 2]
        assert (whole.forms, near.forms) == (slow.marks(text, matches), 0)


@given(seeds)
def test_families_are_those_of_a_look_at_every_pair(chance: Random) -> None:
    base = [some_pieces(chance) for _ in range(2)]
    texts = [chance.choice(base) + chance.choice((b"", b" rate", some_pieces(chance)[:9])) for _ in range(9)]
    found, share = sketched(texts), chance.choice((0.0, 0.5, 0.8, 1.0))
    assert likeness.resembling(found, share) == slow.resembling(found, share)
    sessions = [chance.randint(0, 2) for _ in texts]
    kinds = [chance.choice(("said", "said", "tool", None)) for _ in texts]
    asked = sessions, kinds.__getitem__, share, chance.choice((0.5, 1.0))
    assert likeness.families(found, *asked) == slow.families(found, *asked)


@given(seeds)
def test_candidates_are_comparable_as_their_features_tell(chance: Random) -> None:
    rows = [[chance.choice((0.5, 1.0, 1.0, 1.0)) for _ in FEATURE_NAMES] for _ in range(chance.randint(0, 8))]
    at_words, at_matched = FEATURE_NAMES.index("words"), FEATURE_NAMES.index("matched")
    candidates = []
    for row in rows:
        row[at_words], row[at_matched] = float(chance.choice((7, 8, 9, 12))), float(chance.choice((0, 2, 2)))
        candidates.append(Candidate(0, 0, 1.0))
        candidates[-1].features = row
    named = [dict(zip(FEATURE_NAMES, row, strict=True)) for row in rows]
    assert likeness.comparable(candidates, 8) == slow.comparable(named, 8)
    unread = Candidate(0, 0, 1.0)
    assert likeness.comparable([unread, unread, *candidates], 0) == [2 + k for k in slow.comparable(named, 0)]


def test_numbers_of_lines_make_no_difference() -> None:
    plain = b"lens of the lamp\nrelay of the motor"
    for numbered in (
        b"  1\tlens of the lamp\n  2\trelay of the motor",
        "12\u2192lens of the lamp\n13\u2192relay of the motor".encode(),
        b"7:lens of the lamp\n 8|relay of the motor",
    ):
        one, other = sketched([plain, numbered])
        assert one.numbers == other.numbers
    one, other = sketched([plain, b"1 lens of the lamp\n2 relay of the motor"])
    assert one.numbers != other.numbers


def test_another_form_of_a_word_of_the_query_is_never_alike() -> None:
    said = b"the keeper lit the lamp of the harbour and wrote the hour into the book of the quay with care " * 4
    one, other, same = sketched([said + b"rate 12", said + b"limit 12", said + b"RATE 12"])
    assert likeness.families([one, other, same], [0, 0, 0], lambda _: "said", 0.8, 0.8) == [0, 1, 0]


def test_kinds_are_asked_once_and_only_of_what_is_alike() -> None:
    found = sketched(
        [b"fog horn of the quay", b"lens of the lamp room", b"fog horn of the quay", b"fog horn of the quay"]
    )
    asked: list[int] = []
    assert likeness.families(found, [0, 0, 0, 0], lambda place: asked.append(place) or "said", 1.0, 1.0) == [0, 1, 0, 0]
    assert sorted(asked) == [0, 2, 3]


def test_what_does_not_fit_together_is_refused() -> None:
    candidate = Candidate(0, 5, 1.0)
    for bounds, error in ((array("Q", [0, 2]), "not in this segment"), (array("Q", [0] * 6 + [9]), "no range 0:9")):
        with pytest.raises(IndexError, match=error):
            likeness.sketches(words(), lambda *_: b"fog", bounds, 0, [candidate], True)
    with pytest.raises(ValueError, match="1 sketches, not 0"):
        likeness.families(sketched([b"fog"]), [], str, 1.0, 1.0)
