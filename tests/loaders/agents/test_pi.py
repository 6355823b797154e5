"""pi's and tallow's session files: branches, compactions, forks, names, and what damaged files still give."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders import discover, open_source, open_sources, read_all
from recall_rank.loaders.pi.source import Pi
from recall_rank.model import Flag, Message, Part, Reading, Session
from tests.fixtures.make_fixtures import HOME, IMAGE, START, lines
from tests.fixtures.make_pi import (
    FIRST,
    FORK,
    OUTPUT,
    SECOND,
    Tree,
    branched,
    call,
    compacted,
    file_name,
    forked,
    text,
    write_pi,
    write_tallow,
)
from tests.fixtures.odd_values import oddly
from tests.loaders.conftest import Seal


@pytest.fixture
def home(tmp_path: Path, seal: Seal) -> Path:
    """A home with pi's folder."""
    write_pi(tmp_path)
    return seal(tmp_path)


def load(where: Path) -> dict[str, Session]:
    sessions, (report,) = read_all([open_source(where)])
    assert (report.errors, report.malformed) == ((), ())
    return {session.id: session for session in sessions}


def said(session: Session, words: str) -> tuple[Message, Part]:
    """The one part that holds these words."""
    ((message, part),) = [
        (message, part)
        for message in session.messages
        for part in message.parts
        if any(words in (field or "") for field in (part.text, part.output, part.error))
    ]
    return message, part


def single(tmp_path: Path, records: list[dict[str, Any]] | bytes, since: bytes | None = None) -> Reading:
    path = tmp_path / "one" / file_name(FIRST)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(records if isinstance(records, bytes) else lines(records))
    source = Pi(path)
    (unit,) = source.units()
    return source.read(unit, since)


def test_normal(home: Path) -> None:
    sessions = load(home / ".pi")
    assert set(sessions) == {FIRST, SECOND, FORK}
    first = sessions[FIRST]
    assert (first.title, first.directory, first.project, first.agent, first.source) == (
        "Flickering lamp",
        HOME,
        HOME,
        "pi",
        "pi",
    )
    assert (first.created, first.updated, first.parent) == (START, START + 1000 * 20, None)
    message, _ = said(first, "violet heron")
    assert (message.id, message.role, message.model) == (branched().key(3), "assistant", "quill-1")
    assert [part.type for part in message.parts] == ["reasoning", "text", "tool"]


def test_results_are_joined_to_their_calls(home: Path) -> None:
    first = load(home / ".pi")[FIRST]
    _, read = said(first, "def flicker")
    assert (read.tool, read.input, read.output, read.status, read.files) == (
        "read",
        {"path": "lamp/wiring.py"},
        "def flicker(): ...",
        "completed",
        ("lamp/wiring.py",),
    )
    _, failed = said(first, "LampError")
    assert (failed.output, failed.status, failed.flags) == (None, "error", Flag.ERROR)
    assert all(message.role != "tool" for message in first.messages)


def test_a_branch_that_was_left_is_marked(home: Path) -> None:
    first = load(home / ".pi")[FIRST]
    for words in ("amber falcon", "flickers as well"):
        assert said(first, words)[0].flags == Flag.ABANDONED
    for words in ("def flicker", "the contact then", "Soldered.", "Why does"):
        assert not said(first, words)[0].flags & Flag.ABANDONED
    message, part = said(first, "did not help")
    assert (message.flags, part.type) == (Flag.SUMMARY, "compaction")


def test_compaction(home: Path) -> None:
    second = load(home / ".pi")[SECOND]
    assert said(second, "Nineteen")[0].flags == Flag.OUT_OF_CONTEXT
    assert said(second, "puffins?")[0].flags == Flag.NONE
    message, part = said(second, "amber harbour")
    assert (message.flags, part.files) == (Flag.SUMMARY, ("gulls.csv", "count.py"))
    assert second.title == "Count the gulls on the gallery"  # not what a program put in


