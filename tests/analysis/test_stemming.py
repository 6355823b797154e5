"""Stems and irregular forms of English words."""

from __future__ import annotations

import pytest

from recall_rank.analysis.stemming import base_form, irregular_forms, stem, stem_all


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (("connect", "connected", "connections"), True),
        (("limit", "limiter"), True),
        (("connect", "context"), False),
        (("e0502", "e0503"), False),
        (("größe", "größen"), False),  # other scripts and languages are compared as they are
    ],
)
def test_stem(words: tuple[str, ...], same: bool) -> None:
    assert (len({stem(word) for word in words}) == 1) is same


def test_stems_of_many_words_are_those_of_each() -> None:
    words = ["connections", "limiter", "context", "ran"]
    assert stem_all(words) == [stem(word) for word in words]


@pytest.mark.parametrize(
    ("word", "forms"),
    [("went", ["go", "gone"]), ("go", ["went", "gone"]), ("mice", ["mouse"]), ("walk", []), ("walked", [])],
)
def test_irregular_forms(word: str, forms: list[str]) -> None:
    assert irregular_forms(word) == forms
    assert {base_form(form) for form in forms} <= {base_form(word)}
