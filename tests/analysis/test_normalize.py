"""The two forms in which text is compared."""

from __future__ import annotations

import pytest

from recall_rank.analysis.normalize import encode, fold, folded_spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ABC", "abc"),
        ("\u212a", "k"),  # Kelvin sign
        ("\u0130", "i\u0307"),  # dotted capital I
        ("ΟΔΟΣ", "οδοσ"),
        ("οδος", "οδοσ"),
        ("ß", "ß"),  # lower case, not case folding: ss is another spelling
        ("CAFÉ", "café"),
    ],
)
def test_fold(text: str, expected: str) -> None:
    assert fold(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a", b"a"), ("é", b"\xc3\xa9"), ("a\ud800b", "a\ufffdb".encode()), ("\udfff", b"\xef\xbf\xbd")],
)
def test_encode_repairs_lone_surrogates(text: str, expected: bytes) -> None:
    assert encode(text) == expected


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("aAa", "a", [(0, 1), (1, 2), (2, 3)]),
        ("aaa", "aa", [(0, 2)]),
        ("\u0130x\u0130", "x", [(1, 2)]),
        ("x\u0130y", "i\u0307", [(1, 2)]),
        ("x\u0130y", "i\u0307Y", [(1, 3)]),
        ("ΣΑΣ", "σας", [(0, 3)]),
        ("abc", "d", []),
    ],
)
def test_folded_spans(text: str, wanted: str, expected: list[tuple[int, int]]) -> None:
    assert folded_spans(text, wanted) == expected
