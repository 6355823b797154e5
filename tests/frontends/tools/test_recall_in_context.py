"""Messages that are still in the model's context are left out of hits; the rest of their session is not."""

from __future__ import annotations

from dataclasses import replace

from tests.support.frontends.harbor import HERE, NOW, tools


def test_messages_in_context_are_left_out_and_the_rest_of_the_session_is_not() -> None:
    reading = replace(HERE, in_context_since="tt4")
    found = tools().call("recall", {"query": "gauge"}, context=reading, now=NOW)
    ids = {result["message_id"] for result in found["results"]}
    assert "tt1" in ids
    assert "tt4" not in ids
    for scope in ({"scope": "session"}, {"session_id": "tide-tables"}):
        whole = tools().call("recall", {"query": "gauge", **scope}, context=reading, now=NOW)
        assert "tt4" in {result["message_id"] for result in whole["results"]}
    closed = tools(**{"global": False})
    again = closed.call("recall", {"query": "gauge", "scope": "project"}, context=reading, now=NOW)
    assert {result["message_id"] for result in again["results"]} == ids
