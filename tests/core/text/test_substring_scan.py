"""The kernel substring_scan finds literals at every place, with and without SIMD, in either case of ASCII letters."""

from __future__ import annotations

from array import array
from itertools import accumulate
from random import Random
from time import monotonic_ns
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.text.substring_scan import count_code_points, find, first_standalone, mark_parts, mark_ranges
from tests.reference.text import substring_scan as reference
from tests.support.kernels.inputs import marks, seeds, some_text

STRIDE = 1 << 20  # bytes between two looks at the clock
BOTH = pytest.mark.parametrize("use_simd", [True, False])

# letters of both cases and what they would become if bit 5 decided: @ and `, [ and {
PIECES = [b"a", b"A", b"b", b"B", b"@", b"`", b"[", b"{", b" ", "é".encode(), b"\xc3", b"ab", b"xyz" * 7]


def some_content(chance: Random) -> bytes:
    return b"".join(chance.choices(PIECES, k=chance.randint(0, 40)))


def some_needle(chance: Random) -> bytes:
    return b"".join(chance.choices(PIECES, k=chance.randint(1, 5))).lower()


def starts_of(parts: list[bytes]) -> array[int]:
    return array("Q", accumulate(map(len, parts), initial=0))


@BOTH
@pytest.mark.parametrize("size", [1, 2, 3, 15, 16, 17, 31, 32, 33, 40, 64])
def test_a_needle_is_found_at_every_place(size: int, use_simd: bool) -> None:
    needle = (b"needle in a stack of hay, longer than two registers of 32 bytes!")[:size]
    for before in range(70):
        for behind in (0, 1, 31, 40):
            text = b"." * before + needle.upper() + b"." * behind
            assert find(text, needle, 0, use_simd) == before
            assert find(text[:-1] if not behind else text[: before + size - 1], needle, 0, use_simd) == -1


@BOTH
@pytest.mark.parametrize(
    ("text", "needle", "start", "place"),
    [
        pytest.param(b"", b"a", 0, -1, id="empty text"),
        pytest.param(b"ab", b"abc", 0, -1, id="text shorter than the needle"),
        pytest.param(b"abab", b"ab", 1, 2, id="from a place on"),
        pytest.param(b"abab", b"ab", 4, -1, id="from the end"),
        pytest.param(b"A@[\\", b"a", 0, 0, id="letters fold"),
        pytest.param(b"A@[\\" * 20, b"`", 0, -1, id="signs do not"),
        pytest.param(b"A@[\\" * 20, b"{", 0, -1, id="nor brackets"),
        pytest.param("É".encode() * 20, "é".encode(), 0, -1, id="nor letters beyond ASCII"),
        pytest.param(b"a" * 99 + b"b", b"a" * 40 + b"b", 0, 59, id="nearly everywhere"),
        pytest.param(b"qaz qbz qxz" + b"." * 40, b"qxz", 0, 8, id="several candidates in one register"),
        pytest.param(b"\0" * 50 + b"\0a", b"\0a", 0, 50, id="zero bytes"),
    ],
)
def test_find(text: bytes, needle: bytes, start: int, place: int, use_simd: bool) -> None:
    assert find(text, needle, start, use_simd) == place
    assert find(bytearray(text), needle, start, use_simd) == place
    assert reference.find(text, needle, start) == place


@pytest.mark.parametrize("start", [-1, 5, 2**62, -(2**62)])
def test_a_start_outside_the_text_is_refused(start: int) -> None:
    with pytest.raises(IndexError, match=str(start)):
        find(b"text", b"t", start)


def test_an_empty_needle_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        find(b"text", b"")
    with pytest.raises(ValueError, match="empty"):
        mark_parts(b"text", array("Q", [0, 4]), b"", bytearray(1))


@pytest.mark.parametrize(("text", "needle"), [(None, b"a"), ("text", b"a"), (b"text", None), (b"text", "a")])
def test_only_bytes_are_searched(text: Any, needle: Any) -> None:
    with pytest.raises(TypeError):
        find(text, needle)


