"""Standing orders and questions are told by the wording of a passage."""

from __future__ import annotations

import pytest

from recall_rank.analysis.fields import Field
from recall_rank.analysis.utterance_kind import is_order, is_question


@pytest.mark.parametrize(
    "passage",
    [
        "\xf8Always give the units when I ask for a length.",
        "\xf8Fine. Please never push to main.",
        "\xf8Rules:\n- NEVER touch the lock file\n",
        "\xf8so I prefer tabs",
        "\xf8We'd really prefer short names",
        "\xf8I\u2019d prefer a table",
        "\xf8from now on, answer in Greek",
    ],
)
def test_a_standing_order_begins_its_sentence(passage: str) -> None:
    assert is_order(passage.encode("utf-8").replace(b"\xc3\xb8", b"\xf8"))


@pytest.mark.parametrize(
    "passage",
    [
        "",
        "it always fails on the second run",
        "You never said so.",
        "they prefer tabs",
        "alwaysOn: true\nneverMind()",
        "I preferred tabs",
    ],
)
def test_the_same_words_elsewhere_give_no_order(passage: str) -> None:
    assert not is_order(passage.encode())


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("Where is the harbour?", True),
        ("Oh! So where did they keep the harbour master's lamp?!", True),
        ("where? when? how?", True),
        ("港はどこですか？", True),
        ("أين الميناء؟", True),
        ("The harbour is behind the hill, past the old mill. And you?", False),
        ("?", False),
        ("?" * 2000, False),
        ("No question here.", False),
        ("", False),
    ],
)
def test_a_passage_that_mostly_asks_is_a_question(said: str, asks: bool) -> None:
    assert is_question(bytes([Field.TEXT]) + said.encode()) is asks
