"""The command `stats`: messages per period, project and agent, as bars of text, as SVG or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Final

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.output.activity import MAX_PERIODS, PERIODS, Activity, Share, activity, busiest
from recall_rank.frontends.cli.output.console import (
    Line,
    fail_without_history,
    print_json,
    print_lines,
)
from recall_rank.frontends.display_text import one_line, utc_minute

if TYPE_CHECKING:
    from recall_rank.model import Session, VectorCount
    from recall_rank.recall import Recall

_BAR_COLUMNS: Final = 40  # of the longest bar
_MAX_NAMES: Final = 15  # of projects, and of agents
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


@click.command(name="stats", short_help="Count messages by period, project and agent.")
@click.option("--by", "unit", type=click.Choice(PERIODS), help="How long a period is. Default: what fits the history.")
@click.option("--svg", type=click.File("wb", lazy=True), metavar="FILE", help="Draw it into this file too.")
@history_option
@click.option("--json", "as_json", is_flag=True, help="Print all counts as one line of JSON.")
def stats(unit: str | None, svg: IO[bytes] | None, histories: tuple[str, ...], as_json: bool) -> None:
    """Show how much was said when, in which projects and with which agents. Days are those of UTC."""
    with open_recall(histories, as_json=as_json) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=as_json)
        found = activity(_sessions(recall))
        vectors = recall.vectors() if CacheOptions.given().embedder is not None else None
    if svg is not None:
        from recall_rank.frontends.cli.output.activity_svg import activity_svg

        svg.write(activity_svg(found, unit).encode("utf-8", "replace"))
        svg.flush()
    if as_json:
        print_json(_to_dict(found, unit, vectors))
    else:
        print_lines([*_lines(found, unit), *([] if vectors is None else _vector_lines(vectors))])


def _sessions(recall: Recall) -> Iterator[Session]:
    """Yield every session with its messages; without them when the session can no longer be read."""
    for session in recall.sessions():
        try:
            yield recall.transcript(session.id)
        except (LookupError, OSError):
            yield session


def _lines(found: Activity, unit: str | None) -> Iterator[Line]:
    """Yield the totals, then a bar for each period, project and agent, as lines."""
    yield [(f"{found.messages:,} messages in {found.sessions:,} sessions", "bold"), (_span(found), "")]
    unit, periods = found.named_periods(unit)
    shown = periods[-MAX_PERIODS:]
    if shown:
        yield []
        yield [(f"messages a {unit}", "bold"), (_earlier(len(periods) - len(shown), unit), "dim")]
        yield from _bars(shown)
    for heading, shares in (("project", found.projects()), ("agent", found.agents())):
        if shares:
            yield []
            more = f", the first {_MAX_NAMES} of {len(shares)}" if len(shares) > _MAX_NAMES else ""
            yield [(f"messages by {heading}", "bold"), (more, "dim")]
            yield from _bars(shares[:_MAX_NAMES])


def _vector_lines(count: VectorCount) -> Iterator[Line]:
    yield []
    heading = f"{count.with_vector:,} of {count.passages:,} passages have a vector"
    yield [(heading, "bold"), (f" · {one_line(count.model)}", "")]


def _span(found: Activity) -> str:
    """Return the first and the last day of the history as text, and the number of messages without a time."""
    dated = f" · {utc_minute(found.first)[:10]} to {utc_minute(found.last)[:10]}" if found.first else ""
    return dated + (f" · {found.undated:,} without a time" if found.undated else "")


def _earlier(count: int, unit: str) -> str:
    return f", without {count:,} earlier {unit}{'' if count == 1 else 's'}" if count else ""


def _bars(shares: Sequence[Share]) -> Iterator[Line]:
    """Yield a line for each share, that is, each period, project or agent: name, messages, bar, sessions."""
    names = [one_line(share.name) for share in shares]
    names = [name if len(name) <= 30 else f"{name[:29]}…" for name in names]
    wide, full = max(map(len, names)), busiest(shares)
    numbers = max(len(f"{share.messages:,}") for share in shares)
    for name, share in zip(names, shares, strict=True):
        eighths = round(share.messages / full * _BAR_COLUMNS * 8)
        bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
        line: Line = [(f"  {name:<{wide}}  ", ""), (f"{share.messages:>{numbers},}", "cyan")]
        if share.sessions:
            sessions = f"  {share.sessions:,} session{'' if share.sessions == 1 else 's'}"
            line += [(f"  {bar:<{_BAR_COLUMNS}}", "green"), (sessions, "dim")]
        yield line


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
