"""Sessions as Markdown: whole, for `export`, or as a transcript, whose tool calls take one line each.

Recalled text stands in block quotes and code only, and names are escaped: no text can pass for a heading of the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from recall_rank.frontends.display_text import utc_minute
from recall_rank.frontends.transcripts.exchanges import Exchange, exchanges_of, of_subagent, started_in
from recall_rank.frontends.transcripts.homes import HomeFolders
from recall_rank.frontends.transcripts.labels import Minute, part_heading, part_texts, title_of, where_of, who_of
from recall_rank.frontends.transcripts.markdown import code_span, escaped_markup, fenced_lines, one_line, quoted_lines
from recall_rank.frontends.transcripts.reminders import said_in, sized
from recall_rank.frontends.transcripts.reopen import reopen
from recall_rank.frontends.transcripts.statistics import (
    FileTouches,
    Statistics,
    estimated_tokens,
    files_of,
    is_call,
    statistics_of,
)
from recall_rank.frontends.transcripts.tool_lines import kept_lines, tool_lines
from recall_rank.model import Flag, Message, Part, Session
from recall_rank.model.serialize_transcript import part_to_dict

FILES: Final = 25  # that are listed; the others are counted
REASONS: Final = 25  # for records that were not read; the others are added up
_HIDDEN: Final = ("reasoning", "step-start", "step-finish", "snapshot")  # reasoning is counted, others record nothing


@dataclass(frozen=True, slots=True)
class SessionTranscript:
    """A session divided into exchanges, with its counts, and the transcripts of the subagents that it called."""

    session: Session
    exchanges: tuple[Exchange, ...]
    statistics: Statistics
    subagents: tuple[SessionTranscript, ...] = ()
    unread: Mapping[str, int] = field(default_factory=dict)  # reason -> records that were not read


def transcript_of(
    session: Session, subagents: Iterable[SessionTranscript] = (), unread: Mapping[str, int] | None = None
) -> SessionTranscript:
    """Return the transcript of a session. `unread` counts the records of its file that no loader could read, by the
    reason.
    """
    exchanges = exchanges_of(session)
    return SessionTranscript(session, exchanges, statistics_of(session, exchanges), tuple(subagents), unread or {})


def transcript_markdown(transcript: SessionTranscript, homes: Sequence[str] = ()) -> str:
    """Return a transcript as Markdown, which ends with a line end. Home folders in paths, commands and outputs, those
    in `homes` and the one in which the session's folder lies, are written as "~"; what was said stays as it is.
    """
    return "\n".join(transcript_lines(transcript, homes)) + "\n"


def transcript_lines(
    transcript: SessionTranscript, homes: Sequence[str] = (), minute: Minute = utc_minute
) -> Iterator[str]:
    """Yield the lines of transcript_markdown(), with times as `minute` gives them."""
    session = transcript.session
    short = HomeFolders(homes).with_home_of(session)
    bodies = [list(exchange_lines(each, session, short)) for each in transcript.exchanges]
    yield from head_lines(transcript, homes, sum(map(_tokens, bodies)), minute)
    yield ""
    yield "## Conversation"
    for exchange, body in zip(transcript.exchanges, bodies, strict=True):
        yield from _exchange(exchange, body, "Exchange", minute)
    for number, subagent in enumerate(transcript.subagents, 1):
        yield from _subagent(subagent, str(number), transcript.exchanges, short, minute)


def head_lines(
    transcript: SessionTranscript, homes: Sequence[str], tokens: int, minute: Minute = utc_minute
) -> Iterator[str]:
    """Yield what stands above the conversation: title, place, the command that reopens the session, statistics with the
    estimated `tokens` of the conversation, files, and records that were not read. `minute` gives times as text.
    """
    session = transcript.session
    short = HomeFolders(homes).with_home_of(session)
    yield f"# {escaped_markup(title_of(session))}"
    yield ""
    yield " · ".join(code_span(short.shortened(piece)) for piece in where_of(session, minute))
    again = reopen(session.source, session.id, session.directory, session.flags, session.places)
    yield ""
    yield f"Resume: {code_span(_with_home(again, homes)) if again else 'no command reopens it on this machine'}"
    yield from _statistics(transcript, tokens, minute)
    yield from _files(files_of(session, short.shortened))
    yield from _unread(transcript.unread)


def exchange_lines(exchange: Exchange, session: Session, homes: HomeFolders) -> Iterator[str]:
    """Yield one exchange as Markdown, without its heading: each message under the name of its author, tool calls as
    items of a list.
    """
    for block in message_blocks(exchange.messages, session, homes):
        yield from block.lines


@dataclass(frozen=True, slots=True)
class MessageBlock:
    """The lines of Markdown of one message. They begin with the name of its author where the message before has
    another one.
    """

    place: int  # of the message among those given, from 0
    author: str  # as a line of Markdown
    lines: tuple[str, ...]


def message_blocks(messages: Sequence[Message], session: Session, homes: HomeFolders) -> Iterator[MessageBlock]:
    """Yield the messages of an exchange as Markdown; of a message without anything to show, nothing."""
    last = ""
    in_list = False
    for place, message in enumerate(messages):
        shown = list(_message(message, homes))
        if not shown:
            continue
        lines: list[str] = []
        author = f"**{escaped_markup(_author(message, session))}**"
        if author != last or message.role == "user":
            lines += ["", author]
            in_list = False
        last = author
        for piece in shown:
            listed = piece[0].startswith("- ")
            if not (listed and in_list):
                lines.append("")
            in_list = listed
            lines += piece
        yield MessageBlock(place, author, tuple(lines))


def markdown_lines(session: Session, minute: Minute = utc_minute) -> Iterator[str]:
    """Yield a whole session as Markdown, nothing cut. Messages are quoted, tool calls fenced and names escaped, so
    that no text can pass for a heading or end the fence that it is in. `minute` gives times as text.
    """
    yield f"# {escaped_markup(title_of(session))}"
    yield ""
    yield escaped_markup(" · ".join(where_of(session, minute)))
    for message in session.messages:
        yield ""
        yield f"## {escaped_markup(who_of(message, minute))}"
        for part in message.parts:
            yield from _whole_part(part)


def _whole_part(part: Part) -> Iterator[str]:
    entry = part_to_dict(part)
    heading = part_heading(entry)
    if heading:
        yield ""
        yield f"**{escaped_markup(heading)}**"
    for name, text, kind in part_texts(entry):
        yield ""
        if kind == "text":
            yield from quoted_lines(text)
            continue
        yield f"{escaped_markup(name)}:"
        yield ""
        yield from fenced_lines(text)


# --- the parts of a transcript -----------------------------------------------------------------------


def _exchange(exchange: Exchange, body: Sequence[str], name: str, minute: Minute) -> Iterator[str]:
    time = minute(exchange.time)
    yield ""
    yield f"### {name} {exchange.number}{f' · {time}' if time else ''} · about {_tokens(body):,} tokens"
    yield from body


def _subagent(
    transcript: SessionTranscript, number: str, callers: Sequence[Exchange], homes: HomeFolders, minute: Minute
) -> Iterator[str]:
    session = transcript.session
    begun = started_in(callers, session.created or next((each.time for each in transcript.exchanges), 0))
    about = [code_span(homes.shortened(piece)) for piece in where_of(session, minute)]
    yield ""
    yield f"## Subagent {number}: {escaped_markup(title_of(session))}"
    yield ""
    yield " · ".join([*about, f"during exchange {begun}"] if begun else about)
    for exchange in transcript.exchanges:
        body = list(exchange_lines(exchange, session, homes))
        yield from _exchange(exchange, body, f"Subagent {number}, exchange", minute)
    for inner, each in enumerate(transcript.subagents, 1):
        yield from _subagent(each, f"{number}.{inner}", transcript.exchanges, homes, minute)


def _message(message: Message, homes: HomeFolders) -> Iterator[list[str]]:
    """Yield what is shown of the parts of a message, as pieces of consecutive lines."""
    for part in message.parts:
        flags = part.flags | message.flags
        if part.type in _HIDDEN:
            continue
        if part.type == "text" and part.text and message.role == "user":
            said = said_in(part, flags)
            if said.typed.strip():
                yield list(quoted_lines(said.typed))
            yield from ([_note(note)] for note in said.notes)
        elif is_call(part):
            yield list(tool_lines(part, homes))
            if part.text:
                yield list(quoted_lines(part.text))
        else:
            yield from _other_part(part, flags, message, homes)
        if part.error and not is_call(part):
            lines = [line for line in part.error.split("\n") if line.strip()]
            yield ["- **error**", *kept_lines(lines, homes, failed=True)]


def _other_part(part: Part, flags: Flag, message: Message, homes: HomeFolders) -> Iterator[list[str]]:
    """Yield what is shown of a part that is neither a user's text nor a tool call."""
    text = part.text or ""
    if part.type == "compaction":
        yield [_note(f"Compaction{f' ({one_line(part.status)})' if part.status else ''}")]
        if text:
            yield [_note(f"Summary of what was said before: {sized(text)}")]
    elif part.type == "subtask":
        yield list(tool_lines(Part(part.id, "tool", tool="subtask", input={"task": text or part.prompt}), homes))
    elif part.type == "text" and (flags & Flag.SUMMARY or (message.role == "system" and flags & Flag.SYNTHETIC)):
        kind = "Summary of what was said before" if flags & Flag.SUMMARY else "System"
        if text:
            yield [_note(f"{kind}: {sized(text)}")]
    elif part.type == "text":
        if text.strip():
            yield list(quoted_lines(text.strip("\n")))
    else:
        about = ", ".join(homes.shortened(path) for path in part.files) or part.status or ""
        kind = "file or image" if part.type == "file" else part.type
        yield [_note(f"{kind}{f': {about}' if about else ''}")]
        if text.strip():
            yield list(quoted_lines(text.strip("\n")))


