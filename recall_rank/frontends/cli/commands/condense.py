"""The command `condense`: a long session within 20,000 tokens, or the exchanges of it that answer a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from recall_rank.frontends.cli.options.completions import complete_sessions
from recall_rank.frontends.cli.options.histories import history_option
from recall_rank.frontends.cli.options.named_sources import every_store
from recall_rank.frontends.cli.options.one_session import read_session
from recall_rank.frontends.cli.options.output_file import OutputFile, output_options
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.options.targets import target_of
from recall_rank.frontends.cli.output.console import HITS, NO_HITS, NOT_CURATED, USAGE, fail
from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    from recall_rank.frontends.curators.summarizer import Summarizer
    from recall_rank.frontends.transcripts.render import SessionTranscript


@click.command(name="condense", short_help="Write a session short enough to go on with it.")
@click.argument("session", metavar="{NUMBER | SESSION}", shell_complete=complete_sessions)
@click.option(
    "--summarizer",
    metavar="SUMMARIZER",
    help="command:PROGRAM ARGUMENTS, llm, llm:MODEL, claude or claude:MODEL. Default: RECALL_RANK_SUMMARIZER, claude.",
)
@click.option("--query", metavar="TEXT", help="Write the exchanges that answer this, without a summary.")
@click.option(
    "--max-tokens",
    type=click.IntRange(800),
    metavar="N",
    help="Write exchanges of at most N tokens; 8000 with --query.",
)
@redact_option
@output_options("--out", "-o", default="-", help="The file. Default: -, stdout.")
@history_option
@click.pass_context
def condense(
    ctx: click.Context,
    session: str,
    *,
    summarizer: str | None,
    query: str | None,
    max_tokens: int | None,
    redact: bool,
    out: OutputFile,
    histories: tuple[str, ...],
) -> None:
    """Write a session within 20,000 tokens: the newest exchanges word for word, a summary of those before them.

    It is named as for `transcript`. A shorter session is written as `transcript` does. A summarizer,
    which is a model, gets the older exchanges without keys and passwords. With --query or --max-tokens, exchanges are
    chosen, and nothing is summarised.
    """
    packs = query is not None or max_tokens is not None
    if packs and summarizer is not None:
        raise click.UsageError("--summarizer goes with neither --query nor --max-tokens: these summarise nothing")
    if query is not None and not query.strip():
        raise click.UsageError("--query is empty")
    asked, missing = (None, "") if packs else _summarizer(summarizer)
    out.format(("markdown",))
    histories = target_of(session, None, histories).histories
    with out.open(every_store(histories)) as file:
        read = read_session(session, histories, redact=redact)
        page = _packed(read, query, max_tokens) if packs else _condensed(read, asked, missing)
        file.write(page.text.encode("utf-8", "replace"))
    if page.problem:
        fail(page.problem, NOT_CURATED, as_json=False)
    ctx.exit(HITS)


@dataclass(frozen=True, slots=True)
class _Page:
    """A page, and why it has no summary, "" if nothing is missing."""

    text: str
    problem: str = ""


def _summarizer(name: str | None) -> tuple[Summarizer | None, str]:
    """Return the summarizer, or None and the reason why there is none; ends the command if one is named that cannot be
    had.
    """
    from recall_rank.frontends.curators.curator import NoCuratorError
    from recall_rank.frontends.curators.summarizer import summarizer_named

    try:
        return summarizer_named(name), ""
    except NoCuratorError as error:
        if name is not None:
            fail(str(error), USAGE, as_json=False)
        return None, error_text(error)


def _condensed(read: SessionTranscript, summarizer: Summarizer | None, missing: str) -> _Page:
    from recall_rank.frontends.transcripts.condense import condensed_markdown
    from recall_rank.frontends.transcripts.homes import own_homes

    done = condensed_markdown(read, summarizer, own_homes(), problem=missing)
    return _Page(
        done.text, f"the page is written, but not all of it is summarised: {done.problem}" if done.problem else ""
    )


def _packed(read: SessionTranscript, query: str | None, max_tokens: int | None) -> _Page:
    """Return the page of exchanges; ends the command where no exchange answers the query."""
    from recall_rank.frontends.transcripts.homes import own_homes
    from recall_rank.frontends.transcripts.pack import PACK_TOKENS, pack

    done = pack(read, query=query, max_tokens=PACK_TOKENS if max_tokens is None else max_tokens, homes=own_homes())
    if query is not None and not done.matched:
        fail(f"none of {done.total:,} exchanges answers {query!r}", NO_HITS, as_json=False)
    return _Page(done.text)
