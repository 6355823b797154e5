"""A session found in several places counts once, as do copied messages; forks and children name their origins."""

from __future__ import annotations

import shutil
from pathlib import Path

from recall_rank.loaders import open_source, read_all
from recall_rank.model import Flag, Session, SourceReport
from tests.fixtures import make_codex, make_fixtures, make_hermes, make_pi
from tests.fixtures.make_chat_stores import write_memo
from tests.fixtures.make_codex import write_codex
from tests.fixtures.make_fixtures import Transcript, lines
from tests.support.loaders.finding import load


def read(*places: Path) -> tuple[dict[str, Session], list[SourceReport]]:
    sessions, reports = read_all([open_source(place) for place in places])
    assert len({session.id for session in sessions}) == len(sessions)
    return {session.id: session for session in sessions}, reports


def test_a_copied_store_is_found_twice_and_counted_once(tmp_path: Path) -> None:
    here = make_fixtures.write_claude(tmp_path / "here")
    there = tmp_path / "there" / ".claude"
    shutil.copytree(here, there)
    alone, (before,) = read(here)
    both, (first, second) = read(here, there)
    assert [session.messages for session in both.values()] == [session.messages for session in alone.values()]
    assert (first.sessions, first.messages, second.sessions) == (before.sessions, before.messages, 0)
    for session in both.values():
        assert session.places[:1] == alone[session.id].places
        inside = Path(session.places[0]).relative_to(here)
        assert [Path(place) for place in session.places] == [here / inside, there / inside]


def test_a_longer_copy_counts_and_names_the_shorter(tmp_path: Path) -> None:
    home = write_codex(tmp_path)
    path = next(path for path in home.rglob("rollout-*.jsonl") if make_codex.MAIN in path.name)
    copy = tmp_path / "moved" / path.name
    copy.parent.mkdir()
    r = make_codex.main_rollout()
    r.user("later", "Heard once more.")
    copy.write_bytes(lines(r.records))
    sessions, _ = read(home, copy)
    assert sessions[make_codex.MAIN].places == (str(copy), str(path))
    assert sessions[make_codex.MAIN].messages[-1].parts[-1].text == "Heard once more."


def test_a_fork_says_where_it_began(tmp_path: Path) -> None:
    sessions, _ = read(make_fixtures.write_claude(tmp_path))
    fork, agent = sessions[make_fixtures.FORK], sessions[make_fixtures.AGENT]
    assert (fork.forked_from, sessions[make_fixtures.MAIN].forked_from) == (make_fixtures.MAIN, None)
    assert (agent.parent, agent.forked_from, agent.flags) == (make_fixtures.MAIN, None, Flag.SUBAGENT)


def test_a_fork_that_names_its_origin_keeps_only_its_own_messages(tmp_path: Path) -> None:
    t = make_fixtures.claude_main()
    fork = Transcript(make_fixtures.FORK)
    origin = {"sessionId": make_fixtures.MAIN, "messageUuid": t.records[1]["uuid"]}
    fork.records = [{**record, "sessionId": make_fixtures.FORK, "forkedFrom": origin} for record in t.records]
    for number in range(9):  # the longer one
        fork.user(f"more of the fork, {number}")
    for key, records in ((make_fixtures.MAIN, t.records), (make_fixtures.FORK, fork.records)):
        (tmp_path / f"{key}.jsonl").write_bytes(lines(records))
    sessions, _ = read(tmp_path)
    assert len(sessions[make_fixtures.FORK].messages) == 9
    assert sessions[make_fixtures.FORK].forked_from == sessions[make_fixtures.FORK].parent == make_fixtures.MAIN
    assert (
        sessions[make_fixtures.MAIN].messages
        == load(tmp_path / f"{make_fixtures.MAIN}.jsonl")[0][make_fixtures.MAIN].messages
    )


def test_a_fork_without_messages_of_its_own_is_a_place_of_its_origin(tmp_path: Path) -> None:
    t = make_fixtures.claude_main()
    for key, records in ((make_fixtures.MAIN, t.records), (make_fixtures.FORK, t.records[:6])):
        copied = [{**record, "sessionId": key} for record in records]
        (tmp_path / f"{key}.jsonl").write_bytes(lines(copied))
    ((session,), _) = read_all([open_source(tmp_path)])
    assert session.id == make_fixtures.MAIN
    assert [Path(place).stem for place in session.places] == [make_fixtures.MAIN, make_fixtures.FORK]


def test_messages_that_a_fork_in_another_store_copied_count_once(tmp_path: Path) -> None:
    for name, key in (("one", make_fixtures.MAIN), ("two", make_fixtures.FORK)):
        store = make_fixtures.write_claude(tmp_path / name)
        for path in store.rglob("*.jsonl"):
            if path.stem != key:
                path.unlink()
    sessions, (first, second) = read(tmp_path / "one", tmp_path / "two")
    assert len(sessions[make_fixtures.FORK].messages) == 1
    assert sessions[make_fixtures.FORK].forked_from == make_fixtures.MAIN
    assert (first.sessions, second.sessions, second.messages) == (1, 1, 1)
    assert any("counted once" in warning for warning in first.warnings)


def test_forks_and_subagents_of_codex(tmp_path: Path) -> None:
    sessions, _ = read(write_codex(tmp_path))
    fork, spawned = sessions[make_codex.FORK], sessions[make_codex.SPAWNED]
    assert (fork.parent, fork.forked_from, fork.flags & Flag.SUBAGENT) == (make_codex.MAIN, make_codex.MAIN, Flag.NONE)
    assert (spawned.parent, spawned.forked_from) == (make_codex.MAIN, None)
    assert spawned.flags & Flag.SUBAGENT


def test_forks_of_pi(tmp_path: Path) -> None:
    sessions, _ = read(make_pi.write_pi(tmp_path))
    assert sessions[make_pi.FORK].forked_from == sessions[make_pi.FORK].parent == make_pi.SECOND


def test_a_session_that_continues_a_compacted_one_names_it(tmp_path: Path) -> None:
    sessions, _ = read(make_hermes.write_hermes(tmp_path))
    after, scout = sessions[make_hermes.AFTER], sessions[make_hermes.SCOUT]
    assert (after.continues, after.forked_from, after.parent) == (make_hermes.MAIN, None, make_hermes.MAIN)
    assert (scout.continues, scout.parent) == (None, make_hermes.MAIN)
    chains = {s.id: s.continues for s in read(write_memo(tmp_path / "memo" / "sessions.db"))[0].values()}
    assert any(chains.values())
    assert all(above is None or above in chains for above in chains.values())


def test_copies_of_copies_are_all_places_of_the_first(tmp_path: Path) -> None:
    t = make_fixtures.claude_main()
    keys = [f"11111111-aaaa-4bbb-8ccc-00000000000{number}" for number in range(1, 5)]
    for key, count in zip(keys, (len(t.records), 9, 7, 5), strict=True):
        copied = [{**record, "sessionId": key} for record in t.records[:count]]
        (tmp_path / f"{key}.jsonl").write_bytes(lines(copied))
    ((session,), _) = read_all([open_source(tmp_path)])
    assert [Path(place).stem for place in session.places] == keys
