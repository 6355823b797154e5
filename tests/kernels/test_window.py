"""Where the words of a query stand in a passage."""

from __future__ import annotations

from array import array
from random import Random
from time import monotonic_ns
from typing import Any

import pytest
import reference
from hypothesis import given
from kernels.inputs import seeds, some_text

from recall_rank._core.window import FEATURE_NAMES, Matcher

FEATURES = len(FEATURE_NAMES)
WORDS = ["a", "b", "c", "d", "e", "ab", "abc", "cd", "é", "中", "国", "中国"]
# what the words above are written as, alone and in compounds, and what matches nothing
WRITTEN = [*WORDS, "a_b", "A-B-C", "c_d", "a.b", "cd.e", "x", "y", "x y", "zz_a", "中x国", "\n"]


def some_passage(chance: Random) -> bytes:
    return " ".join(chance.choices(WRITTEN, k=chance.randint(0, 24))).encode()


def table(rows: int) -> memoryview:
    """f32[rows, FEATURES] that holds something, so that what is not written shows."""
    return memoryview(bytearray(array("f", [-7.0] * (rows * FEATURES)).tobytes())).cast("f", (rows, FEATURES))


def features(matcher: Matcher, text: bytes, width: int = 4) -> dict[str, float]:
    out = table(1)
    matcher.measure(text, array("Q", [0]), array("Q", [len(text)]), width, out)
    return dict(zip(FEATURE_NAMES, out.tolist()[0], strict=True))


def some_query(chance: Random) -> tuple[Matcher, reference.Matcher]:
    """Forms, prefixes and cues of a few slots. All weights are sums of powers of two: no sum of them is rounded."""
    slots = chance.randint(1, 5)
    weights = [chance.choice([0.25, 0.5, 1.0, 2.0, 0.0]) for _ in range(slots)]
    counted = [chance.random() < 0.8 for _ in range(slots)]
    native, slow = Matcher(weights, counted), reference.Matcher(weights, counted)
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
    return native, slow


@given(seeds)
def test_measures_are_those_of_every_window_and_run(chance: Random) -> None:
    native, slow = some_query(chance)
    text = some_passage(chance)
    width = chance.choice([1, 2, 3, 5, 24, 2**31 - 1])
    found = features(native, text, width)
    expected = dict(zip(FEATURE_NAMES, slow.features(text, width), strict=True))
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(seeds)
def test_events_are_a_look_at_every_token(chance: Random) -> None:
    native, slow = some_query(chance)
    text = chance.choice([some_passage, some_text])(chance)
    assert native.events(text, 0, len(text)) == slow.events(text, 0, len(text))
    start = chance.randint(0, len(text))
    end = chance.randint(start, len(text))
    assert native.events(text, start, end) == slow.events(text, start, end)


@given(seeds)
def test_a_spot_is_the_heaviest_stretch_of_all_events(chance: Random) -> None:
    native, slow = some_query(chance)
    text = b"".join(chance.choice([b"", b"\xf9", b"\xff"]) + some_passage(chance) for _ in range(chance.randint(0, 3)))
    start = chance.choice([0, 0, chance.randint(0, len(text))])
    end = chance.choice([len(text), chance.randint(start, len(text))])
    asked = start, end, chance.randint(0xF8, 0xFF), chance.choice([0, 3, 9, 40, 2**40]), chance.choice([0, 4, 99])
    assert native.spot(text, *asked) == slow.spot(text, *asked)


@given(seeds)
def test_passages_are_measured_each_by_itself(chance: Random) -> None:
    native, _ = some_query(chance)
    given = [some_passage(chance) for _ in range(chance.randint(0, 4))]
    text = b"".join(given)
    ends = array("Q", [sum(map(len, given[: k + 1])) for k in range(len(given))])
    starts = array("Q", [0, *ends[:-1]][: len(given)])
    out = table(len(given) + 1)
    assert native.measure(text, starts, ends, 3, out) == len(given)
    rows = [list(features(native, passage, 3).values()) for passage in given]
    assert out.tolist() == [*rows, [-7.0] * FEATURES]


