"""Messages that the host reports as in its model's context are left out of a search, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank import Context, Index, Message, Part, Session


def session(key: str, *texts: str) -> Session:
    said = (
        Message(f"{key}-m{i}", "user", 1000 + i, (Part(f"{key}-p{i}", "text", text),)) for i, text in enumerate(texts)
    )
    return Session(key, tuple(said), title=f"{key} lanterns")


INDEX = Index.build(
    [
        session("asks", "lanterns were compacted", "lanterns are bright", "lanterns are old"),
        session("other", "lanterns elsewhere"),
    ]
)
ALL = {"asks-p0", "asks-p1", "asks-p2", "asks:title", "other-p0", "other:title"}


def found(context: Context | None, **options: Any) -> set[str]:
    response = INDEX.search("lanterns", context=context, results=50, **options)
    counts = response.coverage.parts
    assert counts.known == counts.eligible + sum(counts.skipped.values())
    assert response.total == len(response.results)
    return {hit.part_id for hit in response.results}


@pytest.mark.parametrize("match", ["smart", "literal", "fuzzy"])
@pytest.mark.parametrize(
    ("context", "left_out"),
    [
        (Context("asks"), set()),
        (Context("asks", in_context=("asks-m2",)), {"asks-p2"}),
        (Context("asks", in_context_since="asks-m1"), {"asks-p1", "asks-p2"}),
        (Context("asks", in_context=("asks-m0",), in_context_since="asks-m2"), {"asks-p0", "asks-p2"}),
        (Context("asks", in_context_since="asks-m0"), {"asks-p0", "asks-p1", "asks-p2", "asks:title"}),
        (Context("asks", in_context=("gone",), in_context_since="gone too"), set()),
        (Context("asks", in_context=("other-m0",)), set()),
        (Context(None, in_context=("asks-m0",)), set()),
    ],
)
def test_messages_in_context_are_left_out(match: str, context: Context, left_out: set[str]) -> None:
    assert found(context, match=match) == ALL - left_out


def test_a_session_asked_for_by_id_is_searched_whole() -> None:
    context = Context("asks", in_context_since="asks-m0")
    whole = {"asks-p0", "asks-p1", "asks-p2", "asks:title"}
    assert found(context, scope="session") == whole
    assert found(context, session_id="asks") == whole


def test_messages_left_out_are_counted() -> None:
    response = INDEX.search("lanterns", context=Context("asks", in_context_since="asks-m1"))
    assert response.coverage.parts.skipped == {"in_context": 2}
    assert response.coverage.messages.skipped == {"in_context": 2}
    assert list(response.coverage.limited_by) == ["in_context"]


def test_messages_in_context_and_filters_combine() -> None:
    context = Context("asks", in_context_since="asks-m2")
    assert found(context, must=["lanterns", "are"]) == {"asks-p1"}
    assert found(context, type="text", role="assistant") == set()
