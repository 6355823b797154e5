"""The command `compress`: a conversation in three zones, from chat messages as JSON to chat messages as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, Final

import click

from recall_rank.frontends.cli.output.console import HITS, USAGE, Line, fail, print_json, print_lines
from recall_rank.frontends.display_text import escape, safe_json

if TYPE_CHECKING:
    from recall_rank.frontends.compression.compress import Compressed
    from recall_rank.frontends.compression.usage import Prices, Usage
    from recall_rank.frontends.curators.summarizer import Summarizer

_BOM: Final = b"\xef\xbb\xbf"


@click.command(name="compress", short_help="Compress the middle of a conversation with a model.")
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--window", type=click.IntRange(1), required=True, metavar="N", help="Tokens that the model takes.")
@click.option("--focus", metavar="TEXT", help="What the summary is to be about. Compresses in any case.")
@click.option("--force", is_flag=True, help="Compress also below 85 % of the window.")
@click.option(
    "--summarizer",
    metavar="NAME",
    help="Who writes the summary: command:PROGRAM ARGUMENTS, llm, llm:MODEL, claude. Default: no model.",
)
@click.option("--prices", metavar="IN[,OUT]", help="Dollars for a million tokens, to show dollars beside tokens.")
@click.option("--json", "as_json", is_flag=True, help="Print messages, zones and figures as one line of JSON.")
@click.pass_context
def compress(
    ctx: click.Context,
    file: IO[bytes],
    *,
    window: int,
    focus: str | None,
    force: bool,
    summarizer: str | None,
    prices: str | None,
    as_json: bool,
) -> None:
    """Compress a conversation: keep its beginning and its last rounds, and replace what lies between by a summary.

    FILE has the chat messages as a JSON array or as JSON lines; - is stdin. They are written to stdout in that form,
    unchanged below 85 % of the window. Figures go to stderr. Nothing is sent to a model unless you name a summarizer.
    """
    from recall_rank.frontends.compression.compress import compress as compressed

    costs = _prices(prices)
    writer = _summarizer(summarizer, as_json=as_json) if summarizer else None
    try:
        messages, in_lines = _messages(file.read())
        made = compressed(messages, window, force=force, focus=focus, summarizer=writer, prices=costs)
    except (ValueError, TypeError) as error:
        fail(str(error), USAGE, as_json=as_json)
    if as_json:
        print_json(_answer(made))
    else:
        from recall_rank.model.serialize import json_line

        print_lines(_status_lines(made), sys.stderr, colour=False)
        for value in made.messages if in_lines else (made.messages,):
            click.echo(safe_json(json_line(value)))
    ctx.exit(HITS)


def _messages(document: bytes) -> tuple[list[Any], bool]:
    """Return the messages in a document, and whether it consists of JSON lines. Raises ValueError for other text."""
    import orjson

    text = document.removeprefix(_BOM).strip()
    if text.startswith(b"["):
        try:
            return list(orjson.loads(text)), False
        except orjson.JSONDecodeError as error:
            raise ValueError(f"the messages are not JSON: {error}") from error
    found: list[Any] = []
    for number, line in enumerate(text.split(b"\n"), 1):
        if line.strip():
            try:
                found.append(orjson.loads(line))
            except orjson.JSONDecodeError as error:
                raise ValueError(f"line {number} is not JSON, and the messages are no JSON array: {error}") from error
    if not found:
        raise ValueError("there are no messages: a JSON array of them is needed, or one on each line")
    return found, True


def _prices(given: str | None) -> Prices | None:
    """Return the prices of the option; ends the command for what is none."""
    from recall_rank.frontends.compression.usage import Prices

    if given is None:
        return None
    try:
        return Prices(*(float(each) for each in given.split(",")))
    except (ValueError, TypeError) as error:  # no numbers, or more than two
        message = f"dollars for a million tokens, as in 3 or 3,15, not {given!r}"
        raise click.BadParameter(message, param_hint="'--prices'") from error


def _summarizer(name: str, *, as_json: bool) -> Summarizer:
    from recall_rank.frontends.curators.curator import NoCuratorError
    from recall_rank.frontends.curators.summarizer import summarizer_named

    try:
        return summarizer_named(name)
    except NoCuratorError as error:
        fail(str(error), USAGE, as_json=as_json)


def _status_lines(made: Compressed) -> Iterator[Line]:
    """Yield what was done and how much of the window is filled, for people."""
    yield [(made.before.line, "")]
    if not made.changed:
        yield [(f"unchanged: {made.reason}", "")]
        yield from _note_lines(made)
        return
    zones = f"HEAD {len(made.head):,}, MIDDLE {len(made.middle):,}, TAIL {len(made.tail):,} messages"
    author = f", summary by {escape(made.author)}" if made.author else ""
    yield [(f"compressed: {zones}{author}", "")]
    use = made.model_use
    if use is not None:
        cost = "" if use.dollars is None else f" (${use.dollars:.4f})"
        yield [(f"the summarizer: about {use.sent:,} tokens sent, {use.received:,} received{cost}", "")]
    yield [(made.after.line, "")]
    yield from _note_lines(made)


def _note_lines(made: Compressed) -> Iterator[Line]:
    yield from ([("note: ", "yellow"), (escape(note), "")] for note in made.notes)


def _answer(made: Compressed) -> dict[str, Any]:
    use = made.model_use
    return {
        "ok": True,
        "changed": made.changed,
        "reason": made.reason,
        "messages": list(made.messages),
        "zones": {"head": len(made.head), "middle": len(made.middle), "tail": len(made.tail)},
        "before": _figures(made.before),
        "after": _figures(made.after),
        "summary": made.summary,
        "author": made.author,
        "left_out": made.left_out,
        "model_use": use and {"sent": use.sent, "received": use.received, "dollars": use.dollars},
        "notes": list(made.notes),
    }


def _figures(found: Usage) -> dict[str, Any]:
    return {
        "tokens": found.tokens,
        "window": found.window,
        "share": found.share,
        "state": found.state,
        "dollars": found.dollars,
    }
