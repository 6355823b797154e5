"""One session of a history file is read without the others, and is what a reading of the whole file gives."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.transcripts.gather import read_transcript
from recall_rank.histories import unit_reader
from recall_rank.loaders import open_sources
from recall_rank.loaders.history_jsonl import HistoryJsonl
from recall_rank.recall import Recall
from tests.support.histories.every_store import STORES


def refuse(*_: object) -> None:
    raise AssertionError("the whole file was read")


@pytest.fixture(params=[".jsonl", ".jsonl.xz"])
def file(request: Any, tmp_path: Path) -> Path:
    path = tmp_path / f"history{request.param}"
    data = history().encode()
    path.write_bytes(data if request.param == ".jsonl" else lzma.compress(data))
    return path


def test_a_message_and_a_transcript_are_read_without_the_other_sessions(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: the whole file was parsed for one message, which took seven times the CPU of the search before."""
    whole = Recall(open_sources(file))
    with Recall(open_sources(file), cache=tmp_path / "cache") as recall:
        recall.refresh()
        monkeypatch.setattr(HistoryJsonl, "read", refuse)
        sessions = recall.sessions()
        read = {session.id: (recall.transcript(session.id), recall.unread(session.id)) for session in sessions}
        assert recall.get("demo-10", "demo-10-m2").message.id == "demo-10-m2"
        assert recall.context("demo-10", "demo-10-m2").messages
        assert recall.messages("demo-10").total == 4
        assert read_transcript(recall, recall.session("demo-10")).session.id == "demo-10"
        monkeypatch.undo()
    assert len(read) > 10
    assert read == {each.id: (whole.transcript(each.id), whole.unread(each.id)) for each in whole.sessions()}


@pytest.mark.parametrize("key", ["one", 'o"ne', "o\\ne", "ö-ne", "o/ne", "o ne", "on", "1"])
@pytest.mark.parametrize("escaped", [False, True])
def test_odd_ids_are_read_as_by_the_whole_file(tmp_path: Path, key: str, escaped: bool) -> None:
    def said(session: str, number: int) -> str:
        parts = [{"type": "text", "text": f'"{key}" and "one" are named in {number}'}]
        line = json.dumps({"t": "message", "id": f"m{number}", "session": session, "role": "user", "parts": parts})
        code = "".join(f"\\u{ord(char):04x}" for char in session)
        return line.replace(json.dumps(session), f'"{code}"') if escaped and number == 2 else line

    lines = []
    for name in dict.fromkeys((key, "one", "another")):
        lines += [json.dumps({"t": "session", "id": name}), *(said(name, number) for number in range(4))]
    path = tmp_path / "history.jsonl"
    path.write_text("\n".join([*lines, '{"t": "mess', ""]), encoding="utf-8")
    whole = Recall(open_sources(path))
    with Recall(open_sources(path), cache=tmp_path / "cache") as recall:
        for session in whole.sessions():
            assert recall.transcript(session.id) == whole.transcript(session.id)
            assert recall.unread(session.id) == whole.unread(session.id) != {}
        with path.open("a", encoding="utf-8") as grown:
            grown.write(said("another", 9) + "\n")
        assert [message.id for message in recall.transcript("another").messages][-1] == "m9"


@pytest.mark.parametrize("store", STORES)
def test_what_was_not_read_is_the_same_from_the_table(tmp_path: Path, store: str) -> None:
    STORES[store](tmp_path / "home")
    memory = Recall(open_sources(tmp_path / "home"))
    with Recall(open_sources(tmp_path / "home"), cache=tmp_path / "cache") as recall:
        for session in recall.sessions():
            assert recall.unread(session.id) == memory.unread(session.id)


def test_a_large_reading_is_not_kept(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: a server kept the last four files that it had read, whatever their size."""
    with Recall(open_sources(file), cache=tmp_path / "cache") as recall:
        read: list[str] = []
        wanted = HistoryJsonl.read_session

        def noted(source: HistoryJsonl, unit: Any, session_id: str) -> Any:
            read.append(session_id)
            return wanted(source, unit, session_id)

        monkeypatch.setattr(HistoryJsonl, "read_session", noted)
        for _ in range(2):
            recall.transcript("demo-10")
        monkeypatch.setattr(unit_reader, "KEPT_CHARACTERS", 10)
        for _ in range(2):
            recall.transcript("demo-11")
        assert read == ["demo-10", "demo-11", "demo-11"]
