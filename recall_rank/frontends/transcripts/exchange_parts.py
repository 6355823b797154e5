"""Cut exchanges to a size: between messages, else between lines, else inside a line. Nothing is lost by a cut.

Sizes are bytes of UTF-8 of the rendered Markdown, each line with its line end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from recall_rank.frontends.display_text import utc_minute
from recall_rank.frontends.redaction.redact import redacted
from recall_rank.frontends.redaction.redacted_answers import session_without_secrets
from recall_rank.frontends.transcripts.exchanges import Exchange, started_in
from recall_rank.frontends.transcripts.homes import HomeFolders
from recall_rank.frontends.transcripts.labels import title_of
from recall_rank.frontends.transcripts.markdown import cut_line, escaped_markup
from recall_rank.frontends.transcripts.render import SessionTranscript, message_blocks
from recall_rank.frontends.transcripts.statistics import BYTES_PER_TOKEN
from recall_rank.model import Message, Session

TITLE_CHARS: Final = 80  # of a subagent, in the names of its exchanges
_AUTHOR_BYTES: Final = 400  # of a repeated author; a longer one is not repeated
_QUOTED: Final = "> "


@dataclass(frozen=True, slots=True)
class PartBlock:
    """The lines of Markdown of one message, or some of them: as they are, and without keys and passwords."""

    message: Message
    author: str  # as a line of Markdown
    lines: tuple[str, ...]
    redacted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExchangePart:
    """An exchange of a session or of one of its subagents, or the part of it between two cuts."""

    session: str  # "" for the session itself, else the number and title of a subagent, such as "Subagent 1.2 (Berths)"
    number: int  # of the exchange, from 1
    time: int
    blocks: tuple[PartBlock, ...]
    begins: bool = True  # whether it holds the beginning of the exchange
    ends: bool = True  # whether it holds the end of the exchange

    @property
    def name(self) -> str:
        """Such as "Exchange 7", "Exchange 7, continued" or "Subagent 1 (Berths), exchange 2", escaped for Markdown."""
        name = f"{escaped_markup(self.session)}, exchange" if self.session else "Exchange"
        cut = "" if self.begins and self.ends else ", beginning" if self.begins else ", continued"
        return f"{name} {self.number}{cut}"

    def lines(self, *, redacted: bool = False) -> Iterator[str]:
        """Yield the part as Markdown, with its heading; `redacted` leaves out keys and passwords."""
        time = utc_minute(self.time)
        yield ""
        yield f"### {self.name}{f' · {time}' if time else ''}"
        for at, block in enumerate(self.blocks):
            lines = block.redacted if redacted else block.lines
            if (
                not at
                and block.author not in lines[:2]
                and len(block.author.encode("utf-8", "replace")) < _AUTHOR_BYTES
            ):
                yield ""
                yield block.author
                if lines and lines[0]:
                    yield ""
            yield from lines

    def size(self, *, redacted: bool = False) -> int:
        """Return the bytes of the part as Markdown."""
        return size_of(self.lines(redacted=redacted))

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of which it shows something."""
        return tuple(block.message for block in self.blocks)


def size_of(lines: Iterable[str]) -> int:
    """Return the bytes of lines with their line ends."""
    return sum(len(line.encode("utf-8", "replace")) + 1 for line in lines)


def tokens_of(size: int) -> int:
    """Return about how many tokens so many bytes are."""
    return size // BYTES_PER_TOKEN


def parts_of(transcript: SessionTranscript, homes: Sequence[str], *, redact: bool = True) -> list[ExchangePart]:
    """Return the exchanges of the subagents of a session, in the order of their calls, and then its own: what its user
    said is the newest. Exchanges of which a transcript shows nothing are left out.

    Without `redact`, keys and passwords stay in `PartBlock.redacted`, too.
    """
    short = HomeFolders(homes).with_home_of(transcript.session)
    return [*_of_subagents(transcript, "", short, redact), *_of_session(transcript, "", short, redact)]


def _of_subagents(
    transcript: SessionTranscript, above: str, homes: HomeFolders, redact: bool
) -> Iterator[ExchangePart]:
    for number, each in enumerate(transcript.subagents, 1):
        place = f"{above}{number}"
        during = started_in(transcript.exchanges, each.session.created or _first_time(each))
        title = title_of(each.session)
        about = cut_line(redacted(title) if redact else title, TITLE_CHARS)
        name = f"Subagent {place} ({about}{f', called in exchange {during}' if during else ''})"
        yield from _of_session(each, name, homes, redact)
        yield from _of_subagents(each, f"{place}.", homes, redact)