def _author(message: Message, session: Session) -> str:
    """Return the name over a message: role, author and model, and what sets the message apart from others."""
    side = "subagent, " if of_subagent(message, session) else ""
    failed = "error" if Flag.ERROR in message.flags else ""
    left = "abandoned branch" if Flag.ABANDONED in message.flags else ""
    pieces = (f"{side}{message.role}", message.author, message.model, failed, left)
    return " · ".join(one_line(piece) for piece in pieces if piece)


def _note(text: str) -> str:
    """Return a note of the program, such as what became of a text that nobody typed, as one line."""
    return f"*{escaped_markup(one_line(text))}*"


def _statistics(transcript: SessionTranscript, tokens: int, minute: Minute) -> Iterator[str]:
    of = transcript.statistics
    spent = of.tokens
    rows: list[tuple[str, object]] = [
        ("first message", minute(of.started) or None),
        ("last message", minute(of.ended) or None),
        ("exchanges", of.exchanges),
        ("messages of the user", of.user_messages),
        ("messages of the assistant", of.assistant_messages),
        ("tool calls", of.tool_calls),
        ("failed tool calls", of.failed_calls),
        ("subagents", len(transcript.subagents)),
        ("messages of subagents among these", of.subagent_messages),
        ("compactions", of.compactions),
        ("errors", of.errors),
        ("reminders removed", of.reminders),
        ("reasoning left out", of.reasoning),
        ("tokens sent to the model", spent.input if spent else None),
        ("tokens written by the model", spent.output if spent else None),
        ("cost in US dollars", None if of.cost is None else f"{of.cost:.4f}"),
        ("estimated tokens of this conversation", tokens),
    ]
    yield ""
    yield "## Statistics"
    yield ""
    yield from (f"- {name}: {f'{n:,}' if isinstance(n, int) else n}" for name, n in rows if n not in (None, 0))


