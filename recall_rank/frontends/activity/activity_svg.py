"""Draw the activity in a history as bar charts in one SVG document that loads nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from recall_rank.frontends.activity.activity import Activity, Share, busiest
from recall_rank.frontends.display_text import counted, one_line

WIDTH: Final = 760
MAX_NAMES: Final = 12
_CHART: Final = 160
_ROW: Final = 20
_LEFT: Final = 200
_STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:15px;font-weight:600}.number{fill:#777}"
    ".bar{fill:#3b73b9}.base{stroke:#bbb}.page{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.number{fill:#999}.bar{fill:#6ea3e0}.page{fill:#181818}}"
)


def activity_svg(found: Activity, unit: str | None = None) -> str:
    """Return an SVG document with bars of messages per period, per project and per agent."""
    unit, periods = found.named_periods(unit)
    projects, agents = found.projects()[:MAX_NAMES], found.agents()[:MAX_NAMES]
    rows = len(projects) + len(agents)
    height = 60 + _CHART + 40 + 2 * 34 + rows * _ROW + 10
    heading = f"{_messages(found.messages)} in {_sessions(found.sessions)}"
    body = [
        *_over_time(periods, unit, 60),
        *_by_name("by project", projects, 60 + _CHART + 40),
        *_by_name("by agent", agents, 60 + _CHART + 40 + 34 + len(projects) * _ROW),
    ]
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{_text(heading)}">',
            f"<style>{_STYLE}</style>",
            f'<rect class="page" width="{WIDTH}" height="{height}"/>',
            f'<text class="title" x="20" y="30">{_text(heading)}</text>',
            *body,
            "</svg>",
            "",
        ]
    )


def _over_time(periods: Sequence[Share], unit: str, top: int) -> Iterator[str]:
    full, room = busiest(periods), WIDTH - 40
    step = room / max(1, len(periods))
    base = top + _CHART
    yield f'<text class="number" x="20" y="{top - 8}">messages a {unit}, at most {full:,}</text>'
    yield f'<line class="base" x1="20" x2="{20 + room}" y1="{base}" y2="{base}"/>'
    for at, share in enumerate(periods):
        tall = share.messages / full * (_CHART - 10)
        x, wide = 20 + at * step, max(1.0, step * 0.8)
        yield (
            f'<rect class="bar" x="{x:.1f}" y="{base - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}">'
            f"<title>{_text(share.name)}: {_messages(share.messages)}, {_sessions(share.sessions)}</title></rect>"
        )
    for place, x, anchor in ((0, 20, "start"), (-1, 20 + room, "end")):
        if periods:
            name = _text(periods[place].name)
            yield f'<text class="number" x="{x}" y="{base + 16}" text-anchor="{anchor}">{name}</text>'


def _by_name(heading: str, shares: Sequence[Share], top: int) -> Iterator[str]:
    full, room = busiest(shares), WIDTH - _LEFT - 120
    yield f'<text class="title" x="20" y="{top + 14}">{heading}</text>'
    for at, share in enumerate(shares):
        y = top + 24 + at * _ROW
        name = one_line(share.name)
        name = name if len(name) <= 28 else f"{name[:27]}…"
        wide = share.messages / full * room
        yield f'<text x="{_LEFT - 8}" y="{y + 13}" text-anchor="end">{_text(name)}</text>'
        yield f'<rect class="bar" x="{_LEFT}" y="{y + 3}" width="{wide:.1f}" height="{_ROW - 7}"/>'
        yield f'<text class="number" x="{_LEFT + wide + 6:.1f}" y="{y + 13}">{share.messages:,}</text>'


def _text(text: str) -> str:
    """Return a text on one line, its unsafe characters escaped as for a terminal, and then as XML."""
    return escape(one_line(text))


def _messages(count: int) -> str:
    return counted(count, "message", "messages")


def _sessions(count: int) -> str:
    return counted(count, "session", "sessions")
