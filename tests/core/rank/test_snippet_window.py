"""The window of a field, and the characters of it that are shown around its matches."""

from __future__ import annotations

from array import array
from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank._core.rank.snippet_window import SnippetWindow
from tests.reference.rank import snippet_window as reference
from tests.support.kernels.inputs import seeds

ONE = [1.0, 1.0, 1.0, 5.0]


def matches(*places: tuple[int, int, int]) -> list[tuple[int, int, int, int, float]]:
    """Whole words of the query at these bytes, each (start, end, slot)."""
    return [(start, end, slot, 1, 1.0) for start, end, slot in places]


def select(text: bytes, events: Any, first: int, last: int, width: int, weights: Any) -> Any:
    """What a SnippetWindow of a short field shows; offsets count from the field, as those of reference.select()."""
    window = SnippetWindow(b"\xf8" + text, array("Q", [0, 1 + len(text)]), 0, 0, 0, width)
    moved = [(start + 1, end + 1, *told) for start, end, *told in events]
    window.select(moved, first + 1, last + 1, width, weights)
    return window.low, window.high, window.spans


@pytest.mark.parametrize(
    ("text", "events", "width", "expected"),
    [
        pytest.param("", [], 5, (0, 0, []), id="nothing"),
        pytest.param("0123456789", [], 4, (0, 4, []), id="no match: the head"),
        pytest.param("0123456789", [], 99, (0, 10, []), id="wider than the text"),
        pytest.param("0123456789", matches((8, 9, 0)), 4, (6, 10, [(8, 9)]), id="at the end"),
        pytest.param("0123456789", matches((4, 6, 0)), 4, (3, 7, [(4, 6)]), id="in the middle"),
        pytest.param("0123456789", matches((2, 8, 0)), 4, (3, 7, [(2, 8)]), id="longer than the width"),
        pytest.param("0123456789", matches((4, 6, 0), (4, 5, 1), (5, 6, 2)), 6, (2, 8, [(4, 6)]), id="pieces as one"),
        pytest.param("0123456789", matches((4, 5, 0), (5, 6, 1)), 6, (2, 8, [(4, 5), (5, 6)]), id="side by side"),
        pytest.param("0123456789", matches((4, 4, 0)), 6, (1, 7, []), id="an empty match shows nothing"),
        pytest.param("éééé海6789", matches((8, 11, 0), (11, 12, 1)), 4, (3, 7, [(4, 5), (5, 6)]), id="characters"),
        pytest.param(
            "é123456789", matches((2, 3, 0), (8, 9, 1), (10, 11, 2)), 5, (5, 10, [(7, 8), (9, 10)]), id="most"
        ),
        pytest.param(
            "é123456789", matches((2, 3, 0), (8, 9, 0), (10, 11, 0)), 5, (5, 10, [(7, 8), (9, 10)]), id="same"
        ),
        pytest.param("é123456789", matches((2, 3, 3), (8, 9, 0), (10, 11, 1)), 5, (0, 5, [(1, 2)]), id="a heavy one"),
    ],
)
def test_rows(text: str, events: Any, width: int, expected: tuple[int, int, list[tuple[int, int]]]) -> None:
    data = text.encode()
    first, last = min([e[0] for e in events], default=0), max([e[1] for e in events], default=0)
    assert reference.select(data, 0, len(data), events, first, last, width, ONE) == expected
    assert select(data, events, first, last, width, ONE) == expected


def test_a_given_span_is_shown_where_bytes_are_characters() -> None:
    events = matches((1, 2, 0), (20, 21, 0), (22, 23, 1))
    assert select(b"x" * 30, events, 1, 2, 6, ONE)[:2] == (0, 6)
    assert select(b"x" * 30, events[1:], -1, 2, 6, ONE)[:2] == (18, 24), "it does not stand in this text"


