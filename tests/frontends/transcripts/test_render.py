"""A transcript as Markdown: its parts, hostile text, and the command that writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.transcripts.gather import find_session, read_transcript
from recall_rank.frontends.transcripts.render import FILES, REASONS, transcript_markdown, transcript_of
from recall_rank.histories.transcript import UnknownSession
from recall_rank.model import Flag, Message, Part, Session, Tokens
from recall_rank.recall import Recall
from tests.frontends.conftest import Run
from tests.support.frontends.harbor import Invented

MARKS = st.lists(
    st.sampled_from(
        [
            *("~~~", "```", "`", "\n", "\n\n", "\r", "\t", "    ", "\u2028", "\x85", "\x1b[2J", "\u202e", "\u200b"),
            *("# user", "## user", "===", "---", "> ", "- ", "1. ", "* * *", "<!--", "-->", "<script>", "</pre>"),
            *("[a]: http://x", "[x](http://y)", "![x](y)", "|a|b|\n|-|-|", "**x**", "\\", "&#35;", "word", " "),
        ]
    ),
    max_size=6,
).map("".join)
BLOCKS = {
    *("heading_open", "heading_close", "inline", "paragraph_open", "paragraph_close"),
    *("blockquote_open", "blockquote_close", "bullet_list_open", "bullet_list_close"),
}


def blocks_of(page: str) -> list[Any]:
    """The outermost blocks of a page, as a reader of CommonMark with tables sees them."""
    from markdown_it import MarkdownIt

    found = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    return [each for each in found if each.level == 0]


@given(MARKS, MARKS, MARKS, MARKS)
def test_no_text_forges_a_block_of_a_transcript(name: str, value: str, title: str, said: str) -> None:
    call = Part("p1", "tool", tool=f"t{name}", input={name: value}, output=value, error=said, files=(value,))
    edit = Part("p2", "tool", tool="Edit", input={"file_path": value})
    parts = (call, edit, Part("p3", "text", said), Part("p4", "reasoning", said), Part("p5", title or "x", said))
    message = Message("m1", "assistant", 1, parts, author=title, model=name)
    asked = Message("m2", "user", 1, (Part("p6", "text", f"x{said}"), Part("p7", "text", said, flags=Flag.SYNTHETIC)))
    session = Session("s1", (asked, message), title, value, name, agent=title)
    page = transcript_markdown(transcript_of(session, [transcript_of(session)], {name: 3}))
    found = blocks_of(page)
    heads = [each.tag for each in found if each.type == "heading_open"]
    assert heads.count("h1") == 1
    assert heads.count("h3") == 2
    assert heads.count("h2") in (4, 5)  # statistics, perhaps files, unread records, conversation, subagent
    assert {each.type for each in found} <= BLOCKS
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "\u2028" not in page


def test_the_parts_of_a_page() -> None:
    messages = (
        Message("m1", "user", 1_780_000_000_000, (Part("p1", "text", "Fix /home/mara/lamp."),)),
        Message(
            "m2", "assistant", 1_780_000_060_000,
            (
                Part("p2", "reasoning", "secret thought"),
                Part("p3", "tool", tool="read", input={"path": "/home/mara/lamp/a.py"}, output="x"),
                Part("p4", "patch", files=("/home/mara/lamp/b.py",)),
                Part("p5", "text", "Fixed."),
                Part("p6", "step-finish"),
            ),
            model="owl-2", tokens=Tokens(100, 20), cost=0.5,
        ),
        Message("m3", "system", 0, (Part("p7", "compaction", "so far", status="auto"),)),
        Message("m4", "user", 0, (Part("p8", "subtask", "count lamps"), Part("p9", "file"))),
        Message("m5", "assistant", 0, (Part("p10", "text", error="overloaded"),), flags=Flag.ERROR),
    )  # fmt: skip
    session = Session("s-1", messages, "Lamp", "/home/mara/lamp", created=1, source="claude-code", agent="claude-code")
    page = transcript_markdown(transcript_of(session, unread={"records of the unknown type 'x' were not read": 4}))
    assert (
        page
        == """# Lamp

`~/lamp` · `1970-01-01 00:00 UTC` · `claude-code` · `s-1`