@BOTH
def test_parts_across_the_stride(use_simd: bool) -> None:
    # matches that begin, end and lie at the borders of the stretches between two looks at the clock
    for shift in range(-3, 4):
        text = bytearray(b"\xf8" + b"." * (2 * STRIDE + 99))
        places = [STRIDE + shift, 2 * STRIDE + shift, len(text) - 6]
        for place in places:
            text[place : place + 6] = b"Needle"
        starts = array("Q", [0, 0, STRIDE - 9, STRIDE + 20, STRIDE + 20, len(text) - 8, len(text), len(text)])
        found = bytearray(7)
        assert mark_parts(text, starts, b"needle", found, None, 0, use_simd) == 7
        assert list(found) == [0, 0, 1, 0, 1, 1, 0]


def test_every_part_is_marked_once_and_others_are_left_alone() -> None:
    parts = [b"\xf8ab ab", b"", b"\xf8b", b"\xf8AB", b"\xf8ab"]
    found = bytearray(b"\0\3\5\0\0")
    assert mark_parts(b"".join(parts), starts_of(parts), b"ab", found, b"\1\1\1\1\0") == 5
    assert found == b"\1\3\5\1\0"


def test_no_parts_and_no_text() -> None:
    assert mark_parts(b"", array("Q", [0]), b"a", bytearray()) == 0
    assert mark_parts(b"", array("Q", [0, 0, 0]), b"a", bytearray(2)) == 2


def test_after_the_deadline_nothing_is_looked_at() -> None:
    text = b"\xf8a" * STRIDE
    starts = array("Q", range(0, len(text) + 1, 2))
    found = bytearray(len(starts) - 1)
    assert mark_parts(text, starts, b"a", found, None, 1) == 0
    assert not any(found)
    assert mark_parts(text, starts, b"a", found, None, monotonic_ns() + 10**12) == len(found)
    assert all(found)


@pytest.mark.parametrize(
    ("starts", "marks"),
    [
        pytest.param([], 0, id="no starts"),
        pytest.param([0, 4], 2, id="too many marks"),
        pytest.param([0, 4], 0, id="too few marks"),
        pytest.param([3, 2], 1, id="a part that ends before it begins"),
        pytest.param([0, 5], 1, id="a part that goes on behind the text"),
    ],
)
def test_parts_must_fit_the_text(starts: list[int], marks: int) -> None:
    with pytest.raises(ValueError, match="fit"):
        mark_parts(b"text", array("Q", starts), b"t", bytearray(marks))


@pytest.mark.parametrize("starts", [[0, 2**63, 2, 4], [0, 2**64 - 8, 4, 4], [0, 9, 1, 4]])
def test_starts_out_of_order_are_refused_where_they_lead_outside(starts: list[int]) -> None:
    with pytest.raises(ValueError, match="out of order"):
        mark_parts(b"text", array("Q", starts), b"t", bytearray(3))


def test_eligible_has_one_byte_a_part() -> None:
    with pytest.raises(ValueError, match="one byte a part"):
        mark_parts(b"text", array("Q", [0, 4]), b"t", bytearray(1), b"\1\1")


@given(seeds)
def test_both_scans_find_what_a_lower_case_copy_holds(chance: Random) -> None:
    text, needle = some_content(chance), some_needle(chance)
    start = chance.choice([0, 0, chance.randint(0, len(text))])
    assert find(text, needle, start, True) == find(text, needle, start, False) == reference.find(text, needle, start)


@given(seeds)
def test_marked_are_the_parts_that_hold_the_needle(chance: Random) -> None:
    parts = [b"\xf8" + some_content(chance) if chance.random() < 0.9 else b"" for _ in range(chance.randint(0, 8))]
    before, behind = (chance.choice([b"", some_content(chance)]) for _ in range(2))
    text, needle = before + b"".join(parts) + behind, some_needle(chance)
    starts = array("Q", [len(before) + start for start in starts_of(parts)])
    eligible = marks(chance, len(parts)) if chance.random() < 0.5 else None
    use_simd, plain, slow = (bytearray(len(parts)) for _ in range(3))
    assert mark_parts(text, starts, needle, use_simd, eligible, 0, True) == len(parts)
    assert mark_parts(text, starts, needle, plain, eligible, 0, False) == len(parts)
    reference.mark_parts(text, starts, needle, slow, eligible)
    assert use_simd == plain == slow


