"""Pack the exchanges of a session that answer a query into a number of tokens, in the order of the conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from recall_rank.corpus import rank
from recall_rank.frontends.transcripts.exchange_parts import ExchangePart, cut_end, line_pieces, parts_of, size_of
from recall_rank.frontends.transcripts.homes import HomeFolders
from recall_rank.frontends.transcripts.labels import title_of, where_of
from recall_rank.frontends.transcripts.markdown import code_span, cut_line, escaped_markup, one_line
from recall_rank.frontends.transcripts.render import SessionTranscript, transcript_of
from recall_rank.frontends.transcripts.statistics import BYTES_PER_TOKEN, estimated_tokens
from recall_rank.model import Message, Part, Session
from recall_rank.search.options import MAX_RESULTS

PACK_TOKENS: Final = 8_000  # by default: a small part of a context, and about 20 exchanges of talk
MIN_TOKENS: Final = 800  # holds the longest head of the page and some lines
QUERY_CHARS: Final = 100  # of the query, on the page; all of it is searched for
TITLE_CHARS: Final = 80
ID_CHARS: Final = 60
BEST_SHARE: Final = 2  # the best answer may take this part of the page, 1 / BEST_SHARE, before the others
SHARE: Final = 3  # another answer may take 1 / SHARE of the page before those that answer less well
PASSAGE_BYTES: Final = 600  # of consecutive lines of a long exchange, which are shown or left out together
CUT_BYTES: Final = 1_200  # only the best answer is cut to less: heading, author, marks and a passage
SEARCH_MS: Final = 10_000.0
_CUT: Final = "*Lines of this exchange are left out here.*"
_AUTHOR_BYTES: Final = 100  # of a longer author, passages show the role alone


@dataclass(frozen=True, slots=True)
class PackedExchange:
    """An exchange on a page: the lines that are shown, whether it answers the query, whether lines are left out."""

    part: ExchangePart
    lines: tuple[str, ...]
    answers: bool
    cut: bool


@dataclass(frozen=True, slots=True)
class Packed:
    """A page of exchanges of a session as Markdown, and the exchanges on it, in the order of the conversation.

    `total` counts the exchanges of the session and its subagents, `matched` those that answer the query. With
    `more_may_match`, the search engine returned as many as it can, and others may answer as well.
    """

    text: str
    exchanges: tuple[PackedExchange, ...]
    total: int
    matched: int
    more_may_match: bool = False

    @property
    def tokens(self) -> int:
        """The estimated tokens of the text."""
        return estimated_tokens(self.text)


def pack(
    session: Session | SessionTranscript,
    *,
    query: str | None = None,
    max_tokens: int = PACK_TOKENS,
    homes: Sequence[str] = (),
) -> Packed:
    """Return a page of at most `max_tokens` estimated tokens: the exchanges that answer a query, as far as they fit,
    then the newest ones, shown in the order of the conversation, with a mark where exchanges are left out.

    The search engine ranks the exchanges. The best one is on every page. One that is too long is cut to the passages
    that answer best: the best one may take half of the page, another one a third, and more where the other answers
    leave room. Without a `query`, the newest exchanges are packed, the last one that does not fit cut to its end.
    Raises ValueError for fewer than MIN_TOKENS tokens.
    """
    if max_tokens < MIN_TOKENS:
        raise ValueError(f"max_tokens must be {MIN_TOKENS} or more, not {max_tokens}")
    transcript = session if isinstance(session, SessionTranscript) else transcript_of(session)
    parts = parts_of(transcript, homes, redact=False)
    best = _ranked(query, [part.messages for part in parts])
    more = len(parts) > len(best) >= MAX_RESULTS
    head = _head(transcript.session, HomeFolders(homes))
    told = _told(query, len(best), len(parts), more=more, newest=True)  # the longer one of its two forms
    mark = size_of(_left_out(len(parts)))  # each exchange may have one before it, the last one also behind it
    room = max_tokens * BYTES_PER_TOKEN - size_of([*head, told]) - mark
    packed: dict[int, PackedExchange] = {}
    share = max(room // SHARE, CUT_BYTES)
    own = max(room // BEST_SHARE, CUT_BYTES)  # of the best answer
    waiting = sum(min(parts[at].size(), share) for at in best)
    for at in best:
        waiting -= min(parts[at].size(), share)
        most = min(room - mark, max(own if at == best[0] else share, room - mark - waiting))
        shown = _answer(parts[at], query or "", most) if most >= CUT_BYTES or at == best[0] else _whole(parts[at], most)
        if shown is not None:
            packed[at] = shown
            room -= size_of(shown.lines) + mark
    for at in sorted(set(range(len(parts))) - set(best), reverse=True):
        shown = _newest(parts[at], room - mark)
        if shown is None:
            break
        packed[at] = shown
        room -= size_of(shown.lines) + mark
        if shown.cut:
            break
    newest = any(not shown.answers for shown in packed.values())
    told = _told(query, len(best), len(parts), more=more, newest=newest)
    text = "\n".join([*head, told, *_in_order(packed, len(parts))]) + "\n"
    return Packed(text, tuple(packed[at] for at in sorted(packed)), len(parts), len(best), more)


def _ranked(query: str | None, texts: Sequence[Sequence[Message]]) -> list[int]:
    """Return the places of the groups of messages that answer a query, the best first; at most MAX_RESULTS."""
    if not query or not query.strip() or not texts:
        return []
    sessions = [Session(f"{place}", messages) for place, messages in enumerate(texts)]
    now = max((message.time for messages in texts for message in messages), default=0)
    response = rank(
        query,
        sessions,
        group="session",
        results=min(len(sessions), MAX_RESULTS),
        budget_ms=SEARCH_MS,
        now=max(now, 1),
    )
    return list(dict.fromkeys(int(hit.session_id) for hit in response.results))


def _answer(part: ExchangePart, query: str, room: int) -> PackedExchange:
    """Return an exchange that answers a query within `room` bytes, cut to its best passages if it is longer."""
    whole = _whole(part, room)
    if whole is not None:
        return whole
    head = _answer_lines(part)[:2]
    lines = (*head, *_passages(part, query, room - size_of(head)))
    return PackedExchange(part, lines, answers=True, cut=_CUT in lines)


def _whole(part: ExchangePart, room: int) -> PackedExchange | None:
    """Return an exchange that answers a query, nothing cut; None where it is longer than `room` bytes."""
    lines = _answer_lines(part)
    return PackedExchange(part, lines, answers=True, cut=False) if size_of(lines) <= room else None


def _answer_lines(part: ExchangePart) -> tuple[str, ...]:
    """Return the lines of an exchange that answers a query: a blank one, the heading, and the others."""
    blank, heading, *body = part.lines()
    return (blank, f"{heading} · answers the query", *body)


def _newest(part: ExchangePart, room: int) -> PackedExchange | None:
    """Return an exchange within `room` bytes, cut to its end if it is longer; None where the room is too small."""
    lines = tuple(part.lines())
    if size_of(lines) <= room:
        return PackedExchange(part, lines, answers=False, cut=False)
    most = room - size_of(["", _CUT])
    end = cut_end(part, most, most * 3 // 4)[1] if room >= CUT_BYTES else None
    if end is None:
        return None
    blank, heading, *body = end.lines()
    return PackedExchange(end, (blank, heading, "", _CUT, *body), answers=False, cut=True)


# --- passages of a long exchange ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Passage:
    """Consecutive lines of one message."""

    author: str  # as a line of Markdown
    lines: tuple[str, ...]


def _passages(part: ExchangePart, query: str, room: int) -> Iterator[str]:
    """Yield the passages of an exchange that answer a query best, and those beside the best one, within `room` bytes,
    in order, with marks where lines are left out.
    """
    marks = size_of(["", _CUT, "", "", "", _CUT]) + _AUTHOR_BYTES
    passages = list(_cut_to_passages(part, min(PASSAGE_BYTES, room - marks)))
    best = _ranked(query, [(_as_message(passage),) for passage in passages])
    middle = best[0] if best else len(passages) - 1
    near = sorted(range(len(passages)), key=lambda at: (abs(at - middle), -at))
    chosen: set[int] = set()
    room -= size_of(["", _CUT])
    for at in dict.fromkeys([*best, *near]):
        size = size_of(["", _CUT, "", passages[at].author, "", *passages[at].lines])
        if size <= room:
            chosen.add(at)
            room -= size
    last, author = -1, ""
    for at in sorted(chosen):
        passage = passages[at]
        if at != last + 1:
            yield from ("", _CUT)
        if at != last + 1 or passage.author != author:
            yield from ("", passage.author, "")
        yield from passage.lines
        last, author = at, passage.author
    if last != len(passages) - 1:
        yield from ("", _CUT)


def _cut_to_passages(part: ExchangePart, most: int) -> Iterator[_Passage]:
    """Yield the messages of an exchange in passages of at most `most` bytes, without the lines of authors."""
    for block in part.blocks:
        author = block.author if size_of([block.author]) <= _AUTHOR_BYTES else f"**{block.message.role}**"
        lines = list(block.lines)
        if lines[:2] == ["", block.author]:
            lines = lines[2:]
        gathered: list[str] = []
        size = 0
        for piece in (piece for line in lines for piece in line_pieces(line, most)):
            more = size_of([piece])
            if gathered and size + more > most:
                yield _Passage(author, tuple(gathered))
                gathered, size = [], 0
            if piece or gathered:
                gathered.append(piece)
                size += more
        if gathered:
            yield _Passage(author, tuple(gathered))


def _as_message(passage: _Passage) -> Message:
    return Message("", "user", 0, (Part("", "text", "\n".join(passage.lines)),))


# --- the page ----------------------------------------------------------------------------------------


def _head(session: Session, homes: HomeFolders) -> list[str]:
    """Return the lines above the sentence of _told(): title and place of the session, cut so that MIN_TOKENS tokens
    hold both and the best passage.
    """
    title = escaped_markup(cut_line(title_of(session), TITLE_CHARS))
    short = homes.with_home_of(session)
    place = [cut_line(short.shortened(one_line(piece)), ID_CHARS) for piece in where_of(session)]
    return [f"# {title}", "", " · ".join(code_span(piece) for piece in place if piece), ""]


def _told(query: str | None, matched: int, total: int, *, more: bool, newest: bool) -> str:
    """Return the sentence on what is packed: how many of the exchanges answer the query, at least so many with `more`;
    and that the newest ones fill the page, if `newest`.
    """
    if not query or not query.strip():
        return f"The newest of {total:,} exchanges."
    asked = code_span(cut_line(one_line(query), QUERY_CHARS))
    told = f"Exchanges that answer {asked}: {'at least ' if more else ''}{matched:,} of {total:,}."
    return f"{told} The newest ones fill the page." if newest else told


def _in_order(packed: Mapping[int, PackedExchange], total: int) -> Iterator[str]:
    """Yield the packed exchanges in the order of the conversation, with marks where exchanges are left out."""
    last = -1
    for at in sorted(packed):
        if at != last + 1:
            yield from _left_out(at - last - 1)
        yield from packed[at].lines
        last = at
    if last != total - 1:
        yield from _left_out(total - 1 - last)


def _left_out(count: int) -> list[str]:
    return ["", f"*{count:,} {'exchange' if count == 1 else 'exchanges'} left out*"]