@given(seeds)
def test_a_window_shows_what_the_slow_version_shows(chance: Random) -> None:
    letters = [letter.encode() for letter in chance.choice(["ab ", "aé海🙂 "])]
    atoms = [chance.choice(letters) for _ in range(chance.randint(0, 60))]
    borders = [0]
    for atom in atoms:
        borders.append(borders[-1] + len(atom))
    text = b"".join(atoms)
    found = sorted(sorted(chance.choices(borders, k=2)) for _ in range(chance.randint(0, 14)))
    if chance.random() < 0.3:
        chance.shuffle(found)  # a compound is told after its first word
    weights = [chance.choice([0.0, 0.25, 1.0, 4.0]) for _ in range(6)]
    events = []
    for low, high in found:
        slot = chance.randrange(6)
        events.append((low, high, slot, chance.randint(1, 6 - slot), chance.choice([0.25, 0.5, 1.0])))
    first, last = sorted(chance.choices([-1, *borders, len(text) + 1], k=2))
    asked = events, first, last, chance.choice([0, 1, 5, 12, 40, 2**40]), weights
    low, high, places = reference.select(text, 0, len(text), *asked)
    assert select(text, *asked) == (low, high, places)
    window = SnippetWindow(b"\xf8" + text, array("Q", [0, 1 + len(text)]), 0, 0, 0, asked[3])
    window.select([(start + 1, end + 1, *told) for start, end, *told in events], first + 1, last + 1, *asked[3:])
    left, right = "..." * (low > 0), "..." * (high < len(text.decode()))
    move = len(left) - low
    cut = window.cut(lambda *span: span)
    assert (cut.text, cut.spans) == (
        left + text.decode()[low:high] + right,
        tuple((max(start, low) + move, min(end, high) + move, start, end) for start, end in places),
    )


@given(seeds)
def test_the_window_of_a_long_field_is_the_surroundings_of_a_match(chance: Random) -> None:
    """Fields short and long, some empty, in a text with something in front and behind."""
    text, fields = b"in front ", []
    for _ in range(chance.randint(0, 4)):
        fields.append(len(text))
        unit = chance.choice(["ab ", "é", "海 ", "🙂x"])
        text += bytes([chance.randint(0xF8, 0xFF)]) + (unit * chance.choice([0, 9, 1_400, 4_000])).encode()
    fields.append(len(text))
    text += b"behind"
    first, last = sorted(chance.randint(0, len(text)) for _ in range(2))
    at, width = chance.randint(0, len(text)), chance.choice([0, 1, 20, 200, 2**60])
    low, high, start, end = reference.surroundings(text, fields, at, first, last, width)
    begin = chance.randint(low, start)
    for begun, asked in ((None, ()), (begin, (lambda given, *place: begin if given is text else place,))):
        window = SnippetWindow(text, array("Q", fields), at, first, last, width, *asked)
        expected = reference.surroundings(text, fields, at, first, last, width, begun)
        assert (window.start, window.end) == expected[2:]
        assert window.field == (text[low - 1] - 0xF8 if len(fields) > 1 else 0)
        shown = text[window.start : window.end].decode()
        assert (window.text, window.before) == (shown, len(text[low : window.start].decode()))
        middle = (window.start + window.end) // 2
        while window.start < middle < window.end and text[middle] & 0xC0 == 0x80:
            middle -= 1
        window.select([(middle, window.end, 0, 1, 1.0)], middle, window.end, 9, ONE)
        left, right = window.ellipses
        assert (left, right) == (
            "..." * bool(window.low or window.start > low),
            "..." * bool(window.high < len(shown) or window.end < high),
        )
        snippet = window.cut(lambda *span: span)
        cut, spans = snippet.text, snippet.spans
        assert cut == left + shown[window.low : window.high] + right
        whole = text[low:high].decode()
        for start, end, text_start, text_end in spans:
            assert cut[start:end] in whole[text_start:text_end]


FIELD = (b"\xf8tide", array("Q", [0, 5]))