def query(*words: str, weights: list[float] | None = None, stop: tuple[str, ...] = ()) -> Matcher:
    matcher = Matcher(weights or [1.0] * len(words), [word not in stop for word in words])
    for slot, word in enumerate(words):
        matcher.add(word.encode(), slot, 1, 1.0)
    return matcher


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", {"coverage": 0, "words": 0, "window_words": 0}, id="nothing"),
        pytest.param("x y", {"coverage": 0, "window": 0, "words": 2, "window_words": 0}, id="no match"),
        pytest.param("a", {"coverage": 0.25, "window": 0.25, "phrase": 0.25, "near": 0, "matched": 1}, id="one word"),
        pytest.param("a a a", {"coverage": 0.25, "window": 0.25, "phrase": 0.25, "near": 0}, id="once is enough"),
        pytest.param("d c b a", {"coverage": 1, "window": 1, "phrase": 0.25, "near": 0, "exact": 4}, id="out of order"),
        pytest.param(
            "a b c d", {"coverage": 1, "phrase": 1, "near": 1, "start": 0, "end": 7, "window_words": 4}, id="all"
        ),
        pytest.param("a b x c d", {"coverage": 1, "window": 0.75, "phrase": 0.5, "near": 5 / 6}, id="a gap"),
        pytest.param("a x x x x x b", {"near": 1 / 18}, id="six words are still near"),
        pytest.param("a x x x x x x b", {"near": 0}, id="seven are not"),
        pytest.param(
            "x a x x x b c d", {"window": 0.75, "start": 10, "end": 15, "window_words": 3}, id="densest stretch"
        ),
        pytest.param(
            "a x b x x x a b", {"window": 0.5, "start": 12, "end": 15, "window_words": 2}, id="the shorter of equals"
        ),
        pytest.param("a b x x x x a b", {"window": 0.5, "start": 0, "end": 3}, id="the first of equals"),
    ],
)
def test_rows(text: str, expected: dict[str, float]) -> None:
    found = features(query("a", "b", "c", "d"), text.encode())
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_a_stop_word_counts_for_phrases_only() -> None:
    matcher = query("the", "rate", weights=[1.0, 3.0], stop=("the",))
    found = features(matcher, b"the rate")
    assert (found["coverage"], found["window"], found["phrase"], found["matched"]) == (1, 1, 1, 1)
    found = features(matcher, b"the")
    assert (found["coverage"], found["window"], found["phrase"], found["matched"]) == (0, 0, 0.25, 0)


def test_a_joined_form_stands_for_its_words() -> None:
    matcher = query("rate", "limit", "hit")
    matcher.add(b"ratelimit", 0, 2, 1.0)
    for text in (b"ratelimit hit", b"RateLimit hit", b"rate_limit hit", b"rate limit hit"):
        assert features(matcher, text)["phrase"] == 1


def test_a_word_that_leaves_the_window_takes_its_similarity_along() -> None:
    matcher = Matcher([4.0, 1.0], [True, True])
    matcher.add(b"rate", 0, 1, 1.0)
    matcher.add(b"rat", 0, 1, 0.25)
    matcher.add(b"hit", 1, 1, 1.0)
    # "rat hit" is worth 2 of 5; the better "rate" is too far away to be in one window with it
    found = features(matcher, b"rate x rat x hit", 4)
    assert (found["coverage"], found["window"], found["start"], found["end"]) == (1, pytest.approx(0.8), 0, 4)


def test_a_spot_tells_slots_fields_and_the_stretch() -> None:
    matcher = query("the", "rate", "limit", weights=[0.5, 1.0, 1.0], stop=("the",))
    text = b"the rate \xf9 limit x limit rate \xff the"
    slots, fields, first, last, events = matcher.spot(text, 0, len(text), 0xF8, 12, 2)
    assert (slots, fields) == (0b111, 0b11)  # the stop word alone does not make a field
    assert text[first:last] == b"limit rate"
    assert [text[start:end] for start, end, *_ in events] == [b"limit", b"rate"]
    assert matcher.spot(text, 0, 0, 0xF8, 12, 2) == matcher.spot(b"x", 0, 1, 0xF8, 12, 2) == (0, 0, -1, -1, [])


def test_cues_are_counted_and_are_no_events() -> None:
    matcher = query("a")
    assert matcher.add_cue(b"because")
    assert not matcher.add_cue(b"because")
    assert not matcher.add_cue(b"a")
    assert features(matcher, b"because a because")["cues"] == 2
    assert len(matcher.events(b"because a because", 0, 17)) == 1


def test_a_prefix_stands_where_no_form_does() -> None:
    matcher = Matcher([1.0, 1.0], [True, True])
    assert matcher.add_prefix(b"auth", 0, 0.5)
    assert matcher.add(b"author", 1, 1, 1.0)
    found = [event[2:5] for event in matcher.events(b"auth authentication author", 0, 26)]
    assert found == [(0, 1, 0.5), (1, 1, 1.0)]


