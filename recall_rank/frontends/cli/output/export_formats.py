"""The formats of `export`: a session as Markdown, as HTML that loads nothing, or as lines of history JSONL."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any, Final

from recall_rank.frontends.display_text import safe_json, utc_minute
from recall_rank.frontends.transcripts.labels import Minute, part_heading, part_texts, title_of, where_of, who_of
from recall_rank.frontends.transcripts.markdown import escape_text
from recall_rank.frontends.transcripts.render import markdown_lines
from recall_rank.model import Flag, Message, Part, Session, Tokens
from recall_rank.model.serialize import repaired
from recall_rank.model.serialize_transcript import part_to_dict, plain_value

_STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.4rem;margin-bottom:.2rem}.where,.who{color:#666;font-size:.9rem}
article{border-top:1px solid #ddd;padding:.6rem 0}.user{background:#f4f7fb;padding:.6rem 1rem;margin:0 -1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0;font:.85rem/1.45 ui-monospace,monospace}
.text{font:inherit}.tool{border-left:3px solid #ccc;padding-left:.8rem}.error{color:#a40000}.reasoning{color:#777}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}.user{background:#20262e}article{border-color:#333}
.error{color:#ff8080}.tool{border-color:#444}}
"""
_SESSION_FIELDS: Final = (
    *("id", "title", "directory", "project", "worktree", "repository", "created", "updated", "parent", "forked_from"),
    *("continues", "source", "cost"),
)
_PART_FIELDS: Final = ("id", "type", "text", "tool", "input", "output", "error", "title", "prompt", "status")
_PART_FLAGS: Final = (("pruned", Flag.PRUNED), ("synthetic", Flag.SYNTHETIC))
_TIMES: Final = ("created", "updated", "time")  # 0 is an unknown time


def export_lines(session: Session, form: str, minute: Minute = utc_minute) -> Iterator[bytes]:
    """Yield the lines of a session in a format, "markdown", "html" or "jsonl", as bytes without line ends. Markdown has
    the times that `minute` gives.
    """
    if form == "jsonl":
        from recall_rank.model.serialize import json_line

        yield from (safe_json(json_line(entry)) for entry in history_lines(session))
        return
    lines = html_lines(session) if form == "html" else markdown_lines(session, minute)
    yield from (line.encode("utf-8", "replace") for line in lines)


def html_lines(session: Session) -> Iterator[str]:
    """Yield a session as an HTML document with all texts escaped.

    Its Content-Security-Policy allows nothing to be loaded or run.
    """
    title = html.escape(title_of(session))
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{title}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{title}</h1>"
    yield f'<p class="where">{html.escape(" · ".join(where_of(session)))}</p>'
    for message in session.messages:
        yield f'<article class="{"user" if message.role == "user" else "other"}">'
        yield f'<p class="who">{html.escape(who_of(message))}</p>'
        for part in message.parts:
            yield from _html_part(part)
        yield "</article>"
    yield "</body></html>"


def _html_part(part: Part) -> Iterator[str]:
    entry = part_to_dict(part)
    heading = part_heading(entry)
    yield f'<div class="{"tool" if "tool_name" in entry else "reasoning" if heading else "said"}">'
    if heading:
        yield f"<strong>{html.escape(heading)}</strong>"
    for name, text, kind in part_texts(entry):
        label = "" if name == "content" else f'<span class="who">{html.escape(name)}</span>'
        yield f'{label}<pre class="{kind}">{html.escape(escape_text(text).rstrip(chr(10)))}</pre>'
    yield "</div>"


def history_lines(session: Session) -> Iterator[dict[str, Any]]:
    """Yield a session as records of history JSONL: one for the session, then one for each message.

    Reading the records gives an equal session. Unknown values are left out.
    """
    about = {**_values(session, _SESSION_FIELDS), "agent_app": session.agent, "tokens": _token_counts(session.tokens)}
    yield {"t": "session", **_known(about)}
    for message in session.messages:
        yield _message_record(session.id, message)


def _message_record(session_id: str, message: Message) -> dict[str, Any]:
    about = {**_values(message, ("time", "author", "agent", "model", "cost")), "tokens": _token_counts(message.tokens)}
    return {
        "t": "message",
        "id": repaired(message.id),
        "session": repaired(session_id),
        "role": message.role,
        **_known(about),
        "parts": [_part_record(part, message.flags) for part in message.parts],
    }


def _part_record(part: Part, of_message: Flag) -> dict[str, Any]:
    flags = part.flags | of_message
    return _known({**_values(part, _PART_FIELDS), **{name: True for name, flag in _PART_FLAGS if flags & flag}})


def _token_counts(tokens: Tokens | None) -> dict[str, Any] | None:
    return None if tokens is None else _known(_values(tokens, ("input", "output", "cached", "reasoning")))


def _values(record: Session | Message | Part | Tokens, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: plain_value(getattr(record, name)) for name in names}


def _known(entry: dict[str, Any]) -> dict[str, Any]:
    """Return `entry` without its unknown values: None, and 0 for a time."""
    return {name: value for name, value in entry.items() if value is not None and (value or name not in _TIMES)}
