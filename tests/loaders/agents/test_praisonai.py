"""PraisonAI's session files: tools, compaction, schedules, and what damaged files still give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recall_rank.loaders import discover, open_source, read_all
from recall_rank.loaders.praisonai import PraisonAI
from recall_rank.model import Flag, Message, Part, Reading, Session
from tests.fixtures.make_chat_stores import praison, praison_sessions, write_praison, write_session
from tests.fixtures.make_fixtures import IMAGE, START
from tests.fixtures.odd_values import oddly
from tests.loaders.conftest import Seal

LENS, WICKS, NIGHTLY = "lens/1 ä", "wicks", "nightly"


@pytest.fixture
def home(tmp_path: Path, seal: Seal) -> Path:
    """A home with PraisonAI's folder."""
    write_praison(tmp_path)
    return seal(tmp_path)


def load(where: Path) -> dict[str, Session]:
    sessions, (report,) = read_all([open_source(where)])
    assert report.errors == ()
    return {session.id: session for session in sessions}


def said(session: Session, words: str) -> tuple[Message, Part]:
    ((message, part),) = [
        (message, part)
        for message in session.messages
        for part in message.parts
        if any(words in (field or "") for field in (part.text, part.output, part.error))
    ]
    return message, part


def single(tmp_path: Path, data: bytes) -> Reading:
    path = tmp_path / "one.json"
    path.write_bytes(data)
    source = PraisonAI(path)
    (unit,) = source.units()
    return source.read(unit)


def raw(number: int) -> bytes:
    return json.dumps(praison_sessions()[number], indent=2, ensure_ascii=False).encode()


def test_normal(home: Path) -> None:
    lens = load(home / ".praisonai")[LENS]
    assert (lens.title, lens.agent, lens.created, lens.updated) == (
        "Polish the lens",
        "praisonai",
        START,
        START + 2_000_000,
    )
    assert [message.role for message in lens.messages] == ["system", "user", "assistant", "user", "assistant", "tool"]
    assert lens.messages[0].flags == Flag.SYNTHETIC
    _, part = said(lens, "violet heron")
    assert (part.tool, part.input, part.files, part.status) == (
        "polish",
        {"path": "lens/front.txt"},
        ("lens/front.txt",),
        "completed",
    )
    message, _ = said(lens, "It shines.")
    assert (message.agent, message.model, message.time) == ("Keeper", "quill-1", START + 65_500)
    assert [part.type for part in lens.messages[3].parts] == ["text", "file"]
    assert IMAGE[:80] not in repr(lens)
    assert said(lens, "answer to nothing")[0].role == "tool"


def test_compaction(home: Path) -> None:
    wicks = load(home / ".praisonai")[WICKS]
    assert (wicks.title, wicks.parent) == ("Wicks and oil", LENS)
    assert said(wicks, "amber harbour")[0].flags == Flag.OUT_OF_CONTEXT
    assert said(wicks, "[Session Summary]")[0].flags == Flag.SUMMARY
    assert said(wicks, "Ordered.")[0].flags == Flag.NONE
    assert said(wicks, "Oil was ordered too.")[1].type == "compaction"
    assert len({message.id for message in wicks.messages}) == len(wicks.messages)


def test_messages_keep_their_ids_when_they_are_archived(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": f"step {number}"} for number in range(4)]
    before = single(tmp_path, json.dumps(praison("s", messages)).encode()).sessions[0]
    whole = praison("s", messages)
    summary = {"role": "system", "content": "steps", "metadata": {"compaction": True}}
    moved = {**whole, "archived_messages": whole["messages"][:2], "messages": [summary, *whole["messages"][2:]]}
    after = single(tmp_path, json.dumps(moved).encode()).sessions[0]
    assert {message.id for message in before.messages} < {message.id for message in after.messages}


def test_what_a_schedule_sends_was_typed_by_nobody(home: Path) -> None:
    nightly = load(home / ".praisonai")[NIGHTLY]
    assert (nightly.messages[0].flags, nightly.title) == (Flag.SYNTHETIC, "Check the oil every night")


def test_other_files_are_passed_over(home: Path) -> None:
    sessions, (report,) = read_all([open_source(home / ".praisonai")])
    assert {session.id for session in sessions} == {LENS, WICKS, NIGHTLY}
    assert [warning.split("sessions/")[1] for warning in report.warnings] == [
        "wicks.json.corrupt-1780000000000: set aside by PraisonAI as damaged, not read"
    ]
    assert report.malformed == ()


def test_places(home: Path, tmp_path: Path) -> None:
    def names(**environ: str) -> list[str]:
        return [source.location for source in discover(environ, tmp_path)]

    folder = str(home / ".praisonai" / "sessions")
    assert names() == [folder]
    assert names(PRAISONAI_HOME=str(tmp_path / "gone")) == []
    assert names(PRAISONAI_HOME=str(home / ".praisonai")) == [folder]
    assert {open_source(path).location for path in (home / ".praisonai", Path(folder))} == {folder}


# --- damaged files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", None, id="empty"),
        pytest.param(b"[1, 2]", "not an object", id="a list"),
        pytest.param(b'{"session_id": "x", "messages": [1, {}]}', "a message without a role", id="no messages"),
        pytest.param(b"{", "not JSON", id="torn at once"),
    ],
)
def test_files_that_hold_no_session(tmp_path: Path, data: bytes, reason: str | None) -> None:
    reading = single(tmp_path, data)
    assert reading.sessions == []
    assert not reason or any(reason in bad.reason for bad in reading.malformed)


