"""Pages of long answers are bounded and together contain everything."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.mcp.answer_pages import paged
from recall_rank.frontends.tools.warnings import ToolError

LIMIT = 8_000


def message(number: int, *texts: str) -> dict[str, Any]:
    parts = [{"id": f"m{number}p{at}", "type": "text", "content": text} for at, text in enumerate(texts)]
    return {"message": {"id": f"m{number}", "role": "user"}, "parts": parts}


def pages(answer: dict[str, Any]) -> list[dict[str, Any]]:
    found = [paged(answer, None, LIMIT)]
    while "next_cursor" in found[-1]:
        found.append(paged(answer, found[-1]["next_cursor"], LIMIT))
        assert len(found) < 1_000
    return found


def collected(found: list[dict[str, Any]]) -> dict[str, str]:
    """The texts of all parts by their ids, joined across pages."""
    texts: dict[str, str] = {}
    for page in found:
        for each in page.get("messages", ()):
            for part in each.get("parts", ()):
                texts[part["id"]] = texts.get(part["id"], "") + part.get("content", "")
    return texts


def test_a_short_answer_is_one_page() -> None:
    answer = {"ok": True, "messages": [message(1, "short")]}
    assert paged(answer, None, LIMIT) is answer


@given(
    st.lists(
        st.lists(st.sampled_from(["", "a", "\u6f22" * 900, '"\\' * 3_000, "word " * 5_000]), max_size=4), max_size=5
    )
)
def test_pages_hold_everything_and_none_is_long(texts: list[list[str]]) -> None:
    answer = {"ok": True, "messages": [message(at, *some) for at, some in enumerate(texts)], "total": 3}
    found = pages(answer)
    assert all(len(json.dumps(page, ensure_ascii=False).encode()) <= 3 * LIMIT for page in found)
    assert all(page["ok"] for page in found)
    expected = {part["id"]: part["content"] for each in answer["messages"] for part in each["parts"]}
    assert {key: text for key, text in collected(found).items() if text} == {k: t for k, t in expected.items() if t}


def test_a_page_repeats_the_ids_of_a_continued_item() -> None:
    first, second, *_ = pages({"ok": True, "messages": [message(1, "word " * 5_000)]})
    assert first["messages"][0]["parts"][0]["id"] == second["messages"][0]["parts"][0]["id"] == "m1p0"


def test_many_small_values_are_paged_too() -> None:
    answer = {"ok": True, "input": {"rows": [{"n": at, "ok": True} for at in range(2_000)]}}
    found = pages(answer)
    assert len(found) > 3
    assert [row["n"] for page in found for row in page["input"]["rows"] if "n" in row] == list(range(2_000))


@pytest.mark.parametrize(
    "cursor", ["x", "1", "1.2", "-1.0.00000000", "9" * 70, "1.0.00000000", "99999.0.00000000", "0..a"]
)
def test_a_cursor_of_another_answer_is_refused(cursor: str) -> None:
    answer = {"ok": True, "messages": [message(1, "word " * 5_000)]}
    with pytest.raises(ToolError, match="cursor"):
        paged(answer, cursor, LIMIT)


def test_the_first_page_says_how_much_there_is() -> None:
    about = {"pagination": {"total": 9}, "context": {"session_title": "Tides"}, "warnings": ["one store is locked"]}
    long = {"ok": True, "messages": [message(at, "word " * 900) for at in range(9)], **about}
    first, *others = pages(long)
    assert {name: first[name] for name in about} == about
    assert others
    assert not any(name in page for page in others for name in about)