def test_64_words_are_followed() -> None:
    words = [f"w{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(70)]
    matcher = Matcher([1.0] * 70, [True] * 70)
    added = [matcher.add(word.encode(), slot, 1, 1.0) for slot, word in enumerate(words)]
    assert added == [True] * 64 + [False] * 6
    found = features(matcher, " ".join(words).encode(), 99)
    assert (found["coverage"], found["phrase"], found["matched"], found["words"]) == (1, 1, 64, 70)


def test_there_is_room_for_2048_forms_and_64_prefixes() -> None:
    matcher = query("a")
    assert [matcher.add(b"f%d" % k, 0, 1, 1.0) for k in range(2049)] == [True] * 2047 + [False] * 2
    assert not matcher.add_cue(b"cue")
    assert matcher.add(b"f1", 0, 1, 1.0) is False
    assert [matcher.add_prefix(b"p%d" % k, 0, 1.0) for k in range(65)] == [True] * 64 + [False]
    assert len(matcher.events(b"f1 f2046 f2047 p63x p64x p6x", 0, 28)) == 5


BIG = 2**31 - 1


ROOMLESS = [(b"", 0, 1), (b"x" * 65, 0, 1), (b"x", -1, 1), (b"x", 2, 1), (b"x", 0, 0), (b"x", 0, 3), (b"x", 1, 2)]
ROOMLESS += [(b"x", 0, -1), (b"x", BIG, BIG), (b"x", 1, BIG), (b"x", BIG, 1), (b"x", -BIG, BIG)]


@pytest.mark.parametrize(("form", "slot", "span"), ROOMLESS)
def test_slots_that_do_not_exist_take_no_form(form: bytes, slot: int, span: int) -> None:
    matcher = query("a", "b")
    assert matcher.add(form, slot, span, 1.0) is False
    if span == 1:
        assert matcher.add_prefix(form, slot, 1.0) is False
    assert features(matcher, b"x a")["coverage"] == 0.5


@pytest.mark.parametrize("width", [0, -1, -(2**31)])
def test_a_window_has_at_least_one_word(width: int) -> None:
    with pytest.raises(ValueError, match=str(width)):
        features(query("a"), b"a b a", width)


def test_passages_must_lie_in_the_text() -> None:
    matcher = query("a")
    for start, end in ((0, 4), (2, 1), (4, 4), (2**64 - 1, 2)):
        with pytest.raises(IndexError):
            matcher.measure(b"a b", array("Q", [start]), array("Q", [end]), 4, table(1))
    for start, end in ((0, 4), (2, 1), (-1, 2), (4, 4), (0, 2**62)):
        with pytest.raises(IndexError):
            matcher.events(b"a b", start, end)
        with pytest.raises(IndexError):
            matcher.spot(b"a b", start, end, 0xF8, 9, 9)
    for label in (0xF7, 0x100, -1):
        with pytest.raises(ValueError, match=str(label)):
            matcher.spot(b"a b", 0, 3, label, 9, 9)


def test_sizes_that_do_not_fit_are_refused() -> None:
    matcher = query("a")
    one, two, none = array("Q", [0]), array("Q", [0, 0]), array("Q")
    wide = memoryview(bytearray(4 * (FEATURES + 1))).cast("f", (1, FEATURES + 1))
    for starts, ends, out in (
        (one, none, table(1)),
        (two, two, table(1)),
        (one, one, wide),
    ):
        with pytest.raises(ValueError, match="fit together"):
            matcher.measure(b"a", starts, ends, 4, out)
    with pytest.raises(ValueError, match="length"):
        Matcher([1.0], [True, True])


@pytest.mark.parametrize("wrong", [None, "text", 7])
def test_only_bytes_are_read(wrong: Any) -> None:
    matcher = query("a")
    for call in (
        lambda: matcher.add(wrong, 0, 1, 1.0),
        lambda: matcher.add_cue(wrong),
        lambda: matcher.add_prefix(wrong, 0, 1.0),
        lambda: matcher.events(wrong, 0, 0),
        lambda: matcher.spot(wrong, 0, 0, 0xF8, 9, 9),
        lambda: matcher.measure(wrong, array("Q"), array("Q"), 1, table(1)),
    ):
        with pytest.raises(TypeError):
            call()


def test_after_the_deadline_nothing_is_measured() -> None:
    out = table(2)
    passages = (b"a b", array("Q", [0, 2]), array("Q", [1, 3]), 4, out)
    assert query("a").measure(*passages, deadline_ns=1) == 0
    assert out.tolist() == [[-7.0] * FEATURES] * 2
    assert query("a").measure(*passages, deadline_ns=monotonic_ns() + 10**12) == 2


def test_a_query_of_no_words_matches_nothing() -> None:
    matcher = Matcher([], [])
    assert matcher.add(b"a", 0, 1, 1.0) is False
    assert features(matcher, b"a b") == {**dict.fromkeys(FEATURE_NAMES, 0), "words": 2}
