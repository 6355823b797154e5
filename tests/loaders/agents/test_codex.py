"""Codex's rollouts: items joined into answers, cut outputs, forks, compaction, rollbacks, the archive and the index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders.codex import source as codex
from recall_rank.loaders.codex.source import Codex
from recall_rank.model import Flag, Reading, Session
from tests.fixtures.make_codex import (
    FORK,
    FULL,
    HOME,
    MAIN,
    OLD,
    PREFIX,
    SPAWNED,
    SUMMARY,
    Rollout,
    main_rollout,
    text,
    write_codex,
)
from tests.fixtures.make_fixtures import IMAGE, lines
from tests.loaders.conftest import Seal, age
from tests.support.loaders.finding import damaged, load, parts_of, places, said
from tests.support.privileges import modes_bind

NAME = f"rollout-2026-05-28T20-26-40-{MAIN}.jsonl"


@pytest.fixture
def home(tmp_path: Path, seal: Seal) -> Path:
    folder = write_codex(tmp_path)
    age(folder / "state_5.sqlite")
    return seal(folder)


def single(tmp_path: Path, records: list[dict[str, Any]] | bytes) -> Reading:
    path = tmp_path / NAME
    path.write_bytes(records if isinstance(records, bytes) else lines(records))
    (unit,) = Codex(path).units()
    return Codex(path).read(unit)


def only(tmp_path: Path, records: list[dict[str, Any]] | bytes) -> Session:
    (session,) = single(tmp_path, records).sessions
    return session


def test_normal(home: Path) -> None:
    sessions, report = load(home)
    assert set(sessions) == {MAIN, FORK, SPAWNED, OLD}
    assert (report.agent, report.errors, report.malformed) == ("codex", (), ())
    main = sessions[MAIN]
    assert (main.title, main.directory, main.agent, main.source) == ("Quiet horn", HOME, "codex", "codex")
    assert (main.parent, main.flags, main.created < main.updated) == (None, Flag.NONE, True)


def test_names_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    home = write_codex(tmp_path)
    names = home / "session_index.jsonl"
    usual = load(home)[1].warnings
    names.write_bytes(names.read_bytes() + b'{"id": \n' + b"{\n")
    told = {f"{names}: 2 damaged, from line 3 on; names of sessions may be missing"}
    assert set(load(home)[1].warnings) - set(usual) == told
    names.chmod(0)
    with modes_bind():
        sessions, report = load(home)
    assert set(report.warnings) - set(usual) == {f"{names}: Permission denied; names of sessions are not known"}
    assert sessions
    names.unlink()
    assert load(home)[1].warnings == usual


def test_items_of_one_answer_are_one_message_and_outputs_go_to_their_calls(home: Path) -> None:
    message, _ = said(load(home)[0][MAIN], "indigo tern")
    assert [part.type for part in message.parts] == ["reasoning", "text", "tool", "tool"]
    assert (message.role, message.model) == ("assistant", "quill-2")
    ran, failed = message.parts[2:]
    assert (ran.tool, ran.input, ran.status) == ("exec_command", {"cmd": "cat horn.log"}, "completed")
    assert (failed.output, failed.status, failed.flags, failed.files) == (None, "error", Flag.ERROR, ("horn.c",))
    assert str(failed.error).endswith("No such file")


def test_an_output_that_was_cut_is_read_from_its_event(home: Path) -> None:
    (_, part), *more = places(load(home)[0][MAIN], "cormorant")
    assert not more
    assert part.output == f"Chunk ID: 1\nProcess exited with code 0\nOutput:\n{FULL}"


def test_calls_of_every_kind(home: Path) -> None:
    sessions = load(home)[0]
    tools = {part.tool: part for part in parts_of(sessions[MAIN]) if part.type == "tool"}
    assert (tools["apply_patch"].output, tools["apply_patch"].files) == (
        "Success, petrel",
        (f"{HOME}/horn.c", "notes.md"),
    )
    assert tools["web_search"].input == {"type": "search", "query": "diaphone valve"}
    (shell,) = [part for part in parts_of(sessions[OLD]) if part.type == "tool"]
    assert (shell.tool, shell.input["command"], shell.error) == ("local_shell", ["ls", "lamp"], "lamp: not found")


def test_injected_text_is_flagged_and_what_events_repeat_is_left_out(home: Path) -> None:
    main = load(home)[0][MAIN]
    assert said(main, "<environment_context>")[1].flags == Flag.SYNTHETIC
    assert said(main, "<permissions instructions>")[1].flags == Flag.SYNTHETIC | Flag.UNSEARCHED
    assert not said(main, "so loud")[1].flags
    assert said(main, "<permissions instructions>")[0].role == "system"


def test_where_a_text_came_from_is_believed(tmp_path: Path) -> None:
    r = Rollout(MAIN)
    origins = [{"provenance": {"type": kind}} for kind in ("user", "harness")]
    about = {"content_item_metadata": origins, "content_item_kinds": ["user.text", "compaction.summary"]}
    texts = ("<environment_context> is what I typed", "all of this was injected")
    r.user("m1", *texts, internal_chat_message_metadata_passthrough=about)
    (message,) = only(tmp_path, r.records).messages
    assert [part.flags for part in message.parts] == [Flag.NONE, Flag.SYNTHETIC | Flag.SUMMARY]


def test_compaction(home: Path) -> None:
    main = load(home)[0][MAIN]
    assert said(main, "so loud")[0].flags & Flag.OUT_OF_CONTEXT
    assert said(main, "indigo tern")[0].flags & Flag.OUT_OF_CONTEXT
    assert not said(main, "sleeps at noon")[0].flags  # stays, by its id
    assert said(main, "said the grebe")[0].flags == Flag.SUMMARY  # and is not repeated by the boundary
    assert not said(main, "The colour stays")[0].flags
    assert [part.text for part in parts_of(main) if part.type == "compaction"] == [None]


def test_a_summary_that_only_the_boundary_holds_is_its_text(tmp_path: Path) -> None:
    r = Rollout(MAIN)
    r.user("m1", "Kept, by its words")
    r.answer("m2", "Gone")
    kept = {"type": "message", "role": "user", "content": [text("Kept, by its words")]}
    r.add("compacted", {"message": PREFIX + SUMMARY, "replacement_history": [kept]})
    first, gone, boundary = only(tmp_path, r.records).messages
    assert (first.flags, gone.flags, boundary.flags) == (Flag.NONE, Flag.OUT_OF_CONTEXT, Flag.SUMMARY)
    assert boundary.parts[0].text == PREFIX + SUMMARY


def test_what_was_rolled_back_is_flagged(home: Path) -> None:
    main = load(home)[0][MAIN]
    assert [message.id for message in main.messages if message.flags & Flag.ABANDONED] == ["m7", "m8"]


def test_forks_subagents_and_the_archive(home: Path) -> None:
    sessions, report = load(home)
    fork, spawned, old = sessions[FORK], sessions[SPAWNED], sessions[OLD]
    assert (fork.parent, fork.title, fork.flags) == (MAIN, "Smaller valve", Flag.NONE)
    assert [message.id for message in fork.messages] == ["f1"]
    assert any("counted once" in warning for warning in report.warnings)
    assert (spawned.parent, spawned.flags, len(spawned.messages)) == (MAIN, Flag.SUBAGENT, 3)
    assert {message.agent for message in spawned.messages} == {"explorer"}
    assert (old.flags, old.title) == (Flag.ARCHIVED, "Is the old lamp oiled?")


def test_copies_without_ids_are_known_by_what_they_say() -> None:
    same = [{"type": "message", "role": "user", "content": [text(words)]} for words in ("one", "two", "three")]
    records = [{"timestamp": "2026-05-28T20:00:00Z", "type": "response_item", "payload": item} for item in same]
    built = []
    for stem, own in (
        ("a" * 36, records),
        ("b" * 36, [*records[:2], {**records[2], "payload": {**same[2], "content": "x"}}]),
    ):
        rollout = codex.Rollout(stem)
        for number, record in enumerate(own):
            rollout.add(number, record)
        built.append(rollout.session("codex", None, Flag.NONE))
    parent, child = (session for session in built if session)
    resolved = Codex(Path("nowhere")).resolve_sessions([parent, replace(child, parent=parent.id)])
    assert [len(session.messages) for session in resolved.sessions if session] == [3, 1]


def test_an_item_that_is_written_twice_counts_once(tmp_path: Path) -> None:
    records = main_rollout().records
    assert only(tmp_path, [*records, *records[3:9]]).messages == only(tmp_path, records).messages


def test_pictures_and_instructions_are_left_out(home: Path) -> None:
    everything = repr(load(home)[0])
    assert IMAGE[:60] not in everything
    assert "boilerplate" not in everything


def test_empty_files(tmp_path: Path) -> None:
    assert single(tmp_path, b"").sessions == []
    reading = single(tmp_path, Rollout(MAIN).records)
    assert (reading.sessions, reading.malformed) == ([], [])


def test_torn_last_line(tmp_path: Path) -> None:
    whole = only(tmp_path, main_rollout().records)
    reading = single(tmp_path, lines(main_rollout().records) + b'{"timestamp":"2026-05-28T21:00:00Z","type":"resp')
    assert reading.sessions[0].messages == whole.messages
    assert [bad.reason[:14] for bad in reading.malformed] == ["torn last line"]


def test_unknown_records_and_newer_schemas(tmp_path: Path) -> None:
    r = Rollout(MAIN, hologram=True)
    r.user("m1", "hello", mood="calm")
    r.item("hologram", "h1", text="unseen")
    r.add("weather", {"sky": "blue"})
    r.add("event_msg", {"type": "never_heard_of"})
    r.add("event_msg", {"type": "error", "message": "stream lost at buoy 4"})
    r.add("event_msg", {"type": "thread_name_updated", "thread_name": "Named within"})
    r.add("inter_agent_communication", {"author": "scout", "content": "found the valve"})
    r.output("nobody", [text("an answer to no call"), {"type": "input_image", "image_url": "x"}])
    r.add("response_item", None)
    r.add("response_item", {"role": "user"})
    reading = single(tmp_path, [*r.records, {"timestamp": "x", "type": "event_msg", "payload": 7}])
    (session,) = reading.sessions
    shown = [
        (m.role, m.author, p.type, p.text or p.output or p.error, int(m.flags | p.flags))
        for m in session.messages
        for p in m.parts
    ]
    assert shown == [
        ("user", None, "text", "hello", 0),
        ("system", None, "text", "stream lost at buoy 4", Flag.SYNTHETIC | Flag.ERROR),
        ("user", "scout", "text", "found the valve", Flag.SYNTHETIC),
        ("tool", None, "tool", "an answer to no call", 0),
    ]
    assert session.title == "Named within"
    assert reading.warnings == [
        "items of the unknown type 'hologram' were not read",
        "records of the unknown type 'weather' were not read",
    ]
    assert reading.unknown == dict.fromkeys(reading.warnings, 1)
    assert [bad.place for bad in reading.malformed] == ["line 10", "line 11", "line 12"]


def test_huge_record_and_wrong_encoding(tmp_path: Path) -> None:
    r = Rollout(MAIN)
    r.user("m1", "Nebelhörner " * 150_000)
    r.user("m2", "Zeile")
    reading = single(tmp_path, lines(r.records).replace(b"Zeile", b"Z\xe9ile \\ud83d"))
    assert reading.malformed == []
    assert [len(str(message.parts[0].text)) for message in reading.sessions[0].messages] == [1_800_000, 7]


@pytest.mark.parametrize("seed", range(40))
def test_damage_never_raises(tmp_path: Path, seed: int) -> None:
    reading = single(tmp_path, damaged(lines(main_rollout().records), seed))
    assert all(bad.place.startswith("line ") and bad.reason for bad in reading.malformed)


def test_every_torn_file_gives_what_was_whole(tmp_path: Path) -> None:
    data = lines(main_rollout().records)
    ids = [message.id for message in only(tmp_path, data).messages]
    for cut in range(0, len(data), 97):
        found = [message.id for session in single(tmp_path, data[:cut]).sessions for message in session.messages]
        assert found == ids[: len(found)]