Resume: no command reopens it on this machine

## Statistics

- first message: 2026-05-28 20:26 UTC
- last message: 2026-05-28 20:27 UTC
- exchanges: 1
- messages of the user: 1
- messages of the assistant: 2
- tool calls: 1
- compactions: 1
- errors: 1
- reasoning left out: 1
- tokens sent to the model: 100
- tokens written by the model: 20
- cost in US dollars: 0.5000
- estimated tokens of this conversation: 105

## Files touched

- `~/lamp/b.py`: edited 1
- `~/lamp/a.py`: read 1

## Records that were not read

- records of the unknown type 'x' were not read: 4

## Conversation

### Exchange 1 · 2026-05-28 20:26 UTC · about 105 tokens

**user**

> Fix /home/mara/lamp.

**assistant · owl-2**

- **read** `~/lamp/a.py`
  - `x`

*patch: \\~/lamp/b.py*

> Fixed.

**system**

*Compaction (auto)*

*Summary of what was said before: so far*

**user**

- **subtask** `task=count lamps`

*file or image*

**assistant · error**

- **error**
  - `overloaded`
"""
    )


def test_the_resume_line_opens_the_session_again(tmp_path: Path) -> None:
    home = tmp_path / "mara"
    (home / "quay").mkdir(parents=True)
    (home / "sea port").mkdir()
    plain = Session("s-1", (), directory=str(home / "quay"), source="claude-code")
    assert "Resume: `cd ~/quay && claude --resume s-1`\n" in transcript_markdown(transcript_of(plain), [str(home)])
    quoted = Session("s-1", (), directory=str(home / "sea port"), source="claude-code")
    shown = transcript_markdown(transcript_of(quoted), [str(home)])
    assert f"Resume: `cd '{home}/sea port' && claude --resume s-1`\n" in shown  # a shell reads no ~ inside quotes
    assert f"cd {home}/quay && claude" in transcript_markdown(transcript_of(plain))


def test_long_lists_are_counted() -> None:
    parts = tuple(Part("p", "tool", tool="read", input={"path": f"f{at:03}"}) for at in range(FILES + 4))
    session = Session("s", (Message("m", "assistant", 1, parts),))
    unread = {f"reason {at:03}": 2 for at in range(REASONS + 3)}
    page = transcript_markdown(transcript_of(session, unread=unread))
    assert "- 4 more\n" in page
    assert "- 3 other reasons: 6\n" in page


def test_a_session_without_messages_has_a_page() -> None:
    page = transcript_markdown(transcript_of(Session("s")))
    assert page.startswith("# Untitled session\n\n`s`\n")
    assert page.endswith("## Conversation\n")


# --- finding and reading ---------------------------------------------------------------------------------------


def session(key: str, title: str, parent: str | None = None, created: int = 1) -> Session:
    flags = Flag.SUBAGENT if parent else Flag.NONE
    said = (Message(f"{key}-m", "user", created, (Part("p", "text", f"words of {key}"),)),)
    return Session(key, said, title, created=created, updated=created, parent=parent, flags=flags)


def test_a_session_is_found_by_id_prefix_or_title() -> None:
    known = [session("alpha-1", "Moor the Boat"), session("alpha-2", "Moor"), session("beta-1", "Sail")]
    with Recall([Invented(*known)]) as recall:
        assert find_session(recall, "alpha-1").id == "alpha-1"
        assert find_session(recall, "beta").id == "beta-1"
        assert find_session(recall, "MOOR THE BOAT").id == "alpha-1"
        assert find_session(recall, " moor ").id == "alpha-2"  # the whole title, although another contains it
        assert find_session(recall, "the boat").id == "alpha-1"
        for wanted, words in (
            ("alpha", "^2 sessions have ids that begin with 'alpha': alpha-1, alpha-2$"),
            ("oo", "^2 sessions have a title with .oo.: alpha-1, alpha-2$"),
            ("", "is named by"),
            ("raft", "^no session has an id or title like 'raft'$"),
            ("bet", "^no session has an id or title like 'bet'; a beginning of an id has 4 characters or more$"),
        ):
            with pytest.raises(UnknownSession, match=words):
                find_session(recall, wanted)
        assert not find_session(recall, "beta-1").messages
        for wanted, words in (
            ("alpha", "^2 sessions have ids that begin with 'alpha': alpha-1, alpha-2$"),
            ("raft", "^no session 'raft'$"),
            ("bet", "^no session 'bet'; a beginning of an id has 4 characters or more$"),
        ):
            with pytest.raises(UnknownSession, match=words):
                recall.session(wanted)
    many = [session(f"many-{number}", "Row") for number in range(8)]
    words = "8 sessions have ids that begin with 'many': many-0, many-1, many-2, many-3, many-4 and 3 more"
    with Recall([Invented(*many)]) as recall, pytest.raises(UnknownSession, match=f"^{words}$"):
        find_session(recall, "many")


def test_subagents_of_subagents_are_attached_once() -> None:
    known = [
        session("top-1", "Top"), session("sub-1", "One", "top-1", 3), session("sub-2", "Two", "top-1", 2),
        session("deep-1", "Deep", "sub-1", 4), session("loop-1", "Loop", "loop-2"), session("loop-2", "Loop", "loop-1"),
    ]  # fmt: skip
    with Recall([Invented(*known)]) as recall:
        found = read_transcript(recall, recall.session("top-1"))
        assert [each.session.id for each in found.subagents] == ["sub-2", "sub-1"]
        page = transcript_markdown(found)
        assert "## Subagent 2.1: Deep" in page
        assert page.count("> words of deep-1") == 1
        assert read_transcript(recall, recall.session("top-1"), subagents=False).subagents == ()
        looped = read_transcript(recall, recall.session("loop-1"))
        assert [each.session.id for each in looped.subagents] == ["loop-2"]
        assert looped.subagents[0].subagents == ()


# --- the command -----------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "history.jsonl"
    path.write_text(history(), encoding="utf-8")
    return path


def test_the_command(run: Run, file: Path, tmp_path: Path) -> None:
    printed = run("transcript", "demo-10", "--history", file)
    assert printed.exit_code == 0
    assert "### Exchange 1 ·" in printed.stdout
    title = printed.stdout.split("\n")[0].removeprefix("# ").replace("\\", "")
    assert run("transcript", title.upper(), "--history", file).stdout == printed.stdout
    target = tmp_path / "out.md"
    written = run("transcript", "demo-10", "--out", target, "--history", file)
    assert (written.exit_code, written.stdout) == (0, "")
    assert target.read_text(encoding="utf-8") == printed.stdout


def test_an_unknown_session_and_a_missing_history(run: Run, file: Path, tmp_path: Path) -> None:
    target = tmp_path / "none"
    result = run("transcript", "nowhere", "--out", target, "--history", file)
    assert (result.exit_code, result.stdout) == (5, "")
    assert "no session has an id or title like 'nowhere'" in result.stderr
    assert not target.exists()
    assert run("transcript", "demo-10", "--history", tmp_path / "missing.jsonl").exit_code == 3
    assert run("transcript", "--history", file).exit_code == 2


def test_a_session_that_cannot_be_read(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_: Any) -> None:
        raise OSError(5, "locked")

    monkeypatch.setattr(Recall, "transcript", locked)
    result = run("transcript", "demo-10", "--history", file)
    assert (result.exit_code, result.stderr) == (3, "recall-rank: session demo-10 cannot be read: locked\n")


def test_secrets_are_replaced_when_asked(run: Run, tmp_path: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 4
    said = [
        {"type": "text", "text": f"push with {key}"},
        {"type": "tool", "tool": "bash", "output": f"token {key}", "input": {"password": "Tr0ub4dor3xyz"}},
    ]
    lines = [
        {"t": "session", "id": "s-1", "title": "Push", "created": 1},
        {"t": "message", "id": "m1", "session": "s-1", "role": "user", "time": 2, "parts": said},
    ]
    path = tmp_path / "one.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    assert run("transcript", "s-1", "--history", path).stdout.count(key) == 2
    shown = run("transcript", "s-1", "--redact", "--history", path).stdout
    assert key not in shown
    assert shown.count("[redacted github]") == 2
    assert "- **bash** `[redacted password]`" in shown