def _files(found: Sequence[FileTouches]) -> Iterator[str]:
    if not found:
        return
    yield ""
    yield "## Files touched"
    yield ""
    for each in found[:FILES]:
        counts = (
            ("read", each.read), ("edited", each.edited), ("written", each.written), ("deleted", each.deleted)
        )  # fmt: skip
        told = ", ".join(f"{name} {count:,}" for name, count in counts if count)
        yield f"- {code_span(each.path)}: {told}"
    if len(found) > FILES:
        yield f"- {len(found) - FILES:,} more"


def _unread(unread: Mapping[str, int]) -> Iterator[str]:
    if not unread:
        return
    yield ""
    yield "## Records that were not read"
    yield ""
    known = sorted(unread.items(), key=lambda pair: (-pair[1], pair[0]))
    yield from (f"- {escaped_markup(one_line(reason))}: {count:,}" for reason, count in known[:REASONS])
    if len(known) > REASONS:
        yield f"- {len(known) - REASONS:,} other reasons: {sum(count for _, count in known[REASONS:]):,}"


def _tokens(lines: Sequence[str]) -> int:
    return estimated_tokens("\n".join(lines))


def _with_home(command: str, homes: Sequence[str]) -> str:
    """Return a shell command whose folder lies in one of `homes` with "~" for that home, if the shell then reads it
    still: inside quotes it would not.
    """
    for home in homes:
        start = f"cd {home.rstrip('/')}/"
        if len(start) > len("cd /") and command.startswith(start):
            return f"cd ~/{command[len(start) :]}"
    return command
