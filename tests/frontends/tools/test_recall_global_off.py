"""With the option `global` off nothing of another project shows."""

from __future__ import annotations

from typing import Any

from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.recall import Recall
from tests.support.frontends.harbor import BEES, FERRIES, HERE, NOW, TIDES, Invented, ask, parts, tools


class TestGlobalOff:
    """Nothing of another project shows, whatever is asked."""

    def test_global_scope_is_refused(self) -> None:
        closed = tools(**{"global": False})
        assert ask(closed, "noon")["error_category"] == "global_disabled"
        assert closed.call("recall_sessions", {"scope": "global"})["error_category"] == "global_disabled"

    def test_sessions_of_other_projects_are_unknown(self) -> None:
        closed, alone = tools(**{"global": False}, broken=("lost",)), tools(TIDES, FERRIES, **{"global": False})
        for name, args in (
            ("recall", {"query": "zephyrcanary", "scope": "project"}),
            ("recall", {"query": "noon", "scope": "project", "directory": "/home", "fallback": True}),
            ("recall", {"query": "zephyrcanari", "match": "fuzzy", "scope": "project"}),
            ("recall", {"query": "noon", "session_id": "bee-hives"}),
            ("recall", {"query": "noon", "session_id": "bee-"}),
            ("recall_get", {"session_id": "bee-hives", "message_id": "bh1"}),
            ("recall_context", {"session_id": "bee-hives", "message_id": "bh1"}),
            ("recall_messages", {"session_id": "bee-hives"}),
            ("recall_sessions", {}),
        ):
            answer = closed.call(name, args, now=NOW)
            assert "swarm" not in str(answer)
            assert _still(answer) == _still(alone.call(name, args, now=NOW)), "as if the other were not there"


def test_a_message_that_a_refresh_found_is_found_with_global_off() -> None:
    """Regression: without a cache, answers were those of the first call for ever."""
    source = Invented(TIDES, BEES)
    recall = Recall([source])
    desk = RecallTools(recall, options=host_options({"global": False}), context=HERE)
    assert parts(ask(desk, "ferry", scope="project")) == []
    source.sessions[FERRIES.id] = FERRIES
    recall.refresh()
    assert parts(ask(desk, "ferry", scope="project"))
    assert parts(ask(desk, "swarm", scope="project")) == []


def _still(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in ("elapsed_ms", "cpu_ms")}


def test_other_projects_are_found_with_global_on() -> None:
    assert parts(ask(tools(BEES), "zephyrcanary")) == ["bh1p", "bee-hives:title"]


def test_the_option_has_the_name_of_its_field_too() -> None:
    for name in ("global", "global_"):
        assert host_options({name: False}).global_ is False
