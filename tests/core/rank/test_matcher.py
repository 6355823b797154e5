"""The matches of a query's words in a passage, against the slow matcher."""

from __future__ import annotations

from array import array
from random import Random
from time import monotonic_ns
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.rank.matcher import Matcher
from recall_rank._core.rank.passage_matches import PassageMatches
from tests.support.kernels.inputs import seeds, some_text
from tests.support.kernels.matchers import FEATURES, WORDS, features, query, some_passage, some_query, table, told


@given(seeds)
def test_events_are_a_look_at_every_token(chance: Random) -> None:
    native, slow = some_query(chance)
    text = chance.choice([some_passage, some_text])(chance)
    assert native.form_matches(text, 0, len(text)) == slow.form_matches(text, 0, len(text))
    start = chance.randint(0, len(text))
    end = chance.randint(start, len(text))
    assert native.form_matches(text, start, end) == slow.form_matches(text, start, end)


@given(seeds)
def test_a_spot_is_the_heaviest_stretch_of_all_events(chance: Random) -> None:
    native, slow = some_query(chance)
    text = b"".join(chance.choice([b"", b"\xf9", b"\xff"]) + some_passage(chance) for _ in range(chance.randint(0, 3)))
    start = chance.choice([0, 0, chance.randint(0, len(text))])
    end = chance.choice([len(text), chance.randint(start, len(text))])
    asked = start, end, chance.randint(0xF8, 0xFF), chance.choice([0, 3, 9, 40, 2**40])
    assert told(native.matches(text, *asked)) == told(slow.matches(text, *asked))


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


def test_a_spot_tells_slots_fields_and_the_stretch() -> None:
    matcher = query("the", "rate", "limit", weights=[0.5, 1.0, 1.0], stop=("the",))
    text = b"the rate \xf9 limit x limit rate \xff the"
    found = matcher.matches(text, 0, len(text), 0xF8, 12)
    assert (found.slots, found.fields) == (0b111, 0b11)  # the stop word alone does not make a field
    assert text[found.first : found.last] == b"limit rate"
    assert {text[start:end] for start, end, *_ in found.matches} == {b"the", b"limit", b"rate"}
    for nothing in (
        matcher.matches(text, 4, 4, 0xF8, 12),
        matcher.matches(b"0123x", 4, 5, 0xF8, 12),
        PassageMatches(text, 4),
    ):
        assert told(nothing) == (0, 0, 4, 4, [])


def test_cues_are_counted_and_are_no_events() -> None:
    matcher = query("a")
    assert matcher.add_cue(b"because")
    assert not matcher.add_cue(b"because")
    assert not matcher.add_cue(b"a")
    assert features(matcher, b"because a because")["cues"] == 2
    assert len(matcher.form_matches(b"because a because", 0, 17)) == 1


@given(seeds)
def test_forms_that_are_added_at_once_are_added_one_by_one(chance: Random) -> None:
    native, slow = some_query(chance)
    given = [word.encode() for word in chance.choices([*WORDS, "", "z" * 65], k=chance.randint(0, 5))]
    forms = [(form, chance.randrange(-1, 5), chance.randint(0, 2), chance.choice([1.0, 0.5])) for form in given]
    prefixes = [(form[: chance.randint(1, 3)], chance.randrange(-1, 5), 0.25) for form in given]
    native.add_all(forms, prefixes)
    slow.add_all(forms, prefixes)
    text = some_passage(chance)
    assert native.form_matches(text, 0, len(text)) == slow.form_matches(text, 0, len(text))


def test_a_prefix_stands_where_no_form_does() -> None:
    matcher = Matcher([1.0, 1.0], [True, True])
    assert matcher.add_prefix(b"auth", 0, 0.5)
    assert matcher.add(b"author", 1, 1, 1.0)
    found = [event[2:5] for event in matcher.form_matches(b"auth authentication author", 0, 26)]
    assert found == [(0, 1, 0.5), (1, 1, 1.0)]


def test_a_prefix_does_not_match_the_word_that_it_is() -> None:
    matcher = Matcher([1.0, 1.0], [True, True])
    assert matcher.add_prefix(b"auth", 0, 0.5)
    assert matcher.add(b"arch", 1, 1, 1.0)  # of equal length and ends, so that the filter of terms lets auth pass
    found = [event[2:5] for event in matcher.form_matches(b"auth authentication arch", 0, 24)]
    assert found == [(0, 1, 0.5), (1, 1, 1.0)]


def test_there_is_room_for_2048_forms_and_64_prefixes() -> None:
    matcher = query("a")
    assert [matcher.add(b"f%d" % k, 0, 1, 1.0) for k in range(2049)] == [True] * 2047 + [False] * 2
    assert not matcher.add_cue(b"cue")
    assert matcher.add(b"f1", 0, 1, 1.0) is False
    assert [matcher.add_prefix(b"p%d" % k, 0, 1.0) for k in range(65)] == [True] * 64 + [False]
    assert len(matcher.form_matches(b"f1 f2046 f2047 p63x p64x p6x", 0, 28)) == 5


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
            matcher.form_matches(b"a b", start, end)
        with pytest.raises(IndexError):
            matcher.matches(b"a b", start, end, 0xF8, 9)
    for label in (0xF7, 0x100, -1):
        with pytest.raises(ValueError, match=str(label)):
            matcher.matches(b"a b", 0, 3, label, 9)


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
        lambda: matcher.form_matches(wrong, 0, 0),
        lambda: matcher.matches(wrong, 0, 0, 0xF8, 9),
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
