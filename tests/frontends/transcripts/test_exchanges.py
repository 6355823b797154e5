"""Every message lies in one exchange, every exchange stands once in a transcript, and no typed word is lost."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall_rank.frontends.transcripts.exchanges import Exchange, exchanges_of, started_in
from recall_rank.frontends.transcripts.markdown import escape_text, quoted_lines
from recall_rank.frontends.transcripts.reminders import typed_by_user
from recall_rank.frontends.transcripts.render import transcript_markdown, transcript_of
from recall_rank.loaders import open_source
from recall_rank.model import Flag, Message, Part, Session

HEADING = re.compile(r"^### Exchange (\d+) · .*about [\d,]+ tokens$", re.MULTILINE)
PIECES = st.lists(
    st.sampled_from(
        [
            *("word", "Größe", "`", "```", "~~~", "\n", "\n\n", "\r\n", "\t", "    ", "\u202e", "\x1b[2J", "\u200b"),
            *("### Exchange 7 · about 3 tokens", "**User #3** · now", "## Conversation", "---", "> ", "- ", "# x"),
            *("<system-reminder>", "</system-reminder>", "<command-name>", "</command-name>", "<b>", "|", "\\", " "),
            *("Estimated tokens | ~12,345", "[Request interrupted by user", "![x](y)", "&amp;", "1. ", "==="),
        ]
    ),
    max_size=8,
).map("".join)
FLAGS = st.sampled_from(
    [Flag.NONE, Flag.NONE, Flag.NONE, Flag.SYNTHETIC, Flag.SUBAGENT, Flag.SUMMARY, Flag.ERROR, Flag.ABANDONED]
)
PARTS = st.one_of(
    st.builds(Part, st.just("p"), st.just("text"), PIECES, flags=FLAGS),
    st.builds(Part, st.just("p"), st.just("tool"), tool=PIECES, input=st.dictionaries(PIECES, PIECES, max_size=2),
              output=PIECES, error=st.one_of(st.none(), PIECES)),
    st.builds(Part, st.just("p"), st.sampled_from(["reasoning", "compaction", "file", "patch", "x"]), PIECES),
)  # fmt: skip
MESSAGES = st.builds(
    Message,
    id=st.just("m"),
    role=st.sampled_from(["user", "user", "assistant", "system", "tool"]),
    time=st.integers(0, 2_000_000_000_000),
    parts=st.lists(PARTS, max_size=3).map(tuple),
    author=st.one_of(st.none(), PIECES),
    flags=FLAGS,
)
SESSIONS = st.builds(
    Session,
    id=st.just("s"),
    messages=st.lists(MESSAGES, max_size=8).map(tuple),
    title=PIECES,
    directory=PIECES,
    flags=st.sampled_from([Flag.NONE, Flag.SUBAGENT]),
)


def said(*texts: str) -> Session:
    return Session("s", tuple(Message("m", "user", 0, (Part("p", "text", text),)) for text in texts))


def bodies_of(page: str) -> list[str]:
    """The text of each exchange of a page without subagents, from its heading to the next."""
    starts = [found.start() for found in HEADING.finditer(page)]
    ends = [*starts[1:], len(page)][: len(starts)]
    return [page[start:end] for start, end in zip(starts, ends, strict=True)]


def check(session: Session) -> None:
    """Every message lies in one exchange; every exchange has one heading, in order, and every text typed in it stands
    below that heading in full.
    """
    exchanges = exchanges_of(session)
    assert [message for exchange in exchanges for message in exchange.messages] == list(session.messages)
    page = transcript_markdown(transcript_of(session))
    bodies = bodies_of(page)
    assert [int(found[1]) for found in HEADING.finditer(page)] == [each.number for each in exchanges]
    assert [each.number for each in exchanges] == list(range(1, len(exchanges) + 1))
    for exchange, body in zip(exchanges, bodies, strict=True):
        for message in exchange.messages:
            for text in typed_by_user(message):
                assert "\n".join(quoted_lines(text)) in body
                words = set(escape_text(text).split())
                assert words <= set(re.sub(r"^> ?", "", body, flags=re.MULTILINE).split())


@given(SESSIONS)
@example(said("### Exchange 2 · about 5 tokens", "**User #3** · 2026 · 4 tokens"))
@example(said("a <system-reminder>b</system-reminder> c"))
def test_every_exchange_appears_once_and_every_typed_word(session: Session) -> None:
    check(session)


@given(st.lists(st.tuples(PIECES, st.booleans()), max_size=6))
def test_a_reminder_beside_typed_words_takes_none_of_them(pieces: list[tuple[str, bool]]) -> None:
    plain = [(text.replace("`", "").replace("~~~", "").replace("system-reminder", ""), told) for text, told in pieces]
    spans = "".join(f"{text}<system-reminder>hush{at}</system-reminder>" if told else text
                    for at, (text, told) in enumerate(plain))  # fmt: skip
    page = transcript_markdown(transcript_of(said(spans)))
    assert "hush" not in page
    words = {word for text, _ in plain for word in escape_text(text).split() if word.isalpha()}
    assert all(word in page for word in words)


def test_an_exchange_begins_where_a_user_typed() -> None:
    messages = (
        Message("m0", "system", 5, (Part("p", "text", "rules"),)),
        Message("m1", "user", 10, (Part("p", "text", "first"),)),
        Message("m2", "assistant", 11, (Part("p", "text", "yes"),)),
        Message("m3", "user", 12, (Part("p", "text", "<system-reminder>x</system-reminder>"),), flags=Flag.SYNTHETIC),
        Message("m4", "user", 13, (Part("p", "text", "prompt of a subagent"),), flags=Flag.SUBAGENT),
        Message("m5", "user", 20, (Part("p", "text", "second"),)),
    )
    exchanges = exchanges_of(Session("s", messages))
    assert [[message.id for message in each.messages] for each in exchanges] == [
        ["m0"],
        ["m1", "m2", "m3", "m4"],
        ["m5"],
    ]
    assert [started_in(exchanges, time) for time in (0, 4, 5, 19, 20, 99)] == [None, None, 1, 2, 3, 3]
    own = exchanges_of(Session("s", messages, flags=Flag.SUBAGENT))
    assert len(own) == 4  # of a subagent, its prompt is what was asked
    assert exchanges_of(Session("s")) == ()
    assert Exchange(1, ()).time == 0


# --- the stores of the data folder -------------------------------------------------------------------------------


def typed_in(path: Path) -> set[str]:
    """The words that users typed in a transcript of Claude Code, read from its lines without a loader: those of texts
    of users that no program wrote, without complete reminders.
    """
    words: set[str] = set()
    for line in path.read_bytes().splitlines():
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if record.get("type") != "user" or record.get("isMeta") or record.get("isCompactSummary"):
            continue
        content = record["message"]["content"]
        texts = [content] if isinstance(content, str) else [block.get("text", "") for block in content]
        for text in texts:
            typed = re.sub(r"<system-reminder>.*?</system-reminder>", "", text, flags=re.DOTALL)
            if not re.match(r"\s*(?:<[a-z-]+>|Base directory for this skill:|This session is being continued)", typed):
                words.update(escape_text(typed).split())
    return words


@pytest.mark.shared
@pytest.mark.parametrize("store", ["claude-code", "claude-code-synthetic"])
def test_the_stores_of_claude_code_keep_every_exchange_and_typed_word(shared: Path, store: str) -> None:
    source = open_source(shared / "stores" / store)
    read = 0
    for unit in source.units():
        path = next((shared / "stores" / store).rglob(Path(unit.key).name))
        for session in source.read(unit).sessions:
            check(session)
            page = transcript_markdown(transcript_of(session))
            missing = typed_in(path) - set(re.sub(r"\*|\\", "", page).split()) - set(page.split())
            assert missing == set(), unit.location
            read += 1
    assert read >= 6