def test_a_compaction_whose_first_kept_entry_is_lost_keeps_nothing(tmp_path: Path) -> None:
    t = compacted()
    t.records[5]["firstKeptEntryId"] = "gone"
    (session,) = single(tmp_path, t.records).sessions
    flags = [message.flags & Flag.OUT_OF_CONTEXT for message in session.messages]
    assert list(map(bool, flags)) == [True, True, True, True, False, False]


def test_what_a_fork_copied_counts_once(home: Path) -> None:
    sessions, (report,) = read_all([open_source(home / ".pi")])
    fork = next(session for session in sessions if session.id == FORK)
    assert [message.parts[0].text for message in fork.messages] == ["Now count the seals in this fork"]
    assert (fork.parent, fork.created) == (SECOND, START + 60_000)
    assert "6 messages that forks had copied were counted once" in report.warnings


def test_a_fork_with_nothing_of_its_own_is_left_out(tmp_path: Path) -> None:
    write_pi(tmp_path)
    path = next(tmp_path.rglob(file_name(FORK)))
    path.write_bytes(lines(forked().records[:-1]))
    assert set(load(tmp_path / ".pi")) == {FIRST, SECOND}


def test_entries_that_are_not_messages(home: Path) -> None:
    first = load(home / ".pi")[FIRST]
    message, part = said(first, "copper anchor")
    assert (message.role, message.flags) == ("user", Flag.SYNTHETIC)
    message, part = said(first, "no power")
    assert (part.tool, part.input, part.status) == ("bash", {"command": "lampctl on"}, "error")
    assert (message.role, message.flags) == ("user", Flag.OUT_OF_CONTEXT)
    message, part = said(first, "too many gulls")
    assert (message.flags, part.flags) == (Flag.ERROR, Flag.ERROR)
    message, part = said(first, "soldered for good")
    assert ([part.type for part in message.parts], message.parts[0].text) == (["text", "label"], "Soldered.")
    everything = repr(first)
    assert "done at last" not in everything  # a label that was given anew
    assert "walrus" not in everything  # an extension's own state
    assert IMAGE[:80] not in everything


def test_messages_of_other_roles(tmp_path: Path) -> None:
    t = Tree(FIRST)
    t.said("hookMessage", "Injected by a hook")
    t.said("compactionSummary", None, summary="Short: jade lantern")
    t.said("user", [text("typed"), {"type": "hologram", "text": "a shape"}, "bare words", {"type": "text"}, 7])
    t.said("oracle", "a riddle")
    t.add("label", targetId="nowhere", label="a label of nothing")
    (session,) = single(tmp_path, t.records).sessions
    assert said(session, "by a hook")[0].flags == Flag.SYNTHETIC
    assert said(session, "jade lantern")[0].flags == Flag.SUMMARY
    assert [part.type for part in said(session, "a shape")[0].parts] == ["text", "hologram", "text"]
    assert said(session, "a riddle")[0].role == "system"
    assert said(session, "label of nothing")[1].type == "label"


def test_a_full_output_is_read_where_it_is_still_there(home: Path, tmp_path: Path) -> None:
    assert said(load(home / ".pi")[FIRST], "the end of the log")
    _, (report,) = read_all([open_source(home / ".pi")])
    assert f"full outputs are gone, what was kept of them is read: {OUTPUT}" in report.warnings


def test_a_full_output_that_exists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_pi(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / OUTPUT).write_text("tick\n" * 99 + "phrase sapphire gull")
    assert said(load(tmp_path / ".pi")[FIRST], "sapphire gull")[1].tool == "bash"


def test_no_other_file_is_read_whatever_a_session_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    secret = tmp_path / "secret.log"
    secret.write_text("password heron")
    t = Tree(FIRST)
    t.said("assistant", [call("c", "bash", command="x")])
    t.result("c", "kept", details={"fullOutputPath": str(secret)})
    assert said(single(tmp_path, t.records).sessions[0], "kept")
    link = tmp_path / OUTPUT
    link.symlink_to(secret)
    t.records[-1]["message"]["details"]["fullOutputPath"] = str(link)
    assert said(single(tmp_path, t.records).sessions[0], "kept")
    elsewhere = tmp_path / "elsewhere" / OUTPUT  # under the right name, but in no temporary folder
    elsewhere.parent.mkdir()
    elsewhere.write_text("password heron")
    t.records[-1]["message"]["details"]["fullOutputPath"] = str(elsewhere)
    assert said(single(tmp_path, t.records).sessions[0], "kept")