def _of_session(transcript: SessionTranscript, name: str, homes: HomeFolders, redact: bool) -> Iterator[ExchangePart]:
    session = transcript.session
    hidden = session_without_secrets(session) if redact else session
    at = 0
    for exchange in transcript.exchanges:
        others = hidden.messages[at : at + len(exchange.messages)]
        at += len(exchange.messages)
        blocks = tuple(_blocks(exchange, session, others, hidden, homes))
        if blocks:
            yield ExchangePart(name, exchange.number, exchange.time, blocks)


def _blocks(
    exchange: Exchange, session: Session, others: Sequence[Message], hidden: Session, homes: HomeFolders
) -> Iterator[PartBlock]:
    """Yield the blocks of an exchange; `others` are its messages without secrets."""
    without = {block.place: block for block in message_blocks(others, hidden, homes)}
    for block in message_blocks(exchange.messages, session, homes):
        shown = without[block.place]
        yield PartBlock(exchange.messages[block.place], shown.author, block.lines, shown.lines)


def _first_time(transcript: SessionTranscript) -> int:
    return next((each.time for each in transcript.exchanges if each.time > 0), 0)


# --- cuts --------------------------------------------------------------------------------------------


def cut_end(
    part: ExchangePart, most: int, least: int, *, redacted: bool = False
) -> tuple[ExchangePart | None, ExchangePart | None]:
    """Return the beginning of a part and its end: of at most `most` bytes, and of `least` or a little more.

    The cut lies between messages if an end of this size begins there, else between lines of a message, else in a line.
    A message that is cut has no keys and passwords on either side of the cut. The beginning is None when the part fits,
    the end where not even its heading and a few bytes do. `least` must be below `most` by 300 or more.
    """
    if part.size(redacted=redacted) <= most:
        return None, part
    heading, author = _heading_sizes(part)
    room = most - heading - author
    at, used = len(part.blocks), 0
    while at and used + heading < least:
        more = size_of(_shown(part.blocks[at - 1], redacted))
        if more > room - used:
            break
        at, used = at - 1, used + more
    if at < len(part.blocks) and used + heading >= least:
        return _divided(part, part.blocks[:at], part.blocks[at:])
    block = part.blocks[at - 1]
    before, after = _cut_lines(block.redacted, room - used, max(least - heading - used, 1))
    first = (replace(block, lines=before, redacted=before),) if before else ()
    last = (replace(block, lines=after, redacted=after),) if after else ()
    return _divided(part, (*part.blocks[: at - 1], *first), (*last, *part.blocks[at:]))


def _heading_sizes(part: ExchangePart) -> tuple[int, int]:
    """Return the bytes of the heading of a cut part, and the most bytes that the repeated name of an author takes."""
    named = replace(part, blocks=(), begins=False)
    authors = (len(block.author.encode("utf-8", "replace")) for block in part.blocks)
    return size_of(named.lines()), min(max(authors), _AUTHOR_BYTES) + len("\n\n\n")


def _shown(block: PartBlock, redacted: bool) -> tuple[str, ...]:
    return block.redacted if redacted else block.lines


def _divided(
    part: ExchangePart, before: tuple[PartBlock, ...], after: tuple[PartBlock, ...]
) -> tuple[ExchangePart | None, ExchangePart | None]:
    if not after:
        return part, None
    if not before:
        return None, replace(part, blocks=after)
    return replace(part, blocks=before, ends=False), replace(part, blocks=after, begins=False)


def _cut_lines(lines: tuple[str, ...], most: int, least: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the first lines, and the last ones of at most `most` bytes; a line is cut where those have less than
    `least`.
    """
    at, used = len(lines), 0
    while at and used < least:
        more = size_of(lines[at - 1 : at])
        if more > most - used:
            break
        at, used = at - 1, used + more
    if not at or used >= least:
        return lines[:at], lines[at:]
    before, after = _cut_line_end(lines[at - 1], most - used - len(_QUOTED) - 1)
    if not after:
        return lines[:at], lines[at:]
    return (*lines[: at - 1], before), (f"{_QUOTED}{after}", *lines[at:])


def _cut_line_end(line: str, most: int) -> tuple[str, str]:
    """Return the beginning of a line and its end of at most `most` bytes; the quote mark stays at the beginning."""
    own = line.removeprefix(_QUOTED)
    end = own.encode("utf-8", "replace")[-most:].decode("utf-8", "ignore") if most > 0 else ""
    return line[: len(line) - len(end)], own[len(own) - len(end) :] if end else ""


def line_pieces(line: str, most: int) -> Iterator[str]:
    """Yield a line in pieces of at most `most` bytes with their line ends, each behind the quote mark if there are
    several.
    """
    if size_of([line]) <= most:
        yield line
        return
    rest = line.removeprefix(_QUOTED)
    while rest:
        piece = rest.encode("utf-8", "replace")[: most - len(_QUOTED) - 1].decode("utf-8", "ignore")
        yield f"{_QUOTED}{rest[: len(piece)]}"
        rest = rest[len(piece) :]
