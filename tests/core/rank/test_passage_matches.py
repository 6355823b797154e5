"""Matcher.matches() against form_matches() and the slow best span."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.rank.matcher import Matcher
from recall_rank._core.rank.snippet_window import SnippetWindow
from tests.reference.rank import passage_matches as reference
from tests.reference.rank import snippet_window as reference_snippet_window
from tests.support.kernels.matchers import table, told

WORDS = ("tide", "moon", "harbour", "of", "tidemoon")
FORMS = (
    (b"tide", 0, 1, 1.0),
    (b"moon", 1, 1, 1.0),
    (b"harbour", 2, 1, 0.5),
    (b"of", 3, 1, 1.0),
    (b"tidemoon", 0, 2, 0.75),
)
WEIGHTS = [2.0, 1.0, 3.0, 0.25]
COUNTED = [True, True, True, False]

Fields = list[tuple[int, list[str]]]

fields = st.lists(
    st.tuples(st.integers(0xF8, 0xFF), st.lists(st.sampled_from((*WORDS, "é", "gull", "日本")), max_size=8)), max_size=4
)


def matcher() -> Matcher:
    made = Matcher(WEIGHTS, COUNTED)
    for form in FORMS:
        assert made.add(*form)
    return made


def prefix_of(reader: Matcher) -> Callable[[], object]:
    return lambda: reader.add_prefix(b"tide", 0, 0.5)


def obvious(text: bytes, start: int, end: int, label: int, width: int) -> tuple[object, ...]:
    events = [
        (start + low, start + high, slot, span, worth)
        for low, high, slot, span, worth, _ in matcher().form_matches(text, start, end)
    ]
    slots = sum(1 << slot for slot in {s for e in events for s in range(e[2], e[2] + e[3])})
    marks = 0
    for low, _, slot, span, _ in events:
        inside = [byte for byte in text[start:low] if byte >= 0xF8]
        if any(COUNTED[slot : slot + span]):
            marks |= 1 << ((inside[-1] if inside else label) - 0xF8)
    if not events:
        return 0, 0, start, start, []
    worth = [sum(WEIGHTS[slot : slot + span]) * similarity for _, _, slot, span, similarity in events]
    places, kinds = [(low, high) for low, high, *_ in events], [event[2] for event in events]
    left, right = reference_snippet_window.best_span(places, worth, width, kinds)
    first, last = events[left][0], events[right][1]
    margin = width if text[start + 1 : end].isascii() else 4 * width
    window = [e for e in events if e[1] >= first - margin and e[0] <= last + margin]
    return slots, marks, first, last, window


@given(fields=fields, cut=st.integers(0, 40), width=st.integers(1, 60))
def test_passage_matches_are_the_form_matches_and_their_best_span(
    fields: list[tuple[int, list[str]]], cut: int, width: int
) -> None:
    text = b"".join(bytes([label]) + " ".join(words).encode() for label, words in fields)
    start = min(cut, len(text))
    asked = (text, start, len(text), 0xF8, width)
    assert told(matcher().matches(*asked)) == obvious(*asked)
    reader = matcher()
    assert reader.measure(text, array("Q", [0, start]), array("Q", [start, len(text)]), 8, table(2)) == 2
    assert told(reader.matches(*asked)) == obvious(*asked), "from the cache"


@given(fields=fields, width=st.integers(0, 60), data=st.data())
def test_a_snippet_window_is_that_of_its_matches(
    fields: list[tuple[int, list[str]]], width: int, data: st.DataObject
) -> None:
    pieces = [bytes([label]) + " ".join(words).encode() for label, words in fields]
    text, starts = b"".join(pieces), array("Q", [sum(map(len, pieces[:k])) for k in range(len(pieces) + 1)])
    found = matcher().matches(text, 0, len(text), 0xF8, width)
    slow = reference.PassageMatches(found.first, found.last, matches=list(map(tuple, found.matches)))
    window, expected = (
        found.snippet_window(starts, width, WEIGHTS),
        SnippetWindow(text, starts, slow.shown(starts, WEIGHTS), 0, len(text), width),
    )
    expected.select(found.matches, found.first, found.last, width, WEIGHTS)
    for name in ("field", "start", "end", "low", "high", "spans", "text"):
        assert getattr(window, name) == getattr(expected, name)


def test_of_a_span_over_several_fields_the_heaviest_is_shown() -> None:
    pieces = [b"\xf8tide and tide moon", b"\xf9harbour of tide", b"\xfamoon"]
    text, starts = b"".join(pieces), array("Q", [0, 19, 35, 40])
    found = matcher().matches(text, 0, len(text), 0xF8, 99)
    assert (found.first, found.last) == (1, 40)
    assert found.snippet_window(starts, 99, WEIGHTS).text == "harbour of tide"
    assert found.snippet_window(starts, 99, [2.0, 9.0, 0.1, 0.1]).text == "tide and tide moon"


def test_the_window_of_a_long_field_is_around_the_best_span() -> None:
    text = b"\xf8" + b"gull " * 999 + b"tide of moon " + b"gull " * 999
    found, fields = matcher().matches(text, 1, len(text), 0xF8, 20), array("Q", [0, len(text)])
    window = found.snippet_window(fields, 20, WEIGHTS)
    assert (window.start, window.end) == (found.first - 80, found.last + 80)
    assert window.text[window.low : window.high] == "ull tide of moon gul"
    assert found.snippet_window(fields, 20, WEIGHTS, lambda _, front, __: front + 5).start == 6


def test_impossible_windows_are_refused() -> None:
    text, fields = b"\xf8tide", array("Q", [0, 5])
    found = matcher().matches(text, 0, 5, 0xF8, 9)
    for outside in ([0, 6], [6]):
        with pytest.raises(IndexError):
            found.snippet_window(array("Q", outside), 9, WEIGHTS)
    with pytest.raises(TypeError):
        found.snippet_window(None, 9, WEIGHTS)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="width"):
        found.snippet_window(fields, -1, WEIGHTS)
    with pytest.raises(ValueError, match="0 weights"):
        found.snippet_window(fields, 9, [])


@given(st.lists(st.sampled_from([*WORDS, None]), max_size=70), st.lists(st.sampled_from(WORDS), max_size=9))
def test_words_are_listed_once_and_as_they_were_written(written: list[str | None], there: list[str]) -> None:
    found = matcher().matches(text := " ".join(there).encode(), 0, len(text), 0xF8, 9)
    assert found.words(written) == reference.PassageMatches(0, slots=found.slots).words(written)


def test_the_cache_is_emptied_when_a_form_is_added() -> None:
    text, reader = b"gulls and tides", matcher()
    for add, slots in ((lambda: None, 0), (lambda: reader.add(b"gulls", 1, 1, 1.0), 2), (prefix_of(reader), 3)):
        add()
        reader.measure(text, array("Q", [0]), array("Q", [len(text)]), 8, table(1))
        assert reader.matches(text, 0, len(text), 0xF8, 99).slots == slots
        assert reader.matches(bytes(b"x" * len(text)), 0, len(text), 0xF8, 99).slots == 0, "another text"


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 99)])
def test_a_range_outside_of_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(IndexError):
        matcher().matches(b"tide", start, end, 0xF8, 10)


@pytest.mark.parametrize("label", [0, 0xF7, 0x100])
def test_a_label_that_is_no_field_is_refused(label: int) -> None:
    with pytest.raises(ValueError, match="label"):
        matcher().matches(b"tide", 0, 4, label, 10)
