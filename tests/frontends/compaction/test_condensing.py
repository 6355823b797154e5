"""A session is condensed without a model: its newest exchanges, and the sentences that decide something before."""

from __future__ import annotations

from recall_rank.frontends.compaction.condensing import FOUND_TOKENS, NEWEST_TOKENS, condensed_session, without_summary
from recall_rank.frontends.transcripts.render import SessionTranscript, transcript_of
from recall_rank.frontends.transcripts.statistics import estimated_tokens
from recall_rank.model import Message, Part, Session


def transcript(*said: str) -> SessionTranscript:
    """Return the transcript of a session in which a user says these texts, each answered by a word."""
    messages = []
    for at, text in enumerate(said):
        messages.append(Message(f"u{at}", "user", 1_700_000_000_000 + at, (Part(f"p{at}", "text", text),)))
        messages.append(Message(f"a{at}", "assistant", 1_700_000_000_000 + at, (Part(f"q{at}", "text", f"ok {at}."),)))
    return transcript_of(Session("s", tuple(messages), "Ferry"))


def test_a_short_session_is_kept_whole() -> None:
    text = condensed_session(transcript("the tariff is amber", "the lamp is indigo"), ()).markdown
    assert "> the tariff is amber" in text
    assert "> ok 1." in text
    assert "no summary" not in text


def test_the_newest_exchanges_stay_and_older_decisions() -> None:
    long = "Words about nothing. " * 500
    said = [f"{long} We decided to use amber for tariff {number}." for number in range(20)]
    text = without_summary(transcript(*said), (), "there is no model")
    assert estimated_tokens(text) < NEWEST_TOKENS + FOUND_TOKENS + 200
    assert "### Exchange 20" in text
    assert "### Exchange 1\n" not in text
    assert "there is no model" in text
    assert "decision: We decided to use amber for tariff 0." in text
    assert text.count("ok 19.") == 1


def test_of_an_exchange_that_is_too_long_the_end_stays() -> None:
    text = without_summary(transcript("first", "one line\n" * 20_000 + "the last line"), (), "no model")
    assert estimated_tokens(text) < NEWEST_TOKENS + 200
    assert "> the last line" in text
    assert "the beginning is left out" in text
    unbroken = without_summary(transcript("x" * 200_000), (), "no model")
    assert estimated_tokens(unbroken) < NEWEST_TOKENS + 200