def test_a_torn_file_keeps_its_whole_messages(tmp_path: Path) -> None:
    data = raw(0)
    reading = single(tmp_path, data[: data.index(b"It shines.") + 3])
    (session,) = reading.sessions
    assert (session.id, len(session.messages), len(reading.malformed)) == (LENS, 4, 1)


def test_a_broken_message_hides_no_other(tmp_path: Path) -> None:
    reading = single(tmp_path, raw(0).replace(b'"Polish the lens"', b'"Polish'))
    assert ([bad.place for bad in reading.malformed], len(reading.sessions[0].messages)) == (["line 10"], 5)


def test_unknown_roles_and_types_are_kept(tmp_path: Path) -> None:
    odd = [
        {"role": "oracle", "content": "a riddle"},
        {"role": "user", "content": [{"type": "hologram", "text": "a shape"}, 7]},
    ]
    (session,) = single(tmp_path, json.dumps(praison("s", odd)).encode()).sessions
    assert (said(session, "a riddle")[0].role, said(session, "a shape")[1].type) == ("system", "hologram")


def test_a_huge_message(tmp_path: Path) -> None:
    words = "gull " * 30_000 + "phrase at the end"
    (session,) = single(
        tmp_path, json.dumps(praison("s", [{"role": "user", "content": words}]), indent=2).encode()
    ).sessions
    assert said(session, "phrase at the end")


def test_other_encodings(tmp_path: Path) -> None:
    reading = single(tmp_path, raw(0).replace(b"It shines.", b"It \xff shines."))
    assert (reading.malformed, said(reading.sessions[0], "It \ufffd shines.")[0].role) == ([], "assistant")
    assert single(tmp_path, raw(0).decode().encode("utf-16")).sessions[0].id == LENS


@pytest.mark.parametrize("seed", range(20))
def test_values_of_odd_types_stop_nothing(tmp_path: Path, seed: int) -> None:
    for session in praison_sessions():
        messages = oddly(session["messages"], seed, 0.04)
        odd = {
            **oddly(session, seed),
            "messages": [*(messages if isinstance(messages, list) else ()), {"role": "user", "content": "kept"}],
        }
        reading = single(tmp_path, json.dumps(odd, indent=2).encode())
        assert said(reading.sessions[0], "kept")


def test_a_session_in_two_files_counts_once(tmp_path: Path) -> None:
    folder = write_praison(tmp_path) / "sessions"
    copy = praison_sessions()[0]
    copy["messages"] = copy["messages"][:3]
    (folder / "copy.json").write_bytes(json.dumps(copy).encode())
    assert len(load(folder)[LENS].messages) == 6
    write_session(folder, praison("other", [{"role": "user", "content": "hi"}]))
    assert "other" in load(folder)


@pytest.mark.shared
def test_a_real_store(shared: Path) -> None:
    folder = shared / "stores" / "praisonai"
    sessions, (report,) = read_all([open_source(folder)])
    stored = [json.loads(path.read_bytes()) for path in sorted((folder / "sessions").glob("*.json"))]
    messages = [message for each in stored for message in [*each["archived_messages"], *each["messages"]]]
    answers = sum(message["role"] == "tool" for message in messages)
    assert {session.id for session in sessions} == {each["session_id"] for each in stored}
    assert (report.sessions, report.messages) == (len(stored), len(messages) - answers) == (43, 456)
    assert (report.malformed, report.warnings, report.errors) == ((), (), ())
    flags = [message.flags for session in sessions for message in session.messages]
    assert flags.count(Flag.OUT_OF_CONTEXT) == sum(len(each["archived_messages"]) for each in stored) == 30
    assert flags.count(Flag.SUMMARY) == 1
    assert (
        sum(bool(part.output) for session in sessions for message in session.messages for part in message.parts)
        == answers
    )
    by_id = {session.id: session for session in sessions}
    assert by_id["wasm-size-budget"].directory is None
    assert said(by_id["tg:user/42 ä"], "Which shard has the copper lantern protocol?")
    assert said(by_id["null-and-parts"], "LISTEN 0 4096")[1].input == {"cmd": "ss -ltn"}
    assert all(message.flags for message in by_id["cron-nightly-0"].messages if message.role == "user")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'[{"role": "user", "content": "list pear"}]', "not an object"),
        (b'[\n  {\n    "role": "user",\n    "content": "list pear"\n  }\n]', "not an object"),
        (b"[1]", "not an object"),
        (b"[]", "not an object"),
        (b'[{"role": "user"', "not JSON: Expecting ',' delimiter at column 16"),
        (b'{"session_id": "a", "messages": {"a": 1}}', "its messages are no list"),
        (b'{"session_id": "a", "messages": "none"}', "its messages are no list"),
        (b'{"session_id": "a", "messages": null}', None),
        (b'{"session_id": "a", "messages": []}', None),
    ],
)
def test_a_file_of_another_shape_is_called_what_it_is(tmp_path: Path, data: bytes, reason: str | None) -> None:
    (tmp_path / "a.json").write_bytes(data)
    (tmp_path / "b.json").write_bytes(b'{"session_id": "b", "messages": [{"role": "user", "content": "pear"}]}')
    source = PraisonAI(tmp_path)
    told = [bad.reason for unit in source.units() for bad in source.read(unit).malformed]
    assert told == ([] if reason is None else [reason])
