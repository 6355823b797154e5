"""The templates of the pages: all that they show is escaped as HTML, its unseen characters are made visible."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from recall_rank.frontends.display_text import age, confidence_text, no_hits_text, one_line, utc_minute
from recall_rank.frontends.transcripts.markdown import escape_text
from recall_rank.model.agent_names import named_id

FOLDER: Final = Path(__file__).resolve().parent
_STYLE: Final = FOLDER / "static" / "style.css"


@cache
def templates() -> Environment:
    """Return the templates. Every value in them is escaped twice: characters that could hide or reorder text become
    visible escapes such as \\u202e, and what HTML could read as markup becomes text.
    """
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.filters |= {"line": _line, "minute": utc_minute, "count": _counted}
    environment.globals |= {"age": age, "confidence": confidence_text, "no_hits": no_hits_text, "named_id": named_id}
    return environment


def style() -> str:
    """Return the style sheet of all pages."""
    return _STYLE.read_text(encoding="utf-8")


def _visible(value: Any) -> Any:
    """Return a value for a page; in a text that is no markup of this package unseen characters are escaped."""
    return escape_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _line(text: str | None) -> str:
    """Return a text on one line, escaped as on a terminal; "" for None."""
    return one_line(text or "")


def _counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun, such as "1 session" and "1,200 sessions"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