def test_tallow(tmp_path: Path, seal: Seal) -> None:
    home = seal(write_tallow(tmp_path))
    sources = open_sources(home)
    assert [source.name for source in sources] == ["tallow", "tallow"]
    sessions, _ = read_all(sources)
    assert {(session.id, session.agent) for session in sessions} == {
        (SECOND, "tallow"),
        ("legacy-1", "tallow"),
        (FIRST, "tallow"),
    }
    legacy = next(session for session in sessions if session.id == "legacy-1")
    assert [message.flags for message in legacy.messages] == [Flag.NONE] * 3  # without ids, one follows the other


def test_places(tmp_path: Path) -> None:
    write_tallow(tmp_path)
    write_pi(tmp_path)
    moved = tmp_path / "moved" / "sessions"
    moved.mkdir(parents=True)
    (moved / file_name(FIRST)).write_bytes(lines(branched().records))

    def names(**environ: str) -> list[str]:
        return [
            f"{source.name} {Path(source.location).relative_to(tmp_path)}" for source in discover(environ, tmp_path)
        ]

    tallow = ["tallow .tallow/sessions", "tallow .tallow-keeper/sessions"]
    assert names() == [*tallow, "pi .pi/agent/sessions"]
    assert names(PI_CODING_AGENT_DIR=str(moved.parent)) == [*tallow, "pi moved/sessions"]
    assert names(PI_CODING_AGENT_SESSION_DIR="~/moved/sessions") == [
        *tallow,
        "pi .pi/agent/sessions",
        "pi moved/sessions",
    ]
    assert names(TALLOW_CODING_AGENT_DIR=str(moved.parent), PI_CODING_AGENT_DIR=str(moved.parent)) == [
        "tallow moved/sessions",
        *tallow,
    ]


@pytest.mark.parametrize("inside", ["agent", "agent/sessions", "agent/sessions/--home-mara-lamp--"])
def test_any_folder_of_a_store_is_recognised(home: Path, inside: str) -> None:
    assert set(load(home / ".pi" / inside)) == {FIRST, SECOND, FORK}


# --- damaged files ---------------------------------------------------------------------------------


def test_empty_and_speechless_files_are_no_sessions(tmp_path: Path) -> None:
    assert single(tmp_path, b"").sessions == []
    assert single(tmp_path, Tree(FIRST).records).sessions == []


def test_a_torn_last_line(tmp_path: Path) -> None:
    whole = lines(branched().records)
    reading = single(tmp_path, whole[:-30])
    assert [bad.reason[:14] for bad in reading.malformed] == ["torn last line"]
    assert reading.sessions[0].title == "Why does the lamp flicker at dusk?"


def test_a_broken_line_abandons_nothing(tmp_path: Path) -> None:
    raw = lines(compacted().records).split(b"\n")
    raw[3] = raw[3][:40]
    reading = single(tmp_path, b"\n".join(raw))
    assert [bad.place for bad in reading.malformed] == ["line 4"]
    assert not any(message.flags & Flag.ABANDONED for message in reading.sessions[0].messages)
    assert len(reading.sessions[0].messages) == 5


def test_a_lost_header(tmp_path: Path) -> None:
    (session,) = single(tmp_path, compacted().records[1:]).sessions
    assert (session.id, session.directory) == (FIRST, None)  # the id is in the file's name


NO_CONTENT = "a message without content"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        pytest.param({"parentId": None}, "a record without a type", id="no type"),
        pytest.param({"type": "message"}, "a message entry without a message", id="no message"),
        pytest.param({"type": "message", "message": {"role": "user", "content": 7}}, NO_CONTENT, id="odd content"),
        pytest.param({"type": "custom_message"}, NO_CONTENT, id="empty custom message"),
    ],
)
def test_records_that_cannot_be_used_are_counted(tmp_path: Path, record: dict[str, Any], reason: str) -> None:
    t = compacted()
    reading = single(tmp_path, [*t.records, {"id": "x", **record}, *t.records])
    assert [(bad.place, bad.reason) for bad in reading.malformed] == [("line 8", reason)]
    assert len(reading.sessions[0].messages) == 6  # and lines that are there twice count once


