"""What `opencode export` prints: the same session as in the database, in every form that a shell gives it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders import open_source, open_sources
from recall_rank.loaders.opencode import export as opencode_export
from recall_rank.loaders.opencode.export import OpenCodeExport
from recall_rank.model import Reading
from tests.fixtures.make_fixtures import HOME, MESSAGES, SPILLED_WORD, write_opencode
from tests.fixtures.make_opencode_json import exported, message, session, write
from tests.support.loaders.finding import damaged, load, parts_of


def single(tmp_path: Path, data: Any) -> Reading:
    """What a file with this export gives."""
    path = tmp_path / "export.json"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data, indent=2).encode())
    (unit,) = OpenCodeExport(path).units()
    return OpenCodeExport(path).read(unit)


def test_an_export_gives_what_the_database_gives(tmp_path: Path) -> None:
    database, _ = load(write_opencode(tmp_path / "database"))
    (tmp_path / "tool-output").mkdir()
    (tmp_path / "tool-output" / "tool_big1").write_text("tick 0001\n" * 50 + SPILLED_WORD)
    reading = single(tmp_path, exported())
    (found,) = reading.sessions
    known = replace(database["ses_a"], places=())
    assert replace(found, worktree=HOME) == known  # an export does not name the worktree
    assert (reading.malformed, reading.warnings) == ([], [])


FORMS = {
    "on one line": lambda value: json.dumps(value).encode(),
    "with the program's own line": lambda value: b"Exporting session: ses_a\n" + json.dumps(value, indent=2).encode(),
    "in UTF-16": lambda value: json.dumps(value, indent=2).replace("\n", "\r\n").encode("utf-16"),
    "with a byte order mark": lambda value: b"\xef\xbb\xbf" + json.dumps(value, indent=2).encode(),
    "indented by four": lambda value: json.dumps(value, indent=4).encode(),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
def test_every_form_of_an_export(tmp_path: Path, form: Any) -> None:
    expected = single(tmp_path, exported()).sessions
    assert single(tmp_path, form(exported())).sessions == expected
    assert open_source(tmp_path / "export.json").name == "opencode"


def test_torn_exports_give_every_whole_message(tmp_path: Path) -> None:
    data = json.dumps(exported(), indent=2).encode()
    starts = [data.index(b'"id": "%b"' % key.encode()) for key in MESSAGES]
    for count, at in enumerate(starts):
        reading = single(tmp_path, data[:at])
        assert [len(session.messages) for session in reading.sessions] == [count]
        assert reading.sessions[0].id == "ses_a"
        assert len(reading.malformed) == 1
    assert single(tmp_path, data[:-30]).sessions == single(tmp_path, data).sessions


def test_bad_elements_are_counted_and_hide_nothing(tmp_path: Path) -> None:
    value = exported()
    del value["info"]
    value["messages"][1:3] = [7, {"info": {}}, {"parts": []}, {"info": message("msg_02", 1), "parts": [7, "x"]}]
    reading = single(tmp_path, value)
    assert [bad.reason for bad in reading.malformed] == [
        "an element of messages that is no object",
        "a message without an id",
        "a message without an id",
        "a part that is no object",
        "a part that is no object",
    ]
    assert [message.id for message in reading.sessions[0].messages] == ["msg_01", "msg_02", *list(MESSAGES)[3:]]
    assert reading.sessions[0].id == "ses_a"


def test_empty_exports(tmp_path: Path) -> None:
    for data in (b"", b"\n", b"[]", b"{}", b"Session not found"):
        assert single(tmp_path, data).sessions == []
    (empty,) = single(tmp_path, {"info": session(), "messages": []}).sessions
    assert (empty.messages, empty.title) == ((), session()["title"])


def test_huge_parts(tmp_path: Path) -> None:
    value = exported()
    value["messages"][5]["parts"][0]["text"] = "Scharnieröl " * 200_000
    for data in (json.dumps(value, indent=2).encode(), json.dumps(value).encode()):
        (found,) = single(tmp_path, data).sessions
        assert max(len(part.text or "") for part in parts_of(found)) == 2_400_000


@pytest.mark.parametrize("seed", range(40))
def test_damage_never_raises(tmp_path: Path, seed: int) -> None:
    reading = single(tmp_path, damaged(json.dumps(exported(), indent=2).encode(), seed))
    assert all(bad.place.startswith("line ") and bad.reason for bad in reading.malformed)


def test_exports_are_told_by_how_they_begin(tmp_path: Path) -> None:
    write(tmp_path / "a.json", exported())
    write(tmp_path / "b.json", {"info": {"id": "7"}, "messages": []})
    write(tmp_path / "c.txt", exported())
    assert [source.location for source in open_sources(tmp_path)] == [str(tmp_path / "a.json")]
    assert open_source(tmp_path / "c.txt").location == str(tmp_path / "c.txt")  # named by the caller
    assert opencode_export.recognise(tmp_path / "c.txt") is None
    source = OpenCodeExport(tmp_path / "a.json")
    (unit,) = source.units()
    before = source.signature(unit)
    write(tmp_path / "a.json", {**exported(), "todos": []})
    assert source.signature(unit) != before