@given(seeds)
def test_marked_are_the_ranges_that_hold_the_needle(chance: Random) -> None:
    text, needle = some_content(chance), some_needle(chance)
    pairs = [sorted(chance.choices(range(len(text) + 1), k=2)) for _ in range(chance.randint(0, 6))]
    starts, ends = array("Q", [low for low, _ in pairs]), array("Q", [high for _, high in pairs])
    use_simd, plain, slow = (bytearray(len(pairs)) for _ in range(3))
    mark_ranges(text, starts, ends, needle, use_simd, True)
    mark_ranges(text, starts, ends, needle, plain, False)
    reference.mark_ranges(text, starts, ends, needle, slow)
    assert use_simd == plain == slow


@pytest.mark.parametrize(("start", "end"), [(0, 5), (3, 2), (2**63, 2**63), (2**64 - 1, 4)])
def test_a_range_must_lie_within_the_text(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="range 1"):
        mark_ranges(b"text", array("Q", [0, start]), array("Q", [4, end]), b"t", bytearray(2))


def test_ranges_have_two_ends_and_a_mark() -> None:
    one, two = array("Q", [0]), array("Q", [0, 1])
    for starts, ends, marked in ((one, two, 1), (two, one, 2), (one, one, 2)):
        with pytest.raises(ValueError, match="equally long"):
            mark_ranges(b"text", starts, ends, b"t", bytearray(marked))
    with pytest.raises(ValueError, match="empty"):
        mark_ranges(b"text", one, one, b"", bytearray(1))


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (0, 5), (3, 2), (0, 2**62), (5, 5)])
def test_a_range_outside_the_text_has_no_characters(start: int, end: int) -> None:
    with pytest.raises(IndexError):
        count_code_points(b"text", start, end)


@given(seeds)
def test_characters_are_counted_by_their_first_bytes(chance: Random) -> None:
    text = some_text(chance)
    low = chance.randint(0, len(text))
    high = chance.randint(low, len(text))
    assert count_code_points(text, low, high) == reference.count_code_points(text, low, high)
    assert count_code_points(text, low, high, False) == reference.count_code_points(text, low, high)
    whole = text.decode(errors="ignore")
    assert count_code_points(whole.encode(), 0, len(whole.encode())) == len(whole)


def test_more_code_points_than_a_byte_lane_counts() -> None:
    text = "aé日🌙".encode() * 5_000
    assert count_code_points(text, 0, len(text)) == count_code_points(text, 0, len(text), False) == 20_000


@BOTH
@given(seeds)
def test_a_needle_stands_by_itself_or_in_a_name(use_simd: bool, chance: Random) -> None:
    text = b"".join(chance.choices([b"a", b"B", b" ", b"_", b"7", b"\xc3\xa9"], k=chance.randint(0, 60)))
    needle, most = chance.choice([b"a", b"ab", b"a b", b" "]), chance.randrange(4)
    some = [sorted(chance.choices(range(len(text) + 1), k=2)) for _ in range(chance.randint(0, 3))]
    starts, ends = array("Q", [start for start, _ in some]), array("Q", [end for _, end in some])
    assert first_standalone(text, starts, ends, needle, most, use_simd) == reference.first_standalone(
        text, starts, ends, needle, most
    )


@pytest.mark.parametrize("sign", [b"a", b"Z", b"0", b"9", b"_", b"-", b".", b"/", b"\\"])
def test_a_name_goes_on(sign: bytes) -> None:
    one = array("Q", [0])
    for text in (sign + b"mole", b"mole" + sign):
        assert first_standalone(text, one, array("Q", [len(text)]), b"mole", 9) == [(text.find(b"mole"), False)]
        assert first_standalone(text + b" mole", one, array("Q", [10]), b"mole", 9) == [(6, True)]


def test_ranges_that_do_not_fit_are_refused_where_it_stands() -> None:
    one, two = array("Q", [1]), array("Q", [2])
    with pytest.raises(ValueError, match="equally long"):
        first_standalone(b"ab", one, array("Q"), b"a", 1)
    with pytest.raises(ValueError, match="empty"):
        first_standalone(b"ab", one, two, b"", 1)
    for low, high in ((two, one), (one, array("Q", [3]))):
        with pytest.raises(ValueError, match="not within"):
            first_standalone(b"ab", low, high, b"a", 1)