def test_unknown_types_and_versions(tmp_path: Path) -> None:
    t = compacted()
    t.records[0]["version"] = 9
    t.add("teleport", words="beam")
    reading = single(tmp_path, t.records)
    assert list(reading.warnings) == [
        "version 9 of the format was read as far as version 3 goes",
        "records of the unknown type 'teleport' were not read",
    ]
    assert reading.unknown == {"records of the unknown type 'teleport' were not read": 1}
    assert (len(reading.sessions[0].messages), reading.malformed) == (6, [])


def test_a_huge_record(tmp_path: Path) -> None:
    t = compacted()
    t.said("assistant", [text("gull " * 30_000 + "phrase at the end")])
    (session,) = single(tmp_path, t.records).sessions
    assert said(session, "phrase at the end")


def test_other_encodings(tmp_path: Path) -> None:
    t = compacted()
    t.said("user", "naïve café \ud83d")
    raw = "".join(json.dumps(record) + "\n" for record in t.records).encode().replace(b"puffins?", b"puff\xffins?")
    reading = single(tmp_path, raw)
    assert (reading.malformed, said(reading.sessions[0], "puff\ufffdins?")[0].role) == ([], "user")
    assert said(reading.sessions[0], "naïve café \ufffd")
    (session,) = single(tmp_path, "".join(json.dumps(record) + "\n" for record in t.records).encode("utf-16")).sessions
    assert len(session.messages) == 7


def test_loops_and_orphans_end(tmp_path: Path) -> None:
    t = compacted()
    t.records[1]["parentId"] = t.last
    (session,) = single(tmp_path, t.records).sessions
    assert len(session.messages) == 6
    t.result("never called", "an answer to nothing")
    (session,) = single(tmp_path, t.records).sessions
    assert said(session, "answer to nothing")[0].role == "tool"


@pytest.mark.parametrize("seed", range(20))
def test_values_of_odd_types_stop_nothing(tmp_path: Path, seed: int) -> None:
    records = [*branched().records, *compacted().records]
    raw = "".join(json.dumps(record) + "\n" for record in oddly(records, seed, 0.03))
    assert single(tmp_path, raw.encode()).sessions


# --- growing files ---------------------------------------------------------------------------------


def test_what_was_appended_is_read_alone(tmp_path: Path) -> None:
    t = Tree(FIRST)
    t.said("user", "first words")
    before = single(tmp_path, t.records)
    t.said("assistant", [call("c", "bash", command="x")], model="quill-1")
    t.result("c", "an answer")
    t.add("session_info", name="Named later")
    after = single(tmp_path, t.records, before.resume)
    assert after.appended
    assert (after.sessions[0].title, len(after.sessions[0].messages)) == ("Named later", 1)
    assert said(after.sessions[0], "an answer")


@pytest.mark.parametrize("change", ["branch", "compaction", "result", "label", "header"])
def test_what_changes_something_before_it_is_read_with_all_of_it(tmp_path: Path, change: str) -> None:
    t = Tree(FIRST)
    first = t.said("user", "first words")
    t.said("assistant", [call("c", "bash", command="x")])
    before = single(tmp_path, t.records)
    if change == "branch":
        t.said("user", "on a branch", parent=first)
    elif change == "compaction":
        t.add("compaction", summary="short", firstKeptEntryId="")
    elif change == "result":
        t.result("c", "an answer")
    elif change == "label":
        t.add("label", targetId=first, label="here")
    else:
        t.records.append(t.records[0])
    after = single(tmp_path, t.records, before.resume)
    assert not after.appended
    assert after.sessions == single(tmp_path, t.records).sessions


# --- real stores -----------------------------------------------------------------------------------


