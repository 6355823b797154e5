"""Replacements in a shown text, and the positions of its characters after them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.analysis.text_edits import Edit, edited

TEXT = "abcdefghij"


@pytest.mark.parametrize(
    ("edits", "low", "high", "shown"),
    [
        pytest.param([], 2, 5, "cde", id="nothing is replaced"),
        pytest.param([(3, 5, "[x]")], 0, 10, "abc[x]fghij", id="one in the middle"),
        pytest.param([(1, 4, "[x]")], 2, 6, "[x]ef", id="one that began before is shown whole"),
        pytest.param([(4, 9, "[x]")], 2, 6, "cd[x]", id="one that ends behind is shown whole"),
        pytest.param([(0, 10, "[x]")], 4, 5, "[x]", id="one that covers all"),
        pytest.param([(0, 2, "[x]"), (6, 7, "[y]")], 2, 6, "cdef", id="those that only touch are not shown"),
        pytest.param([(2, 3, ""), (3, 4, "[y]")], 0, 6, "ab[y]ef", id="neighbours"),
    ],
)
def test_shown(edits: list[Edit], low: int, high: int, shown: str) -> None:
    assert edited(TEXT, edits, low, high).text == shown


def test_a_span_inside_an_edit_covers_all_of_it() -> None:
    found = edited(TEXT, [(3, 5, "[x]")])
    assert found.span(0, 2) == (0, 2)
    assert found.span(1, 3) == (1, 3)
    assert found.span(4, 5) == (3, 6)
    assert found.span(2, 7) == (2, 8)
    assert found.span(5, 6) == (6, 7)


@given(st.data())
def test_characters_outside_of_edits_are_at_their_spans(data: st.DataObject) -> None:
    text = data.draw(st.text("abcdef", max_size=40))
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    edits = [
        (start, end, data.draw(st.sampled_from(["", "#", "##########"])))
        for start, end in zip(places[::2], places[1::2], strict=False)
    ]
    low = data.draw(st.integers(0, len(text)))
    high = data.draw(st.integers(low, len(text)))
    shown = edited(text, edits, low, high)
    hidden = {at for start, end, _ in edits for at in range(start, end)}
    for at in range(low, high):
        start, end = shown.span(at, at + 1)
        assert 0 <= start <= end <= len(shown.text)
        if at not in hidden:
            assert shown.text[start:end] == text[at]
