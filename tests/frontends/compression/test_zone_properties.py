"""Whatever a conversation is, its zones are one that providers take, within their budgets, and its beginning stays."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from recall_rank.frontends.compression.compress import Compressed, compress
from recall_rank.frontends.compression.conversation import SUMMARY_LABEL, conversation_of, tokens_of
from recall_rank.frontends.compression.zones import ZoneBudget, zone_plan
from recall_rank.frontends.transcripts.statistics import estimated_tokens
from recall_rank.model import Message
from recall_rank.model.coerce import session_from
from tests.support.frontends.chats import Chat, called, conversations, problems, said, used

BUDGETS = st.builds(
    ZoneBudget,
    head=st.sampled_from([60, 400, 4_000]),
    middle=st.sampled_from([120, 400, 4_000]),
    tail=st.sampled_from([80, 1_500, 20_000]),
    rounds=st.sampled_from([1, 2, 20]),
)
LONG = [said("user", "Build the harbour."), *called("call_0", "wave " * 4_000), *called("call_0", "wave " * 4_000)]


def size(messages: Any) -> int:
    return sum(tokens_of(each, estimated_tokens) for each in messages)


def is_request(message: Any) -> bool:
    """Return whether a user wrote this message; results of tools and a former summary are nobody's request."""
    text = message["content"]
    return message["role"] == "user" and isinstance(text, str) and not text.startswith(SUMMARY_LABEL)


def compressed(messages: Any, budget: ZoneBudget) -> Compressed:
    return compress(messages, 10_000_000, force=True, budget=budget)


@given(conversations(), BUDGETS)
@example([*LONG, said("assistant", "Done.")], ZoneBudget(tail=80))
@example(
    [said("user", "a"), *used("u1", "b " * 4_000, more="No, the other one."), said("assistant", "c")],
    ZoneBudget(tail=80),
)
@settings(max_examples=40, deadline=None)
def test_a_provider_that_took_the_conversation_takes_the_zones(messages: list[Chat], budget: ZoneBudget) -> None:
    assert problems(messages) == []
    made = compressed(messages, budget)
    assert problems(list(made.messages)) == []  # type: ignore[arg-type]
    again = compressed(made.messages, budget)
    assert problems(list(again.messages)) == []  # type: ignore[arg-type]


@given(conversations(), BUDGETS)
@example(
    [
        said("user", "Please fix the quay."),
        *called("call_0", "wave " * 40),
        said("assistant", "ok"),
        said("user", "Please paint the quay."),
        said("assistant", "ok"),
        said("user", SUMMARY_LABEL),
    ],
    ZoneBudget(head=60, middle=120, tail=80, rounds=1),
)
@settings(max_examples=40, deadline=None)
def test_no_zone_is_larger_than_its_budget(messages: list[Chat], budget: ZoneBudget) -> None:
    made = compressed(messages, budget)
    assert made.after.tokens == size(made.messages)
    if not made.changed:
        assert [*made.messages] == messages
        return
    assert made.after.tokens < made.before.tokens
    head = size(each for each in made.head if each["role"] != "system")  # type: ignore[index]
    said_so = " ".join(made.notes)
    assert head <= budget.head or "kept in full" in said_so
    assert size(made.middle) <= budget.middle
    assert size(made.tail) <= budget.tail or "kept in full" in said_so
    assert sum(map(is_request, made.tail)) <= budget.rounds


@given(conversations(), BUDGETS)
@settings(max_examples=40, deadline=None)
def test_every_message_is_kept_or_cut_or_summarised(messages: list[Chat], budget: ZoneBudget) -> None:
    plan = zone_plan(conversation_of(messages, estimated_tokens), budget)
    given = {id(each) for each in messages}
    kept = {id(each) for each in (*plan.head, *plan.tail, *(each.given for each in (*plan.middle, *plan.summaries)))}
    cut = [each for each in (*plan.head, *plan.tail) if id(each) not in given and each["role"] != "assistant"]  # type: ignore[index]
    results = sum(each["role"] != "assistant" for each in messages if id(each) not in kept)
    assert results <= len(cut)
    system = [each for each in messages if each["role"] == "system"]
    assert list(plan.head)[: len(system)] == system or system[0] in plan.tail
    assert plan.notes or messages[-1] is plan.tail[-1]


@given(conversations(), BUDGETS)
@settings(max_examples=40, deadline=None)
def test_records_are_compressed_to_records(messages: list[Chat], budget: ZoneBudget) -> None:
    records = session_from({"id": "s", "messages": messages}).messages
    made = compressed(records, budget)
    assert all(isinstance(each, Message) for each in made.messages)
    roles = [each.role for each in made.messages if isinstance(each, Message) and each.role != "system"]
    before = [each.role for each in records if each.role != "system"]
    doubled = sum(one == other for one, other in pairwise(before))
    assert sum(one == other for one, other in pairwise(roles)) <= doubled


@given(conversations())
@settings(max_examples=40, deadline=None)
def test_spans_hold_every_message_once_and_no_call_without_its_result(messages: list[Chat]) -> None:
    conversation = conversation_of(messages, estimated_tokens)
    assert [at for low, high in conversation.stretches for at in range(low, high)] == list(range(len(messages)))
    system = [each for each in messages if each["role"] == "system"]
    for low, _ in conversation.stretches:
        if messages[low]["role"] == "user" and low in conversation.rounds:
            assert problems([*system, *messages[low:]]) == []
