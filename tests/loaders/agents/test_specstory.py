"""SpecStory's pages: turns, tools, reasoning, both versions, and the sessions they repeat."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_rank.loaders import discover, open_source, open_sources, read_all
from recall_rank.loaders.specstory.source import SpecStory
from recall_rank.model import Flag, Message, Part, Reading, Session
from tests.fixtures.make_fixtures import IMAGE, START
from tests.fixtures.make_markdown_stores import OLD_STORY, story, write_specstory
from tests.loaders.conftest import Seal

CLAUDE = "11111111-aaaa-4bbb-8ccc-000000000009"
NET, DRY = "c0000001-0000-4000-8000-000000000000", "c0000002-0000-4000-8000-000000000000"


@pytest.fixture
def project(tmp_path: Path, seal: Seal) -> Path:
    """A project with exported pages."""
    write_specstory(tmp_path / "gate")
    return seal(tmp_path / "gate")


def load(where: Path) -> dict[str, Session]:
    sessions, (report,) = read_all([open_source(where)])
    assert (report.errors, report.malformed) == ((), ())
    return {session.id: session for session in sessions}


def single(tmp_path: Path, data: bytes) -> Reading:
    path = tmp_path / "one.md"
    path.write_bytes(data)
    source = SpecStory(path)
    (unit,) = source.units()
    return source.read(unit)


def said(session: Session, words: str) -> tuple[Message, Part]:
    ((message, part),) = [
        (message, part)
        for message in session.messages
        for part in message.parts
        if any(words in (field or "") for field in (part.text, part.output, part.error))
    ]
    return message, part


def test_normal(project: Path) -> None:
    sessions = load(project)
    assert set(sessions) == {CLAUDE, NET, DRY}
    session = sessions[CLAUDE]
    assert session.title is not None
    assert session.title.startswith("Grease the hinge of the gate")  # the heading is a date alone
    assert (session.directory, session.created, session.updated, session.agent, session.source) == (
        str(project),
        START,
        START + 5000,
        "claude-code",
        "specstory",
    )
    assert [message.role for message in session.messages] == ["user", "assistant", "assistant", "user", "assistant"]
    assert (session.messages[1].model, session.messages[1].time) == ("quill-1", START + 2000)
    assert "walrus" not in repr(sessions)
    assert IMAGE[:80] not in repr(sessions)


def test_a_turn_is_one_message(project: Path) -> None:
    session = load(project)[CLAUDE]
    assert [part.type for part in session.messages[1].parts] == ["reasoning", "tool", "tool"]
    assert said(session, "violet heron")[1].text == "Old grease is hard, violet heron."
    assert said(session, "Surveyed")[0].flags == Flag.SUBAGENT
    assert said(session, "be brief")[1].flags == Flag.SYNTHETIC
    assert said(session, "Greased.")[1].text == "Greased."


def test_tools(project: Path) -> None:
    session = load(project)[CLAUDE]
    _, read = said(session, "hinge: stiff")  # a turn that is quoted in an output begins none
    assert (read.tool, read.input, read.files, read.title, read.status) == (
        "Read",
        {"text": "gate/hinge.md"},
        ("gate/hinge.md",),
        "Tool use: Read",
        "completed",
    )
    _, ran = said(session, "GreaseError")
    assert (ran.input, ran.error, ran.output, ran.status, ran.flags) == (
        {"command": "grease --all"},
        "GreaseError: none left",
        None,
        "error",
        Flag.ERROR,
    )


def test_older_pages(project: Path) -> None:
    sessions = load(project)
    net, dry = sessions[NET], sessions[DRY]
    assert (net.title, dry.title, net.agent) == ("Mend the net", "Dry the net", "cursor")
    assert [part.text for message in net.messages for part in message.parts] == [
        "Mend the net, amber falcon",
        "Mended.",
    ]
    assert dry.messages[-1].model == "quill-3"
    assert dry.created - net.created == 86_400_000


def test_a_page_without_a_session_is_named_after_its_file(tmp_path: Path) -> None:
    (session,) = single(tmp_path, b"## Net (2025/03/02 10:00:00)\n\n_**User**_\n\nDry it\n").sessions
    assert (session.id, session.agent, session.title, session.created) == (
        "one",
        "specstory",
        "Net",
        1_740_909_600_000,
    )


def test_recognition(project: Path, tmp_path: Path) -> None:
    history = project / ".specstory" / "history"
    pages = [path for path in history.iterdir() if path.name != "notes.md"]
    for path in (project / ".specstory", history):
        assert [source.location for source in open_sources(path)] == [str(history)]
    assert [open_source(path).name for path in pages] == ["specstory"] * 2
    assert open_sources(tmp_path)[0].location == str(history)
    with pytest.raises(ValueError, match="no history is recognised"):
        open_source(history / "notes.md")


def test_places(project: Path, tmp_path: Path) -> None:
    def names(**environ: str) -> list[str]:
        return [source.location for source in discover(environ, tmp_path)]

    assert names() == []
    assert names(PWD=str(project)) == [str(project / ".specstory" / "history")]
    assert names(PWD=str(project / ".specstory")) == names(PWD=str(project))


# --- damaged pages ---------------------------------------------------------------------------------


def test_empty_pages(tmp_path: Path) -> None:
    assert single(tmp_path, b"").sessions == []
    assert single(tmp_path, b"<!-- Generated by SpecStory -->\n\n# A page\n\n_**User**_\n").sessions == []


def test_a_torn_tool_hides_nothing(tmp_path: Path) -> None:
    text = story().replace("</details></tool-use>", "", 1).replace("</details></think>", "")
    reading = single(tmp_path, text.encode())
    (session,) = reading.sessions
    assert [bad.reason for bad in reading.malformed] == ["<think> that does not end"]
    assert said(session, "violet heron")
    assert said(session, "Greased.")
    torn = story()[: story().index("GreaseError") + 5]
    reading = single(tmp_path, torn.encode())
    assert [(bad.place, bad.reason) for bad in reading.malformed] == [("line 36", "<tool-use> that does not end")]
    assert said(reading.sessions[0], "hinge: stiff")


def test_many_tags_that_do_not_end(tmp_path: Path) -> None:
    page = "# p\n\n_**Agent**_\n\n" + "<think>\n_**User**_\nx\n" * 2000
    reading = single(tmp_path, page.encode())
    assert sum(bad.count for bad in reading.malformed) == 2000


def test_unknown_tags_and_huge_pages(tmp_path: Path) -> None:
    text = story().replace("Greased.", "<hologram>a shape</hologram> " + "gull " * 30_000 + "phrase at the end")
    (session,) = single(tmp_path, text.encode()).sessions
    assert "<hologram>a shape</hologram>" in str(said(session, "phrase at the end")[1].text)


def test_other_encodings(tmp_path: Path) -> None:
    broken = story().encode().replace(b"Greased.", b"Greased \xff.").replace(b"\n", b"\r\n")
    (session,) = single(tmp_path, broken).sessions
    assert said(session, "Greased \ufffd.")
    for encoding in ("utf-16", "utf-8-sig"):
        assert len(single(tmp_path, OLD_STORY.encode(encoding)).sessions) == 2
