"""A session as a page for people: Markdown, or HTML that stands alone and loads nothing."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from recall_rank.frontends.cli.output.ages import stamp
from recall_rank.frontends.cli.output.terminal import UNSAFE, escape
from recall_rank.model import Message, Part, Session
from recall_rank.model.serialize_transcript import part_to_dict

_JOINERS: Final = "\n\t\u200c\u200d"  # ends of lines; and what joins letters and pictures, which changes nothing else
_RUN: Final = re.compile(r"`{3,}")
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#|])")
_STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.4rem;margin-bottom:.2rem}.where,.who{color:#666;font-size:.9rem}
article{border-top:1px solid #ddd;padding:.6rem 0}.user{background:#f4f7fb;padding:.6rem 1rem;margin:0 -1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0;font:.85rem/1.45 ui-monospace,monospace}
.text{font:inherit}.tool{border-left:3px solid #ccc;padding-left:.8rem}.error{color:#a40000}.reasoning{color:#777}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}.user{background:#20262e}article{border-color:#333}
.error{color:#ff8080}.tool{border-color:#444}}
"""


def markdown_lines(session: Session) -> Iterator[str]:
    """The page in Markdown. What was said is quoted and what tools did is fenced, so that nothing looks like a turn."""
    yield f"# {_escaped_markup(_title(session))}"
    yield ""
    yield _escaped_markup(" · ".join(_where(session)))
    for message in session.messages:
        yield ""
        yield f"## {_escaped_markup(_who(message))}"
        for part in message.parts:
            yield from _markdown_part(part)


def html_lines(session: Session) -> Iterator[str]:
    """The page in HTML, without scripts; its own policy forbids it to load or run anything."""
    title = html.escape(_title(session))
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{title}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{title}</h1>"
    yield f'<p class="where">{html.escape(" · ".join(_where(session)))}</p>'
    for message in session.messages:
        yield f'<article class="{"user" if message.role == "user" else "other"}">'
        yield f'<p class="who">{html.escape(_who(message))}</p>'
        for part in message.parts:
            yield from _html_part(part)
        yield "</article>"
    yield "</body></html>"


def harmless(text: str) -> str:
    """The text with what a terminal or a reader could be misled by written out; lines and tabs stay."""
    return UNSAFE.sub(lambda found: found[0] if found[0] in _JOINERS else escape(found[0]), text.replace("\r\n", "\n"))


def _title(session: Session) -> str:
    return _one_line(session.title or "") or "Untitled session"


def _where(session: Session) -> list[str]:
    known = (session.directory, stamp(session.created), session.agent, session.id)
    return [_one_line(piece) for piece in known if piece]


def _who(message: Message) -> str:
    pieces = (message.role, message.author, message.model, stamp(message.time))
    return " · ".join(_one_line(piece) for piece in pieces if piece)


def _one_line(text: str) -> str:
    return " ".join(harmless(text).split())


def _escaped_markup(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def _blocks(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What a part holds: what it is called, the text, and what kind of text it is."""
    given = entry.get("input")
    for name, value in given.items() if isinstance(given, Mapping) else [("input", given)] if given is not None else []:
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        yield _one_line(str(name)), written, "tool"
    for name, kind in (("content", "text"), ("output", "tool"), ("error", "error")):
        if entry.get(name):
            yield name, entry[name], kind


def _heading(entry: Mapping[str, Any]) -> str:
    if "tool_name" not in entry:
        return "reasoning" if entry["type"] == "reasoning" else ""
    return _one_line(": ".join(filter(None, (entry["tool_name"], entry.get("title")))))


def _markdown_part(part: Part) -> Iterator[str]:
    entry = part_to_dict(part)
    heading = _heading(entry)
    if heading:
        yield ""
        yield f"**{_escaped_markup(heading)}**"
    for name, text, kind in _blocks(entry):
        yield ""
        if kind == "text":
            yield from (f"> {line}".rstrip() for line in harmless(text).rstrip("\n").split("\n"))
            continue
        body = harmless(text).rstrip("\n")
        fence = "`" * max([3, *(len(run) + 1 for run in _RUN.findall(body))])
        yield f"{_escaped_markup(name)}:"
        yield ""
        yield fence
        yield body
        yield fence


def _html_part(part: Part) -> Iterator[str]:
    entry = part_to_dict(part)
    heading = _heading(entry)
    yield f'<div class="{"tool" if "tool_name" in entry else "reasoning" if heading else "said"}">'
    if heading:
        yield f"<strong>{html.escape(heading)}</strong>"
    for name, text, kind in _blocks(entry):
        label = "" if name == "content" else f'<span class="who">{html.escape(name)}</span>'
        yield f'{label}<pre class="{kind}">{html.escape(harmless(text).rstrip(chr(10)))}</pre>'
    yield "</div>"
