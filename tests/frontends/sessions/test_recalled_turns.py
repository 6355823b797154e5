"""The turns that session_recall hands to a curator: rank, neighbours, branches, forks, days, what is left out."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.curators.curator import RecalledTurn
from recall_rank.frontends.tools.sessions.recalled_turns import TurnQuery, find_turns, recalled_turns
from recall_rank.frontends.tools.warnings import Warnings
from recall_rank.loaders import open_sources
from recall_rank.model import Context
from recall_rank.recall import Recall
from tests.fixtures.make_fixtures import lines
from tests.fixtures.make_pi import Tree, call, file_name, text
from tests.support.frontends.tallow_home import BEACON, BRICK, COPY, LONG, RACE, SECRET, TREE, write_home


@pytest.fixture(scope="module", params=["memory", "cache"])
def histories(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recall:
    home = write_home(tmp_path_factory.mktemp("home"))
    cache = tmp_path_factory.mktemp("cache") if request.param == "cache" else None
    return Recall(open_sources(home), cache=cache)


def best(histories: Recall, query: str, **more: Any) -> RecalledTurn:
    return recalled_turns(histories, query, **more)[0]


def test_a_turn_is_a_question_with_all_of_its_answer_and_its_neighbours(histories: Recall) -> None:
    turn = best(histories, "furnaces locked in delivery order")
    assert turn.matched == (
        "User: yes, go on\n\nAssistant: The root cause: furnaces were locked in delivery order.\n\n"
        "Decision: sort furnace ids before locking them."
    )
    assert turn.before == "User: Raising the timeout did not help.\n\nAssistant: Let me read the log."
    assert turn.after == "User: write it down\n\nAssistant: Written to docs/locks.md."
    assert (turn.project, turn.date, turn.session_id) == ("brick-kiln", "2026-05-28", RACE)
    assert turn.topic == "The kiln job hangs at night."


def test_a_passage_that_nobody_said_stands_in_its_turn(histories: Recall) -> None:
    turn = best(histories, "KilnError wait cycle furnace 4121 damper")
    head, output, rest = turn.matched.split("\n\n", 2)
    assert (head, output) == ("User: yes, go on", "Tool bash: KilnError: wait cycle between furnace 4121 and damper")
    assert rest.startswith("Assistant: The root cause")


def test_a_turn_is_returned_once_whatever_of_it_matches(histories: Recall) -> None:
    turns = recalled_turns(histories, "furnace furnaces sort locked wait cycle")
    assert len({(turn.session_id, turn.matched.split("\n\n")[0]) for turn in turns}) == len(turns)


def test_a_fork_repeats_no_turn(histories: Recall) -> None:
    turns = recalled_turns(histories, "furnace locking decision delivery order")
    assert sum("sort furnace ids" in turn.matched for turn in turns) == 1
    own = best(histories, "optimistic dampers")
    assert own.session_id == COPY
    assert own.matched.startswith("User: In this fork, try optimistic dampers instead")


@pytest.mark.parametrize("lens", ["quartz", "resin", "fresnel"])
def test_a_turn_has_the_neighbours_of_its_own_branch(histories: Recall, lens: str) -> None:
    turn = best(histories, f"{lens} lens")
    assert turn.session_id == TREE
    assert turn.matched.startswith(f"User: Try the {lens} lens")
    assert turn.before == "User: Which lens suits the lamp room?\n\nAssistant: It depends on the range."
    assert turn.after == ""


def test_the_turn_before_a_branch_is_followed_by_the_one_that_stayed(histories: Recall) -> None:
    turn = best(histories, "which lens suits the lamp room, depends on the range")
    assert turn.after == "User: Try the fresnel lens\n\nAssistant: The fresnel lens reaches nine miles."


def test_the_caller_recalls_only_what_its_model_no_longer_reads(histories: Recall) -> None:
    everything = recalled_turns(histories, "heliograph")
    assert len(everything) == 3
    (turn,) = recalled_turns(histories, "heliograph", leave_out=Context(session_id=LONG))
    assert "gimbal has play" in turn.matched
    assert (turn.before, turn.after) == ("", "")


def test_a_host_that_names_messages_decides_which_are_left_out(histories: Recall) -> None:
    ids = [message.id for message in histories.transcript(LONG).messages]
    named = recalled_turns(histories, "heliograph", leave_out=Context(session_id=LONG, in_context=(ids[0], ids[1])))
    assert {"tripod" in turn.matched or "hinge" in turn.matched for turn in named} == {True}
    since = recalled_turns(histories, "heliograph", leave_out=Context(session_id=LONG, in_context_since=ids[-2]))
    assert not any("hinge" in turn.matched for turn in since)
    assert len(since) == 2


def test_a_fork_does_not_recall_what_it_repeats_to_its_model(histories: Recall) -> None:
    turns = recalled_turns(histories, "furnaces locked in delivery order", leave_out=Context(session_id=COPY))
    assert not any("sort furnace ids" in turn.matched for turn in turns)


def test_a_project_narrows_and_none_or_a_star_searches_all(histories: Recall) -> None:
    names = {turn.project for turn in recalled_turns(histories, "lens heliograph kiln beacon")}
    assert names == {"brick-kiln", "lamp-room"}
    everywhere = recalled_turns(histories, "lens heliograph kiln beacon", project="*")
    assert {turn.project for turn in everywhere} == names
    for name in ("brick-kiln", BRICK):
        found = recalled_turns(histories, "lens heliograph kiln beacon", project=name)
        assert {turn.project for turn in found} == {"brick-kiln"}
    assert recalled_turns(histories, "lens", project="nowhere") == ()


def test_days_are_inclusive(histories: Recall) -> None:
    assert best(histories, "heliograph", date_from="2026-05-28", date_to="2026-05-28").date == "2026-05-28"
    assert recalled_turns(histories, "heliograph", date_to="2026-05-27") == ()
    assert recalled_turns(histories, "heliograph", date_from="2026-05-29") == ()
    with pytest.raises(ValueError, match="date_from must be a day"):
        recalled_turns(histories, "heliograph", date_from="whenever")


def test_at_most_so_many_turns_are_returned(histories: Recall) -> None:
    many = recalled_turns(histories, "the kiln lens heliograph furnace beacon")
    assert recalled_turns(histories, "the kiln lens heliograph furnace beacon", limit=2) == many[:2]


def test_secrets_are_replaced(histories: Recall) -> None:
    turn = best(histories, "deploy the beacon token")
    assert SECRET not in repr(turn)
    assert "[redacted" in turn.matched
    assert "[redacted" in turn.topic
    assert SECRET in best(histories, "deploy the beacon token", redact=False).matched


@pytest.mark.parametrize(
    ("query", "session"),
    [
        ("C++", BEACON), ("100%", BEACON), ("what's next", BEACON), ("error[E0502]", BEACON),
        ("src/beacon/main.cpp", BEACON), ('"beacon is deployed" AND NOT (', BEACON), ("灯台の点滅", BEACON),
        ("🚨 灯台", BEACON), ("beacon:deployed*", BEACON), ("heliogrpah gimbal", LONG),
    ],
)  # fmt: skip
def test_any_text_is_a_query(histories: Recall, query: str, session: str) -> None:
    assert best(histories, query).session_id == session


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_a_blank_query_recalls_nothing(histories: Recall, query: str) -> None:
    assert recalled_turns(histories, query) == ()


@pytest.mark.parametrize("query", ["🦤", "%", "\x00", "'", '"', "(", "\ud800", "x" * 100_000])
def test_no_query_is_an_error(histories: Recall, query: str) -> None:
    assert all(turn.matched for turn in recalled_turns(histories, query))


def test_a_damaged_file_is_one_warning_and_the_others_answer(tmp_path: Path) -> None:
    histories = Recall(open_sources(write_home(tmp_path, damaged=True)))
    warnings = Warnings()
    found = find_turns(histories, TurnQuery("fresnel lens"), warnings)
    assert found.turns[0].session_id == TREE
    assert found.sessions >= 1
    told = warnings.fields()["warnings"]
    assert sum("0000000000b0" in text for text in told) == 1
    assert sum("0000000000b1" in text for text in told) == 1


def test_a_session_that_is_gone_is_told_and_left_out(tmp_path: Path) -> None:
    home = write_home(tmp_path)
    histories = Recall(open_sources(home))
    assert recalled_turns(histories, "fresnel lens")
    for path in home.rglob(f"*{TREE}.jsonl"):
        path.unlink()
    warnings = Warnings()
    assert all(turn.session_id != TREE for turn in find_turns(histories, TurnQuery("fresnel lens"), warnings).turns)
    assert any(TREE in text for text in warnings.fields()["warnings"])


def test_a_cancelled_call_ends(histories: Recall) -> None:
    cancel = threading.Event()
    cancel.set()
    assert find_turns(histories, TurnQuery("fresnel lens"), Warnings(), cancel=cancel).turns == ()


def test_an_earlier_answer_of_the_tool_is_not_recalled(tmp_path: Path) -> None:
    tree = Tree(RACE, BRICK)
    tree.said("user", [text("What was it with the walrus?")])
    tree.said("assistant", [call("c1", "session_recall", query="walrus", looking_for="the walrus")])
    tree.result("c1", "a narwhal it was")
    tree.said("assistant", [text("Nothing was found.")])
    folder = tmp_path / ".tallow" / "sessions"
    folder.mkdir(parents=True)
    (folder / file_name(RACE)).write_bytes(lines(tree.records))
    histories = Recall(open_sources(tmp_path / ".tallow"))
    assert recalled_turns(histories, "narwhal") == ()
    assert "narwhal" not in recalled_turns(histories, "walrus")[0].matched
