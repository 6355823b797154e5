"""Condense a session before its compaction: by a summarizer, or, where none answers, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from recall_rank.frontends.hooks.compaction_notes import compaction_notes
from recall_rank.frontends.transcripts.homes import HomeFolders
from recall_rank.frontends.transcripts.markdown import quoted_lines
from recall_rank.frontends.transcripts.render import SessionTranscript, exchange_lines
from recall_rank.frontends.transcripts.statistics import estimated_tokens

NEWEST_TOKENS: Final = 15_000  # of the exchanges that are kept word for word
FOUND_TOKENS: Final = 3_000  # of the sentences of older exchanges


@dataclass(frozen=True, slots=True)
class CondensedHistory:
    """The condensed history of a session as Markdown, and why it has no summary ("" when it has one)."""

    markdown: str
    problem: str = ""


def condensed_session(transcript: SessionTranscript, homes: Sequence[str], /) -> CondensedHistory:
    """Return the condensed history of a session; `homes` are folders that are written as "~"."""
    problem = "no summarizer is asked"
    return CondensedHistory(without_summary(transcript, homes, problem))


def without_summary(transcript: SessionTranscript, homes: Sequence[str], reason: str) -> str:
    """Return a session as Markdown of about 18,000 tokens at most, without a model: its newest exchanges word for word,
    and the decisions, constraints, root causes and open tasks that stand in older ones.

    Of a newest exchange that is longer than NEWEST_TOKENS, the end is kept. `reason` tells why there is no summary.
    """
    short = HomeFolders(homes).with_home_of(transcript.session)
    kept: list[str] = []
    left, count = NEWEST_TOKENS, 0
    for exchange in reversed(transcript.exchanges):
        body = "\n".join([f"### Exchange {exchange.number}", *exchange_lines(exchange, transcript.session, short)])
        size = estimated_tokens(body)
        if size > left and kept:
            break
        kept.append(body if size <= left else _end_of(body, left))
        left, count = left - size, count + 1
        if left <= 0:
            break
    older = transcript.exchanges[: len(transcript.exchanges) - count]
    found = list(_found(transcript, sum(len(each.messages) for each in older))) if older else []
    head = [f"There is no summary of older exchanges ({len(older):,}): {reason}"] if older else []
    notes = ["## What older exchanges decided or left open", "", *found] if found else []
    pieces = [*head, "\n".join(notes), "## The newest exchanges", *reversed(kept)]
    return "\n\n".join(piece for piece in pieces if piece) + "\n"


def _found(transcript: SessionTranscript, messages: int) -> list[str]:
    """Return the sentences to keep of the first `messages` messages, the weightiest first, as quoted lines."""
    session = replace(transcript.session, messages=transcript.session.messages[:messages])
    lines: list[str] = []
    left = FOUND_TOKENS
    for note in compaction_notes(session):
        quoted = list(quoted_lines(f"{note.kind}: {note.text}"))
        left -= estimated_tokens("\n".join(quoted))
        if left < 0:
            break
        lines += [*quoted, ""]
    return lines[:-1]


def _end_of(text: str, tokens: int) -> str:
    """Return the heading of a text and its end, of about `tokens` tokens, from the beginning of a line on."""
    heading, _, body = text.partition("\n")
    data = body.encode("utf-8", "replace")
    end = data[-3 * tokens :].decode("utf-8", "ignore")
    first, line_end, rest = end.partition("\n")
    quoted = rest if line_end else f"> {first}"
    return f"{heading}, of which the beginning is left out here\n\n{quoted}"
