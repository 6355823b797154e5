"""aider's history files: chats, speakers, edits, and lines that only look like the program's."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_rank.loaders import discover, open_source, open_sources, read_all
from recall_rank.loaders.aider.source import Aider
from recall_rank.model import Flag, Message, Part, Session
from tests.fixtures.make_fixtures import IMAGE, START
from tests.fixtures.make_markdown_stores import aider, write_aider
from tests.loaders.conftest import Seal


@pytest.fixture
def project(tmp_path: Path, seal: Seal) -> Path:
    """A project with aider's history."""
    write_aider(tmp_path / "fog")
    return seal(tmp_path / "fog")


def load(where: Path) -> list[Session]:
    sessions, (report,) = read_all([open_source(where)])
    assert (report.errors, report.malformed) == ((), ())
    return sessions


def single(tmp_path: Path, data: bytes) -> list[Session]:
    path = tmp_path / "one.md"
    path.write_bytes(data)
    source = Aider(path)
    (unit,) = source.units()
    return list(source.read(unit).sessions)


def said(session: Session, words: str) -> tuple[Message, Part]:
    ((message, part),) = [
        (message, part)
        for message in session.messages
        for part in message.parts
        if any(words in (field or "") for field in (part.text, part.output, part.error))
    ]
    return message, part


def test_normal(project: Path) -> None:
    first, last = load(project)  # a chat in which only the program spoke is none
    assert (first.title, first.directory, first.created, first.agent) == (
        "Why does the fog horn sound twice? violet heron",
        str(project),
        START,
        "aider",
    )
    roles = [message.role for message in first.messages]
    assert roles == ["tool", "user", "assistant", "tool", "user", "tool"]
    assert first.id.startswith("20260528202640-")
    assert {message.time for message in first.messages} == {START}
    assert last.title == "which gulls nest here?"  # without the commands
    assert IMAGE[:80] not in repr(last)


def test_speakers(project: Path) -> None:
    first, last = load(project)
    assert said(first, "violet heron")[1].text == "Why does the fog horn\nsound twice? violet heron"
    message, part = said(first, "both edges")
    assert (message.role, message.model, part.type) == ("assistant", "quill-1", "text")
    for words in ("#### A heading of the model", "> a quote of the model", "# aider chat started at the quay"):
        assert words in str(part.text)
    assert said(first, "amber harbour")[1].type == "reasoning"
    assert said(last, "Herring gulls")[0].model == "quill-2"


def test_what_the_program_said(project: Path) -> None:
    first, _ = load(project)
    assert said(first, "Main model")[1].flags == Flag.SYNTHETIC
    _, part = said(first, "Applied edit")
    assert (part.type, part.files, part.flags) == ("tool", ("horn/fire.py", "horn/edges.py"), Flag.NONE)
    assert said(first, "HornError")[0].role == "tool"


def test_a_file_whose_trailing_blanks_are_gone(tmp_path: Path) -> None:
    first = single(tmp_path, aider(own="").encode())[0]
    assert said(first, "violet heron")[0].role == "user"
    assert said(first, "Applied edit")[0].role == "tool"
    assert first.directory is None  # under another name, nothing says where it belongs


def test_ids_stay_when_chats_are_added_or_moved(project: Path, tmp_path: Path) -> None:
    before = [session.id for session in load(project)]
    more = aider() + aider().replace("2026-05-28", "2026-05-29")
    after = [session.id for session in single(tmp_path, more.encode())]
    assert (after[:2], len(set(after))) == (before, 4)
    twice = [session.id for session in single(tmp_path, (aider() + aider()).encode())]
    assert twice == [*before, *(f"{each}-2" for each in before)]


def test_recognition(project: Path, tmp_path: Path) -> None:
    assert [source.name for source in open_sources(tmp_path)] == ["aider"]
    copy = tmp_path / "copy.md"
    copy.write_text(aider())
    assert open_source(copy).name == "aider"
    copy.write_text("# A page\n")
    with pytest.raises(ValueError, match="no history is recognised"):
        open_source(copy)


def test_places(tmp_path: Path) -> None:
    project = write_aider(tmp_path / "fog").parent

    def names(**environ: str) -> list[str]:
        return [source.location for source in discover(environ, tmp_path / "home")]

    file = str(project / ".aider.chat.history.md")
    inside = project / "src" / "deep"
    inside.mkdir(parents=True)
    assert names() == []
    assert names(PWD=str(inside)) == [file]
    assert names(PWD="src") == []
    assert names(AIDER_CHAT_HISTORY_FILE=file) == [file]
    (inside.parent / "chats.md").write_text(aider())
    assert names(AIDER_CHAT_HISTORY_FILE="chats.md", PWD=str(inside)) == [str(inside.parent / "chats.md")]


# --- damaged files ---------------------------------------------------------------------------------


def test_empty_files(tmp_path: Path) -> None:
    assert single(tmp_path, b"") == []
    assert single(tmp_path, b"\n\n# aider chat started at 2026-05-28 20:26:40\n") == []


def test_a_torn_last_line_is_kept(tmp_path: Path) -> None:
    whole = aider().encode()
    sessions = single(tmp_path, whole[: whole.index(b"both edges") + 4])
    assert said(sessions[0], "fires on both")[0].role == "assistant"


def test_words_before_the_first_chat(tmp_path: Path) -> None:
    (session, *_) = single(tmp_path, b"#### An older prompt  \n\nAn older answer.\n" + aider().encode())
    assert (session.id[:8], session.created, session.title) == ("undated-", 0, "An older prompt")


def test_a_huge_answer(tmp_path: Path) -> None:
    text = aider().replace("The handler", "gull " * 30_000 + "phrase at the end. The handler")
    assert said(single(tmp_path, text.encode())[0], "phrase at the end")


def test_other_encodings(tmp_path: Path) -> None:
    broken = aider().encode().replace(b"both edges", b"both \xff edges").replace(b"\n", b"\r\n")
    first = single(tmp_path, broken)[0]
    assert said(first, "both \ufffd edges")
    assert said(first, "violet heron")[0].role == "user"
    for encoding in ("utf-16", "utf-8-sig"):
        assert len(single(tmp_path, aider().encode(encoding))) == 2
