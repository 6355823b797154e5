"""The figures of a session: rounds, summaries, messages of subagents, tokens and cost."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.histories.chains.figures import figures_of, is_prompt
from recall_rank.model import Flag, Message, Part, Session, Tokens


def said(role: Any, text: str | None, kind: str = "text", **more: Any) -> Message:
    part = Part("p", kind, text, flags=more.pop("part_flags", Flag.NONE))
    return Message("m", role, parts=(part,), **more)


@pytest.mark.parametrize(
    ("message", "prompt"),
    [
        (said("user", "Mend the sluice"), True),
        (said("user", None, "file"), True),
        (said("assistant", "Mended."), False),
        (said("user", "a reminder", flags=Flag.SYNTHETIC), False),
        (said("user", "a reminder", part_flags=Flag.SYNTHETIC), False),
        (said("user", "what was said before", flags=Flag.SUMMARY), False),
        (said("user", "ls", "tool"), False),
        (said("user", None, "compaction"), False),
        (said("user", "left behind", flags=Flag.ABANDONED), True),
        (Message("m", "user"), False),
    ],
)
def test_what_a_prompt_is(message: Message, prompt: bool) -> None:
    assert is_prompt(message) is prompt


def test_prompts_of_a_subagent_count_in_its_own_session_only() -> None:
    asked = said("user", "Count the gates", flags=Flag.SUBAGENT)
    within = figures_of(Session("s", (said("user", "Mend the sluice"), asked, asked)))
    assert (within.rounds, within.messages, within.subagent_messages) == (1, 3, 2)
    own = figures_of(Session("s", (asked, asked), flags=Flag.SUBAGENT))
    assert (own.rounds, own.messages, own.subagent_messages) == (2, 2, 0)


def test_the_mark_and_the_text_of_a_compaction_are_one_summary() -> None:
    mark = said("system", None, "compaction", time=10, flags=Flag.SYNTHETIC)
    summary = said("user", "The sluice was mended.", time=11, flags=Flag.SUMMARY)
    other = said("assistant", "Gates counted.", "compaction", time=20, flags=Flag.SUMMARY)
    talk = said("user", "And now?", time=12)
    assert figures_of(Session("s", (mark, summary, talk, mark, talk, other, other))).summaries == (10, 10, 20, 20)
    assert figures_of(Session("s", (talk,))).summaries == ()


def test_tokens_and_cost_are_those_of_the_session_else_sums_else_nothing() -> None:
    first = said("assistant", "One.", tokens=Tokens(5, 2, 1), cost=0.5)
    second = said("assistant", "Two.", tokens=Tokens(7, None, None, 3), cost=0.25)
    summed = figures_of(Session("s", (first, said("user", "more"), second)))
    assert (summed.tokens, summed.tokens_summed) == (Tokens(12, 2, 1, 3), True)
    assert (summed.cost, summed.cost_summed) == (0.75, True)
    stored = figures_of(Session("s", (first, second), tokens=Tokens(100, 9), cost=2.0))
    assert (stored.tokens, stored.tokens_summed, stored.cost, stored.cost_summed) == (Tokens(100, 9), False, 2.0, False)
    nothing = figures_of(Session("s", (said("user", "more"),)))
    assert (nothing.tokens, nothing.tokens_summed, nothing.cost, nothing.cost_summed) == (None, False, None, False)
