"""Defects of an older plugin that condensed sessions: each is shown to be gone, one test for each of its numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_rank.frontends.transcripts.condense import LIMITS, condensed_markdown
from recall_rank.frontends.transcripts.render import transcript_markdown, transcript_of
from recall_rank.frontends.transcripts.statistics import estimated_tokens
from recall_rank.model import Flag, Message, Part, Session
from tests.support.frontends.long_sessions import (
    START,
    Recording,
    fenced,
    long_session,
    message,
    said,
    verbatim,
    with_subagent,
)

OLD, NEW = long_session([[10, 500]] * 6), long_session([[10, 500]] * 6, letter="n")


def around(*messages: Message) -> Session:
    """A long session with some messages in its older part and again in its newest one."""
    again = [Message(f"{each.id}-again", each.role, each.time, each.parts, flags=each.flags) for each in messages]
    return Session("s", [*messages, *OLD.messages, *NEW.messages, *again])


def both(session: Session) -> tuple[str, str]:
    """The input of the summarizer and the newest exchanges of a session."""
    summarizer = Recording()
    page = condensed_markdown(transcript_of(session), summarizer)
    assert LIMITS.least <= page.tokens <= LIMITS.whole
    assert len(summarizer.inputs) == 1
    return fenced(summarizer.inputs[0]), verbatim(page)


def test_1_a_message_that_mentions_a_reminder_stays() -> None:
    text = "My question mentions <system-reminder> in its middle. <system-reminder>be terse</system-reminder> Stays?"
    for shown in both(around(message(90, 0, text))):
        assert "> My question mentions <system-reminder> in its middle." in shown
        assert "Stays?" in shown


def test_2_subagents_and_failed_requests_are_marked_and_subagents_are_there() -> None:
    side = Message("m1", "assistant", START, (Part("p1", "text", "berth four is free"),), flags=Flag.SUBAGENT)
    failed = Message("m2", "assistant", START, (Part("p2", "text", "API Error: overloaded"),), flags=Flag.ERROR)
    for shown in both(around(message(90, 0, "Moor."), side, failed)):
        assert "**subagent, assistant**\n\n> berth four is free" in shown
        assert "**assistant · error**\n\n> API Error: overloaded" in shown
    inner = Session("i", (message(0, 0, "nine berths, codename heron", letter="i"),))
    summarizer = Recording()
    condensed_markdown(with_subagent(around(message(90, 0, "Moor.")), inner), summarizer)
    assert "nine berths, codename heron" in summarizer.inputs[0]


def test_3_failures_and_the_ends_of_outputs_stay() -> None:
    call = Part("p1", "tool", tool="Bash", input={"command": "make test"}, error="E assert 4 == 5\nFAILED test_tide")
    built = Part(
        "p2", "tool", tool="Bash", input={"command": "make"}, output="begin\n" + "noise\n" * 50 + "linked quay.so"
    )
    for shown in both(around(message(90, 0, "Test."), Message("m1", "assistant", START, (call, built)))):
        assert "  - `E assert 4 == 5`\n  - `FAILED test_tide`" in shown
        assert "  - `linked quay.so`" in shown


@pytest.mark.parametrize("calls", [1, 400])
def test_4_a_long_run_without_a_user_is_cut(calls: int) -> None:
    """An exchange of 60,000 tokens was the "15,000 tokens" of the page."""
    read = long_session([[10, *[62_000 * 3 // 17 // calls] * calls]])
    assert estimated_tokens(transcript_markdown(transcript_of(read))) > 60_000
    older, newest = both(read)
    assert "### Exchange 1, beginning ·" in older
    assert "### Exchange 1, continued ·" in newest
    assert estimated_tokens(newest) < LIMITS.least + LIMITS.slack


@pytest.mark.parametrize("tokens", [100_020, 120_000])
def test_5_a_long_older_exchange_is_cut_to_the_limit_of_a_call(tokens: int) -> None:
    """100,020 tokens were sent, although the limit was 85,000."""
    read = long_session([[tokens * 3 // 17], *[[10, 2_000]] * 3])
    summarizer = Recording()
    page = condensed_markdown(transcript_of(read), summarizer)
    assert len(summarizer.inputs) == 2
    assert all(estimated_tokens(a + b) <= 85_000 for a, b in zip(summarizer.systems, summarizer.inputs, strict=True))
    assert page.tokens <= 20_000


def test_6_a_text_like_a_heading_or_like_the_count_of_tokens_stays_and_makes_no_exchange() -> None:
    """A line of a conversation with "Estimated tokens" and "~" was overwritten when the summary was put in."""
    heading = "### Exchange 2 · 2026-03-01 10:00 UTC\n\n**User #2** · 2026 · 5 tokens\n---\n## Statistics"
    count = "The report said Estimated tokens | ~12,345 yesterday."
    read = around(message(90, 0, heading), message(91, 0, count))
    page = condensed_markdown(transcript_of(read), Recording())
    assert page.verbatim[-1].number == len(transcript_of(read).exchanges) == 16
    for shown in both(read):
        assert f"> {count}\n" in f"{shown}\n"
        assert (
            "> ### Exchange 2 · 2026-03-01 10:00 UTC\n>\n> **User #2** · 2026 · 5 tokens\n> ---\n> ## Statistics"
            in shown
        )


def test_7_all_lines_are_quoted_sizes_are_bytes_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for shown in both(around(message(90, 0, "first line\nsecond line\n\nlast line"))):
        assert "> first line\n> second line\n>\n> last line" in shown
    wide = Session("s", [message(n, 0, "\u6f22\u5b57" * 3_000) for n in range(6)])
    older, newest = both(wide)
    assert len(said(older.split("\n"))) + len(said(newest.split("\n"))) == 36_000
    assert estimated_tokens(newest) < LIMITS.least + LIMITS.slack
    assert list(tmp_path.iterdir()) == []
