"""Sentences that state a decision by one of its usual words are notes of that kind; others that have one are not."""

from __future__ import annotations

import pytest

from bench.datasets.conversations.long_conversation import DECISION, PLANTED
from recall_rank.analysis.compaction_notes import compaction_notes
from recall_rank.model import Message, Part, Role, Session


def kinds(text: str, role: Role = "assistant") -> list[str]:
    return [note.kind for note in compaction_notes(Session("s", (Message("m", role, 0, (Part("p", "text", text),)),)))]


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("wording", PLANTED[DECISION][1])
def test_marked_decisions_of_the_benchmark(wording: str, role: Role) -> None:
    assert kinds(wording.format(s="harbour-gate", v="tide-table"), role) == ["decision"]


@pytest.mark.parametrize(
    "text",
    [
        "We\u2019re sticking with the old pump for now.",
        "I have already opted for the smaller crane.",
        "The team is now standardizing on metric bolts.",
        "We will both settle on oak in the end.",
        "It was finally decided yesterday at the quay.",
        "Our choice for the fender is oak.",
        "The second option was turned down.",
        "We signed off on the plan for basin 3.",
        "From today on the gate stays shut at night.",
    ],
)
def test_other_forms_of_these_words(text: str) -> None:
    assert kinds(text) == ["decision"]


@pytest.mark.parametrize(
    "text",
    [
        "I'll pick up the branch where it was.",
        "I committed to main and pushed it.",
        "The connection was rejected by the pump.",
        "The request is accepted by the server.",
        "I looked at the crane and ran the tests.",
        "A design that reads well at night.",
    ],
)
def test_sentences_that_decide_nothing(text: str) -> None:
    assert kinds(text) == []