@pytest.mark.shared
@pytest.mark.parametrize(("store", "bad"), [("pi", 0), ("tallow", 1)])
def test_counts_of_real_stores(shared: Path, store: str, bad: int) -> None:
    """Counted by lines here: a fork's copies have the id and the time of what they copy."""
    sessions, reports = read_all(open_sources(shared / "stores" / store))
    files, messages, answers = 0, set(), set()
    for path in sorted((shared / "stores" / store).rglob("*.jsonl")):
        files += 1
        for number, line in enumerate(path.read_bytes().split(b"\n")):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            key = (record.get("id") or f"{path.name}:{number}", record.get("timestamp"))
            if record["type"] in {"compaction", "branch_summary", "custom_message"}:
                messages.add(key)
            elif record["type"] == "message":
                role = record["message"]["role"]
                (answers if role == "toolResult" else messages).add(key)
    assert sum(report.sessions for report in reports) == files == len({session.id for session in sessions})
    assert sum(len(session.messages) for session in sessions) == len(messages)
    parts = [part for session in sessions for message in session.messages for part in message.parts]
    assert sum(part.type == "tool" and part.status in {"completed", "error"} for part in parts) >= len(answers) > 0
    assert sum(len(report.malformed) for report in reports) == bad
    assert {session.agent for session in sessions} == {store}


@pytest.mark.shared
def test_phrases_of_real_stores(shared: Path) -> None:
    sessions = {session.id: session for session in read_all(open_sources(shared / "stores"))[0]}

    def found(words: str) -> list[tuple[Session, Message, Part]]:
        return [
            (session, message, part)
            for session in sessions.values()
            for message in session.messages
            for part in message.parts
            if session.agent in {"pi", "tallow"} and words in f"{part.text}\n{part.output}\n{part.error}"
        ]

    ((session, message, _),) = found("codename amber falcon")
    assert (message.flags, session.id) == (Flag.ABANDONED, "019cadd3-6bc0-747e-ba91-f1c04516ea84")
    ((session, message, part),) = found("codename violet harbour")
    assert (session.title, message.flags, part.type) == ("postgres deadlock orders", Flag.SUMMARY, "compaction")
    ((_, message, _),) = found("codename copper anchor")
    assert message.flags == Flag.SYNTHETIC
    ((_, _, part),) = found("codename jade lantern")
    assert (part.tool, part.input) == ("bash", {"command": "redis-cli info"})
    (fork,) = [session for session in sessions.values() if session.agent == "tallow" and session.parent]
    assert (fork.parent, len(fork.messages)) == ("019cb981-8880-76e5-8591-89270fa2bec0", 2)
    assert {part.flags for _, _, part in found("SQLITE_BUSY") if part.error} == {Flag.ERROR}
    assert found("the thundering herd comes from the cron fan-out")[0][2].type == "reasoning"
    assert any(message.flags & Flag.OUT_OF_CONTEXT for _, message, _ in found("Show me the big log"))


def test_each_message_names_the_message_it_answers(home: Path) -> None:
    session = load(home / ".pi")[FIRST]
    asked, _ = said(session, "I will look.")
    assert asked.parent == said(session, "Why does the lamp flicker at dusk?")[0].id
    assert said(session, "Try another bulb, amber falcon")[0].parent == asked.id
    assert said(session, "A new bulb flickers as well.")[0].parent == said(session, "Try another bulb")[0].id
    ids = [message.id for message in session.messages]
    assert session.messages[0].parent is None
    above = [ids.index(message.parent) for message in session.messages[1:] if message.parent is not None]
    assert len(above) == len(ids) - 1
    assert all(place < at for at, place in enumerate(above, 1))


def test_below_a_missing_parent_the_tree_continues_with_the_previous_line(tmp_path: Path) -> None:
    tree = Tree(FIRST)
    first = tree.said("user", "Who keeps the lamp?")
    lost = tree.said("assistant", [text("Mara does.")], parent="ffffffff")
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / file_name(FIRST)).write_bytes(lines(tree.records))
    messages = load(folder)[FIRST].messages
    assert [(message.id, message.parent) for message in messages] == [(first, None), (lost, first)]