@pytest.mark.parametrize(("at", "first", "last"), [(-1, 0, 0), (6, 0, 0), (0, -1, 2), (0, 2, 1), (0, 0, 6)])
def test_a_range_outside_of_the_text_is_refused(at: int, first: int, last: int) -> None:
    with pytest.raises(IndexError):
        SnippetWindow(*FIELD, at, first, last, 9)


@pytest.mark.parametrize("fields", [[6], [2, 1], [0, 6], [0, 0], [2**63, 5], [0, 2**64 - 1]])
def test_fields_outside_of_the_text_are_refused(fields: list[int]) -> None:
    with pytest.raises(IndexError):
        SnippetWindow(FIELD[0], array("Q", fields), 0, 0, 0, 9)


@pytest.mark.parametrize("fields", [[], [1, 5]])
def test_a_byte_that_labels_no_field_is_refused(fields: list[int]) -> None:
    with pytest.raises(ValueError, match="field"):
        SnippetWindow(FIELD[0], array("Q", fields), 0, 0, 0, 9)


@pytest.mark.parametrize("begin", [0, -1, 4_002, 2**62])
def test_a_beginning_lies_in_the_field_in_front(begin: int) -> None:
    with pytest.raises(ValueError, match="no beginning"):
        SnippetWindow(b"\xf8" + b"x" * 9_000, array("Q", [0, 9_001]), 5_000, 5_000, 5_000, 250, lambda *_: begin)


def test_a_width_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="width"):
        SnippetWindow(*FIELD, 0, 0, 0, -1)
    with pytest.raises(ValueError, match="width"):
        SnippetWindow(*FIELD, 0, 0, 0, 9).select([], 0, 0, -1, [])


def test_nothing_is_shown_before_characters_are_selected() -> None:
    window = SnippetWindow(*FIELD, 0, 0, 0, 9)
    assert (window.low, window.high, window.spans, window.text) == (0, 0, [], "tide")
    for empty in (SnippetWindow(b"", array("Q", [0]), 0, 0, 0, 9), SnippetWindow.__new__(SnippetWindow)):
        assert (empty.cut(tuple).text, empty.cut(tuple).spans) == ("", ())


@pytest.mark.parametrize(
    "event", [(2, 1, 0, 1, 1.0), (1, 2, -1, 1, 1.0), (1, 2, 64, 1, 1.0), (1, 2, 0, 0, 1.0), (1, 2, 3, 2, 1.0)]
)
def test_an_impossible_match_is_refused(event: Any) -> None:
    with pytest.raises(ValueError, match="no match"):
        SnippetWindow(*FIELD, 0, 0, 0, 9).select([event], 0, 1, 9, ONE)


@pytest.mark.parametrize(
    "event", [None, 7, (), (0, 1), (0, 1, 0, 1), (0, 1, 0, 1, 1.0, 0), ("a", "b", 0, 1, 1.0), (0, 2**70, 0, 1, 1.0)]
)
def test_a_match_is_five_numbers(event: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        SnippetWindow(*FIELD, 0, 0, 0, 9).select([event], 0, 1, 9, ONE)


@pytest.mark.parametrize("wrong", [None, "ab", ((0, 1),)])
def test_only_lists_are_taken(wrong: Any) -> None:
    window = SnippetWindow(*FIELD, 0, 0, 0, 9)
    with pytest.raises(TypeError):
        window.select(wrong, 0, 1, 9, ONE)
    with pytest.raises(TypeError):
        window.select([(1, 2, 0, 1, 1.0)], 0, 1, 9, wrong)


@pytest.mark.parametrize("wrong", [None, "ab", 7])
def test_only_bytes_and_columns_are_read(wrong: Any) -> None:
    for text, fields in ((wrong, FIELD[1]), (FIELD[0], wrong)):
        with pytest.raises((TypeError, ValueError)):
            SnippetWindow(text, fields, 0, 0, 0, 9)
    window = SnippetWindow(*FIELD, 0, 0, 0, 9)
    window.select([(1, 3, 0, 1, 1.0)], 1, 3, 9, ONE)
    with pytest.raises(TypeError):
        window.cut(wrong)
