"""The command `stats`: messages per period, project and agent, as bars of text, as SVG or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from recall_rank.frontends.activity.activity import MAX_PERIODS, PERIODS, Activity, Share, activity, busiest
from recall_rank.frontends.cli.options.cache_options import CacheOptions
from recall_rank.frontends.cli.options.display_options import display_options
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.named_sources import every_store
from recall_rank.frontends.cli.options.output_file import OutputFile, output_options
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.output.console import (
    Line,
    fail_without_history,
    print_json,
)
from recall_rank.frontends.cli.output.display import given_display
from recall_rank.frontends.cli.output.hit_layout import cut, width
from recall_rank.frontends.cli.output.render import show
from recall_rank.frontends.cli.output.tables import bar_columns
from recall_rank.frontends.display_text import counted, one_line, utc_minute

if TYPE_CHECKING:
    from recall_rank.model import VectorCount

_MAX_NAMES: Final = 15  # of projects, and of agents
_NAME_COLUMNS: Final = 30  # of the longest name
_NARROW: Final = 60  # columns; a narrower terminal gets bars without numbers of sessions
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


@click.command(name="stats", short_help="Count messages by period, project and agent.")
@click.option("--by", "unit", type=click.Choice(PERIODS), help="How long a period is. Default: what fits the history.")
@output_options("--svg", metavar="FILE", help="Draw it into this file too; - is stdout.")
@redact_option
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print all counts as one line of JSON.")
@display_options
def stats(unit: str | None, svg: OutputFile | None, *, redact: bool, histories: tuple[str, ...], as_json: bool) -> None:
    """Show how much was said when, in which projects and with which agents. Days are those of UTC."""
    if svg is not None:
        svg.format(("svg",))
        svg.check(every_store(histories))
    with open_recall(histories, as_json=as_json) as recall:
        fail_without_history(read_with_progress(recall), as_json=as_json)
        # as the index has them: what a fork copied from another session is counted once
        found = activity(recall.indexed({session.id for session in recall.sessions()}))
        vectors = recall.vectors() if CacheOptions.given().embedder is not None else None
    if redact:
        from recall_rank.frontends.redaction.redact import redacted

        found = found.renamed(redacted)
    if svg is not None:
        from recall_rank.frontends.activity.activity_svg import activity_svg

        with svg.open(every_store(histories)) as file:
            file.write(activity_svg(found, unit).encode("utf-8", "replace"))
    if as_json:
        print_json(_to_dict(found, unit, vectors))
    else:
        display = given_display(sys.stdout)
        lines = _lines(found, unit, display.columns)
        show(lines if vectors is None else [*lines, *_vector_lines(vectors)], display)


def _lines(found: Activity, unit: str | None, columns: int | None = None) -> Iterator[Line]:
    """Yield the totals, then a bar for each period, project and agent, as lines of at most `columns` columns."""
    messages = counted(found.messages, "message", "messages")
    yield [(f"{messages} in {counted(found.sessions, 'session', 'sessions')}", "bold"), (_span(found), "")]
    unit, periods = found.named_periods(unit)
    shown = periods[-MAX_PERIODS:]
    if shown:
        yield []
        yield [(f"messages a {unit}", "bold"), (_earlier(len(periods) - len(shown), unit), "dim")]
        yield from _bars(shown, columns)
    for heading, shares in (("project", found.projects()), ("agent", found.agents())):
        if shares:
            yield []
            more = f", the first {_MAX_NAMES} of {len(shares)}" if len(shares) > _MAX_NAMES else ""
            yield [(f"messages by {heading}", "bold"), (more, "dim")]
            yield from _bars(shares[:_MAX_NAMES], columns)


def _vector_lines(count: VectorCount) -> Iterator[Line]:
    yield []
    passages = counted(count.passages, "passage", "passages")
    heading = f"{count.with_vector:,} of {passages} {'has' if count.passages == 1 else 'have'} a vector"
    yield [(heading, "bold"), (f" · {one_line(count.model)}", "")]


def _span(found: Activity) -> str:
    """Return the first and the last day of the history as text, and the number of messages without a time."""
    dated = f" · {utc_minute(found.first)[:10]} to {utc_minute(found.last)[:10]} UTC" if found.first else ""
    return dated + (f" · {found.undated:,} without a time" if found.undated else "")


def _earlier(count: int, unit: str) -> str:
    return f", without {count:,} earlier {unit}{'' if count == 1 else 's'}" if count else ""


def _bars(shares: Sequence[Share], columns: int | None) -> Iterator[Line]:
    """Yield a line for each share, that is, each period, project or agent: name, messages, bar, sessions."""
    most = _NAME_COLUMNS if columns is None else min(_NAME_COLUMNS, columns // 3)
    names = [cut(one_line(share.name), most) for share in shares]
    told = ["" if columns is not None and columns < _NARROW else _sessions_of(share) for share in shares]
    wide, full = max(map(width, names)), busiest(shares)
    numbers = max(len(f"{share.messages:,}") for share in shares)
    longest = bar_columns(columns, 2 + wide + 2 + numbers + 2 + max(map(len, told)))
    for name, share, sessions in zip(names, shares, told, strict=True):
        eighths = round(share.messages / full * longest * 8)
        bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
        blanks = " " * (wide - width(name))
        line: Line = [(f"  {name}{blanks}  ", ""), (f"{share.messages:>{numbers},}", "cyan")]
        if share.sessions:
            line += [(f"  {bar:<{longest if sessions else 0}}", "green"), (sessions, "dim")]
        yield line


def _sessions_of(share: Share) -> str:
    return f"  {share.sessions:,} session{'' if share.sessions == 1 else 's'}" if share.sessions else ""


def _to_dict(found: Activity, unit: str | None, vectors: VectorCount | None) -> dict[str, Any]:
    from recall_rank.model.serialize import vectors_to_dict

    unit, periods = found.periods(unit)
    return {
        "ok": True,
        "sessions": found.sessions,
        "messages": found.messages,
        "parts": found.parts,
        "undated": found.undated,
        "first": found.first,
        "last": found.last,
        "unit": unit,
        "activity": [_share("start", share) for share in periods],
        "projects": [_share("project", share) for share in found.projects()],
        "agents": [_share("agent", share) for share in found.agents()],
        **({} if vectors is None else {"vectors": vectors_to_dict(vectors)}),
    }


def _share(name: str, share: Share) -> dict[str, Any]:
    from recall_rank.model.serialize import repaired

    return {name: repaired(share.name), "sessions": share.sessions, "messages": share.messages}
