"""The neutral history format: what a record becomes, and what damaged files still give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders import open_source, read_all
from recall_rank.loaders.history_jsonl import HistoryJsonl
from recall_rank.model import Flag, Reading, Session
from tests.fixtures.make_fixtures import START, history_records, lines, write_history
from tests.loaders.conftest import Seal


def read(path: Path) -> Reading:
    source = HistoryJsonl(path)
    (unit,) = source.units()
    return source.read(unit)


def written(tmp_path: Path, seal: Seal, data: bytes) -> Reading:
    path = tmp_path / "store" / "history.jsonl"
    path.parent.mkdir()
    path.write_bytes(data)
    seal(path.parent)
    return read(path)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_normal(tmp_path: Path, seal: Seal, suffix: str) -> None:
    path = write_history(tmp_path / "store" / f"history.jsonl{suffix}")
    seal(path.parent)
    reading = read(path)
    first, second = reading.sessions
    assert (reading.malformed, reading.warnings) == ([], [])
    assert (first.id, first.title, first.project, first.created) == ("h1", "Lens motor stalls", "lamp", START)
    assert (first.agent, first.source, second.title, second.source) == ("quillbot", "history", None, "history")
    assert (second.created, second.updated) == (START + 20_000, START)
    assert [message.role for message in first.messages] == ["user", "assistant", "user", "assistant"]
    reasoning, ran, failed = first.messages[1].parts
    assert (reasoning.type, reasoning.text) == ("reasoning", "Cold grease raises the torque.")
    assert (ran.tool, ran.input, ran.output, ran.flags) == (
        "bash",
        {"command": "motorctl --torque"},
        "torque 3.2 Nm",
        Flag.NONE,
    )
    assert (failed.error, failed.flags) == ("EPERM: reset denied", Flag.ERROR)
    assert [message.parts[0].flags for message in first.messages[2:]] == [Flag.SYNTHETIC, Flag.PRUNED]
    assert "潮汐表" in str(second.messages[0].parts[0].text)


def test_empty(tmp_path: Path, seal: Seal) -> None:
    reading = written(tmp_path, seal, b"")
    assert (reading.sessions, reading.malformed, reading.warnings) == ([], [], [])


def test_torn_last_line(tmp_path: Path, seal: Seal) -> None:
    data = lines(history_records())
    reading = written(tmp_path, seal, data[:-20])
    assert [len(session.messages) for session in reading.sessions] == [4, 0]
    (bad,) = reading.malformed
    assert (bad.place, bad.reason[:14]) == ("line 7", "torn last line")
    assert bad.location.endswith("history.jsonl")


def test_unknown_types_and_keys_are_no_obstacle(tmp_path: Path, seal: Seal) -> None:
    records = history_records()
    records[1] = {**records[1], "mood": "calm", "parts": [{"id": "p", "type": "hologram", "text": "seen", "depth": 3}]}
    reading = written(tmp_path, seal, lines([*records, {"t": "weather"}, {"t": "weather"}, {"no": "t"}]))
    part = reading.sessions[0].messages[0].parts[0]
    assert (part.type, part.text) == ("hologram", "seen")
    assert reading.warnings == ["records of the unknown type 'weather' were not read"]
    assert reading.unknown == dict.fromkeys(reading.warnings, 2)
    assert [bad.place for bad in reading.malformed] == ["line 10"]


def test_odd_values_are_kept_where_they_can_be(tmp_path: Path, seal: Seal) -> None:
    odd: list[dict[str, Any]] = [
        {"t": "session", "id": 7, "title": 12.5, "created": "2026-05-28T20:26:40Z", "updated": None},
        {"t": "message", "session": 7, "role": "wizard", "time": -5, "parts": [{"type": None, "text": True}, 3]},
        {"t": "message", "session": 7, "id": "m", "time": True, "parts": "none"},
        {"t": "message", "id": "lost", "parts": []},
        {"t": "session"},
        {"t": "message", "session": "unseen", "id": "m2", "time": 5.5, "parts": [{"text": 7, "type": "compaction"}]},
    ]
    reading = written(tmp_path, seal, lines(odd))
    first, second = reading.sessions
    assert (first.id, first.title, first.created, first.updated) == ("7", "12.5", 1_780_000_000_000, 0)
    assert [(message.id, message.role, message.time) for message in first.messages] == [
        ("7:2", "system", 0),
        ("m", "system", 0),
    ]
    assert first.messages[0].parts[0].text is None
    assert (second.id, second.messages[0].time, second.updated) == ("unseen", 5, 5)
    assert (second.messages[0].parts[0].text, second.messages[0].parts[0].flags) == ("7", Flag.SUMMARY)
    assert [bad.place for bad in reading.malformed] == ["line 2", "line 3", "line 4", "line 5"]
    assert reading.warnings == ["session unseen has messages but no line of its own"]


def test_a_message_written_again_replaces_the_first(tmp_path: Path, seal: Seal) -> None:
    records = history_records()
    again = {**records[1], "parts": [{"id": "p", "type": "text", "text": "edited"}]}
    reading = written(tmp_path, seal, lines([*records, again, {**records[0], "title": "Renamed"}]))
    assert reading.sessions[0].messages[0].parts[0].text == "edited"
    assert (len(reading.sessions[0].messages), reading.sessions[0].title) == (4, "Renamed")


def test_huge_record(tmp_path: Path, seal: Seal) -> None:
    records = history_records()
    words = "a line of the log\n" * 150_000
    records[4]["parts"][0]["output"] = words
    reading = written(tmp_path, seal, lines(records))
    assert reading.sessions[0].messages[3].parts[0].output == words
    assert len(reading.sessions) == 2


def test_wrong_encoding_is_repaired_and_kept(tmp_path: Path, seal: Seal) -> None:
    data = lines(history_records()).replace("Größ".encode(), b"Gr\xf6\xdf").replace(b"at dusk", b"at \\udcff dusk")
    reading = written(tmp_path, seal, data)
    assert reading.malformed == []
    assert reading.sessions[1].messages[0].parts[0].text == "Compute the tide table for Gr��-Osterholm 潮汐表"
    assert reading.sessions[0].messages[0].parts[0].text == "The lens motor stalls at � dusk, why?"


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_damaged_archive_gives_what_can_be_unpacked(tmp_path: Path, seal: Seal, suffix: str) -> None:
    many = [
        {**record, "noise": f"{number}{hash(str(number))}"}
        for number in range(4000)
        for record in history_records()[:2]
    ]
    path = write_history(tmp_path / "store" / f"history.jsonl{suffix}", many)
    path.write_bytes(path.read_bytes()[:-30])
    cut = write_history(tmp_path / "store" / f"cut.jsonl{suffix}")
    cut.write_bytes(cut.read_bytes()[:20])
    seal(path.parent)
    sessions, (report, nothing) = read_all([HistoryJsonl(path), HistoryJsonl(cut)])
    assert [len(session.messages) for session in sessions] == [1]
    assert any("damaged archive" in bad.reason for bad in report.malformed)
    assert nothing.failed
    assert "damaged archive" in nothing.errors[0]


# --- reading on ------------------------------------------------------------------------------------


def grow(path: Path, *records: dict[str, Any]) -> None:
    with path.open("ab") as file:
        file.write(lines(records))


def test_what_was_appended_is_read_alone(tmp_path: Path) -> None:

    records = history_records()
    path = write_history(tmp_path / "h.jsonl", records[:-1])
    source = HistoryJsonl(path)
    (unit,) = source.units()
    first = source.read(unit)
    assert not first.appended
    unchanged = source.read(unit, first.resume)
    assert (unchanged.sessions and [len(s.messages) for s in unchanged.sessions], unchanged.appended) == ([], True)
    grow(path, records[-1])
    with path.open("ab") as file:
        file.write(b'{"t":"mess')
    more = source.read(unit, first.resume)
    assert more.appended
    assert [(session.id, session.directory, len(session.messages)) for session in more.sessions] == [
        ("h2", "/home/mara/tides", 1)
    ]
    assert [bad.place for bad in more.malformed] == ["line 8"]
    with path.open("ab") as file:
        file.write(b'age"}\n')
    grow(path, {**records[1], "id": "late", "session": "h1"})
    back = source.read(unit, more.resume)
    assert not back.appended  # a message of a session that lies before the resume point
    assert [len(session.messages) for session in back.sessions] == [5, 1]


@pytest.mark.parametrize("since", [b"", b"?", b"=[]", b'=[5,1,"x",null]', b'+[99999,1,"",null]', b"=7"])
def test_a_resume_point_that_does_not_fit_is_ignored(tmp_path: Path, since: bytes) -> None:
    path = write_history(tmp_path / "h.jsonl")
    source = HistoryJsonl(path)
    (unit,) = source.units()
    assert len(source.read(unit, since).sessions) == 2


def test_archives_are_always_read_whole(tmp_path: Path) -> None:
    source = HistoryJsonl(write_history(tmp_path / "h.jsonl.gz"))
    (unit,) = source.units()
    assert source.read(unit).resume is None
    assert len(source.read(unit, b'=[1,1,"",null]').sessions) == 2


def test_a_source_is_named_after_its_format_or_as_told(tmp_path: Path) -> None:
    path = write_history(tmp_path / "h.jsonl")
    assert open_source(path).name == "history"
    source = open_source(str(path), name="mine")
    sessions, (report,) = read_all([source])
    assert (report.agent, {session.source for session in sessions}) == ("mine", {"mine"})


def titles(sessions: list[Session]) -> list[str | None]:
    return [session.title for session in sessions]


def test_utf16_is_read_whole_every_time(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in history_records()), encoding="utf-16")
    reading = read(path)
    assert (len(reading.sessions), reading.malformed, reading.resume) == (2, [], None)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(bytes(range(128, 256)) * 40 + b"\n" + bytes(range(32)) * 9, id="no text"),
        pytest.param(b"first\nsecond\n", id="no JSON"),
        pytest.param(b"[1]\n[2]\n", id="no objects"),
    ],
)
def test_a_named_file_without_a_record_could_not_be_read(tmp_path: Path, content: bytes) -> None:
    """A search of it must not say that it found nothing."""
    path = tmp_path / "noise.jsonl"
    path.write_bytes(content)
    good = write_history(tmp_path / "good.jsonl")
    sessions, reports = read_all([open_source(path), open_source(good)])
    assert sessions
    assert [report.failed for report in reports] == [True, False]
    assert list(reports[0].errors) == [f"{path}: no line is a record of a history"]


def test_a_file_that_is_empty_or_lacks_messages_is_read(tmp_path: Path) -> None:
    path = tmp_path / "short.jsonl"
    for content in (b"", b"\n\n", b'{"t": "session", "id": "a"}\n'):
        path.write_bytes(content)
        _, reports = read_all([open_source(path)])
        assert not reports[0].errors
