"""Queries and passages for the kernels that match them."""

from __future__ import annotations

from array import array
from random import Random

from recall_rank._core.rank.features import FEATURE_NAMES
from recall_rank._core.rank.matcher import Matcher
from recall_rank._core.rank.passage_matches import PassageMatches
from tests.reference.rank import matcher as reference_matcher
from tests.reference.rank import passage_matches as reference_passage_matches

FEATURES = len(FEATURE_NAMES)
WORDS = ["a", "b", "c", "d", "e", "ab", "abc", "cd", "z" * 64, "é", "中", "国", "中国"]


# what the words above are written as, alone and in compounds, and what matches nothing
WRITTEN = [
    *WORDS,
    "Abc",
    "CD",
    "abx",
    "axc",
    "abbc",
    "cat",
    "Zinc",
    "z" * 64,
    "a_b",
    "A-B-C",
    "c_d",
    "a.b",
    "cd.e",
    "x",
    "y",
    "x y",
    "zz_a",
    "中x国",
    "\n",
]


def some_passage(chance: Random) -> bytes:
    between = chance.choice([" ", " ", ", ", "/", ". ", " '", "' ", ": #", "%"])
    return between.join(chance.choices(WRITTEN, k=chance.randint(0, 24))).encode()


def told(found: PassageMatches | reference_passage_matches.PassageMatches) -> tuple[object, ...]:
    """Return every field of a match result, for comparison."""
    return found.slots, found.fields, found.first, found.last, found.matches


def table(rows: int) -> memoryview:
    """Return f32[rows, FEATURES] filled with other values than 0, so that unwritten cells show."""
    return memoryview(bytearray(array("f", [-7.0] * (rows * FEATURES)).tobytes())).cast("f", (rows, FEATURES))


def features(matcher: Matcher, text: bytes, width: int = 4) -> dict[str, float]:
    out = table(1)
    matcher.measure(text, array("Q", [0]), array("Q", [len(text)]), width, out)
    return dict(zip(FEATURE_NAMES, out.tolist()[0], strict=True))


def some_query(chance: Random) -> tuple[Matcher, reference_matcher.Matcher]:
    """Return forms, prefixes and cues of a few slots. Weights are sums of powers of two, so that no sum is rounded."""
    slots = chance.randint(1, 5)
    weights = [chance.choice([0.25, 0.5, 1.0, 2.0, 0.0]) for _ in range(slots)]
    counted = [chance.random() < 0.8 for _ in range(slots)]
    native, slow = Matcher(weights, counted), reference_matcher.Matcher(weights, counted)
    for word in chance.sample(WORDS, chance.randint(0, len(WORDS))):
        slot, span, similarity = (
            chance.randrange(-1, slots + 1),
            chance.choice([0, 1, 1, 1, 2, 3]),
            chance.choice([1.0, 1.0, 0.5, 0.25]),
        )
        assert native.add(word.encode(), slot, span, similarity) == slow.add(word.encode(), slot, span, similarity)
        if chance.random() < 0.1:
            assert native.add_cue(word.encode()) == slow.add_cue(word.encode())
    for word in chance.sample(["a", "c", "中", "z"], chance.randint(0, 2)):
        slot = chance.randrange(slots)
        assert native.add_prefix(word.encode(), slot, 0.125) == slow.add_prefix(word.encode(), slot, 0.125)
    assert native.add_cue(b"x") == slow.add_cue(b"x")
    for _ in range(chance.choice([0, 0, 1, 2])):
        name = chance.randrange(-1, slots + 1), chance.choice([0, 1, 2, 2, 3])
        assert native.add_name(*name) == slow.add_name(*name)
    return native, slow


def query(*words: str, weights: list[float] | None = None, stop: tuple[str, ...] = ()) -> Matcher:
    matcher = Matcher(weights or [1.0] * len(words), [word not in stop for word in words])
    for slot, word in enumerate(words):
        matcher.add(word.encode(), slot, 1, 1.0)
    return matcher
