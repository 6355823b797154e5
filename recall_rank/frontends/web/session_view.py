"""The page of one session: a page of its messages, with the matches of a query marked and linked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from recall_rank.frontends.display_text import counted
from recall_rank.frontends.redaction.redacted_answers import hidden, session_without_secrets
from recall_rank.frontends.transcripts.match_pattern import match_pattern, matched_forms
from recall_rank.frontends.transcripts.reopen import reopen
from recall_rank.frontends.web.conversation import Excerpts, ShownMessage, figures_in_words
from recall_rank.frontends.web.session_shelf import OpenedSession
from recall_rank.frontends.web.text_pieces import TextLook
from recall_rank.model import Session
from recall_rank.model.agent_names import exact_id

if TYPE_CHECKING:
    import re

    from recall_rank.model.response import Match
    from recall_rank.recall import Recall

PAGE: Final = 100  # messages of one page
TEXT_CHARS: Final = 20_000  # of a text on the page of a session
WHOLE_CHARS: Final = 200_000  # of a text on the page of one message
MAX_MATCHES: Final = 500  # messages that are marked as matches
_WIDTH: Final = 1_000  # characters of a snippet, in which the forms of the words are found


@dataclass(frozen=True, slots=True)
class SessionMatches:
    """The messages of a session that a query finds, by their numbers, and the pattern that marks them."""

    query: str = ""
    match: Match = "smart"
    numbers: tuple[int, ...] = ()
    more: bool = False  # whether further messages match, which are not marked
    pattern: re.Pattern[str] | None = None
    problem: str = ""  # why the query could not be searched

    def around(self, number: int) -> tuple[int | None, int | None, int]:
        """Return the numbers of the matches before and after a message, and its own place among the matches, from 1;
        0 for a message that is no match.
        """
        before = [each for each in self.numbers if each < number]
        after = [each for each in self.numbers if each > number]
        place = len(before) + 1 if number in self.numbers else 0
        return (before[-1] if before else None), (after[0] if after else None), place


@dataclass(frozen=True, slots=True)
class SessionView:
    """The contents of the page of a session."""

    session: Session  # without its messages
    total: int  # messages
    page: int  # from 1
    pages: int
    messages: Sequence[ShownMessage]
    matches: SessionMatches
    figures: Sequence[str]
    reopen: str
    size: int = field(default=PAGE)

    def page_of(self, number: int) -> int:
        """Return the number of the page that has a message."""
        return page_of(number)


def page_of(number: int) -> int:
    """Return the number of the page, from 1, that has the message with this number."""
    return (number - 1) // PAGE + 1


def matches_in(recall: Recall, opened: OpenedSession, query: str, match: Match, *, redact: bool) -> SessionMatches:
    """Return the messages of a session that a query finds, by the search that ranks hits."""
    if not query.strip():
        return SessionMatches(query, match)
    try:
        response = recall.search(
            query,
            session_id=exact_id(opened.session.id, opened.session.host),
            match=match,
            syntax=match not in ("literal", "regex"),
            results=MAX_MATCHES,
            width=_WIDTH,
            redact=hidden if redact else None,
        )
    except (ValueError, TypeError) as error:
        return SessionMatches(query, match, problem=str(error))
    found = {opened.numbers[hit.message_id] for hit in response.results if hit.message_id in opened.numbers}
    pattern = match_pattern(matched_forms(response.results), match)
    return SessionMatches(query, match, tuple(sorted(found)), response.truncated, pattern)


def session_view(opened: OpenedSession, page: int, matches: SessionMatches, *, redact: bool) -> SessionView:
    """Return a page of a session, the first or the last one where there is no such page."""
    session = opened.session
    total = len(session.messages)
    pages = max(1, page_of(total)) if total else 1
    page = min(max(1, page), pages)
    first = (page - 1) * PAGE
    shown = replace(session, messages=session.messages[first : first + PAGE])
    if redact:
        shown = session_without_secrets(shown)
    excerpts = Excerpts(TextLook(matches.pattern), TEXT_CHARS)
    messages = tuple(excerpts.messages(enumerate(shown.messages, first + 1)))
    return SessionView(
        replace(shown, messages=()), total, page, pages, messages, matches, _figures(opened), _reopen(shown)
    )


def message_view(
    opened: OpenedSession, number: int, start: int, matches: SessionMatches, *, redact: bool
) -> SessionView:
    """Return one message of a session, of each text the WHOLE_CHARS characters from `start` on. Raises LookupError
    when the session has no message of this number.
    """
    session = opened.session
    total = len(session.messages)
    if not 1 <= number <= total:
        raise LookupError(
            f"session {session.id!r} has {counted(total, 'message', 'messages')} and none of number {number:,}"
        )
    shown = replace(session, messages=session.messages[number - 1 : number])
    if redact:
        shown = session_without_secrets(shown)
    excerpts = Excerpts(TextLook(matches.pattern), WHOLE_CHARS, start)
    messages = tuple(excerpts.messages(enumerate(shown.messages, number)))
    return SessionView(
        replace(shown, messages=()), total, page_of(number), page_of(total), messages, matches, _figures(opened), ""
    )


def _figures(opened: OpenedSession) -> tuple[str, ...]:
    """Return the counts of a session in words: rounds, messages, tokens and cost as far as they are recorded."""
    figures = opened.figures
    counts = ((figures.rounds, "round", "rounds"), (figures.messages, "message", "messages"))
    told = [f"{number:,} {one if number == 1 else many}" for number, one, many in counts if number is not None]
    told += figures_in_words(figures.tokens, figures.cost)
    if figures.subagent_messages:
        told.append(f"{counted(figures.subagent_messages, 'message', 'messages')} of subagents in it")
    return tuple(told)


def _reopen(session: Session) -> str:
    return reopen(session.source, session.id, session.directory, session.flags, session.places) or ""
