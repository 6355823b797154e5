"""Condense a session before its compaction, by the summarizer that is set, or without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from recall_rank.frontends.curators.curator import NoCuratorError
from recall_rank.frontends.curators.summarizer import summarizer_named
from recall_rank.frontends.transcripts.condense import condensed_markdown
from recall_rank.frontends.transcripts.render import SessionTranscript
from recall_rank.model.option_errors import error_text

SUMMARY_SECONDS: Final = 120.0  # for all calls of the summarizer; the hook itself has longer


@dataclass(frozen=True, slots=True)
class CondensedHistory:
    """The condensed history of a session as Markdown, and why a summary is missing in it ("" when none is)."""

    markdown: str
    problem: str = ""


def condensed_session(
    transcript: SessionTranscript,
    homes: Sequence[str],
    /,
    *,
    seconds: float = SUMMARY_SECONDS,
    environ: Mapping[str, str] | None = None,
) -> CondensedHistory:
    """Return the condensed history of a session; `homes` are folders that are written as "~".

    The summarizer is the one that the variable RECALL_RANK_SUMMARIZER names, else Claude Code without a terminal. Where
    there is none, or where it fails, sentences and requests of older exchanges stand in for the summary.
    """
    summarizer, problem = None, ""
    try:
        summarizer = summarizer_named(None, environ=environ)
    except NoCuratorError as error:
        problem = error_text(error)
    found = condensed_markdown(transcript, summarizer, homes, seconds=seconds, problem=problem)
    return CondensedHistory(found.text, found.problem)
