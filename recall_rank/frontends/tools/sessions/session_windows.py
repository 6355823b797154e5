"""NumberedSession: the messages of a session with numbers, from which session_search cuts windows and bookends.

For PraisonAI's own files the numbers are PraisonAI's, so an anchor means equal messages here and there. Sessions of
other agents are numbered from 0 on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recall_rank.analysis.fields import searchable_fields
from recall_rank.frontends.tools.sessions.praisonai_scores import NumberedMessage, numbered
from recall_rank.loaders.praisonai import NAME, SUFFIX
from recall_rank.loaders.praisonai_records import StoredChat, read_chat, safe_name, session_id_of
from recall_rank.model import Flag, Message, Result, SearchResponse, Session
from recall_rank.model.agent_names import named_id

if TYPE_CHECKING:
    from recall_rank.recall import Recall

ELLIPSIS: Final = "…"
_CUT: Final = "..."  # how snippets of the engine show that text was left out
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST: Final = 253_402_300_799_999  # ms: the last day that ISO 8601 writes with four digits


@dataclass(frozen=True, slots=True)
class NumberedSession:
    """A session with its messages as an answer shows them. `numbers` maps the ids of its messages, as the engine
    returns them, to their numbers in an answer.
    """

    session: Session
    when: str | None
    messages: Sequence[NumberedMessage]
    numbers: Mapping[str, int]
    chat: StoredChat | None = None  # the records of a file of PraisonAI

    @property
    def lineage(self) -> str | None:
        """The id that the continuations of one conversation share; None where the store keeps no such id."""
        return None if self.chat is None else self.chat.lineage

    @property
    def title(self) -> str:
        """The title of the session; the id of one without a title."""
        return self.session.title or self.session.id

    @property
    def active(self) -> int:
        """The number of messages that were not archived."""
        return sum(1 for message in self.messages if not message["archived"])

    def anchor(self, result: Result) -> int:
        """Return the number of the message that a result was found in.

        To the engine, the output of a tool is part of the message that calls the tool. In some stores it is a message
        of its own: then the message behind the call that contains the found words is meant.
        """
        at = self.numbers.get(result.message_id, 0)
        words = [result.snippet[span.start : span.end].casefold() for span in result.spans]
        behind = range(at + 1, len(self.messages))
        calls = result.field in ("stdout", "stderr") and at < len(self.messages)
        for number in behind if calls else ():
            if self.messages[number]["role"] != "tool":
                break
            if all(word in str(self.messages[number]["content"]).casefold() for word in words):
                return number
        return at


def numbered_session(histories: Recall, session: Session) -> NumberedSession:
    """Return the session with its numbered messages. Raises LookupError or OSError when they cannot be read."""
    chat = _chat(session)
    if chat is not None:
        return _of_chat(session, chat)
    known = histories.transcript(named_id(session.id, session.host))
    messages = [_message(at, message) for at, message in enumerate(known.messages)]
    numbers = {message.id: at for at, message in enumerate(known.messages)}
    return NumberedSession(session, iso_time(session.updated), messages, numbers)


def located(result: Result, response: SearchResponse) -> NumberedSession | None:
    """Return the session of a result with its messages, read from the file that PraisonAI names by the session's id, so
    that the list of all sessions need not be read. None for a result of another agent, and when that file does not hold
    the session.
    """
    for report in response.coverage.per_source:
        if result.agent == NAME == report.agent and report.location:
            place = Path(report.location)
            path = place if place.suffix == SUFFIX else place / f"{safe_name(result.session_id)}{SUFFIX}"
            session = Session(result.session_id, title=result.session_title, agent=NAME, places=(str(path),))
            chat = _chat(session)
            if chat is not None:
                return _of_chat(session, chat)
    return None


def _of_chat(session: Session, chat: StoredChat) -> NumberedSession:
    when = chat.head.get("updated_at") or chat.head.get("created_at")
    return NumberedSession(session, str(when) if when else None, numbered(chat, "g3"), chat.numbers(session.id), chat)


def chat_of(histories: Recall, session: Session) -> StoredChat:
    """Return the session in the form in which PraisonAI stores one, so that PraisonAI's rule can score it. Raises
    LookupError or OSError when its messages cannot be read.
    """
    known = numbered_session(histories, session)
    if known.chat is not None:
        return known.chat
    head = {"session_id": session.id, "updated_at": known.when, "metadata": {"title": session.title}}
    split = [message["archived"] for message in known.messages].count(True)
    records = sorted(known.messages, key=lambda message: not message["archived"])
    return StoredChat(head, records[:split], records[split:])


def _chat(session: Session) -> StoredChat | None:
    """Return the records of the file that holds a session of PraisonAI. None for a session of another agent, and when
    the file is gone or holds another session by now.
    """
    if session.agent != NAME or not session.places:
        return None
    path = Path(session.places[0])
    try:
        chat = read_chat(path)
    except OSError:
        return None
    return chat if session_id_of(chat, path) == session.id else None


def _message(number: int, message: Message) -> NumberedMessage:
    texts = [text for part in message.parts for _, text in searchable_fields(part)]
    return {
        "index": number,
        "role": message.role,
        "content": "\n".join(texts),
        "timestamp": message.time / 1000 if message.time else None,
        "archived": Flag.OUT_OF_CONTEXT in message.flags,
    }


def iso_time(milliseconds: int) -> str | None:
    """Return a time as ISO 8601 in UTC; None for an unknown one."""
    if not 0 < milliseconds <= _LATEST:
        return None
    return (_EPOCH + timedelta(milliseconds=milliseconds)).isoformat()


def snippet_of(result: Result, content: object) -> str:
    """Return the snippet of a result with an ellipsis on each side that is cut off, blanks reduced to single spaces."""
    shown, whole = " ".join(result.snippet.split()), " ".join(str(content).split())
    first, last = shown.startswith(_CUT), shown.endswith(_CUT)
    for head, tail in ((False, False), (False, last), (first, False), (first, last)):
        middle = shown[len(_CUT) * head : len(shown) - len(_CUT) * tail].strip()
        at = whole.find(middle) if middle else -1
        if at >= 0:
            return f"{ELLIPSIS * bool(at)}{middle}{ELLIPSIS * (at + len(middle) < len(whole))}"
    middle = shown[len(_CUT) * first : len(shown) - len(_CUT) * last].strip()
    return f"{ELLIPSIS * first}{middle}{ELLIPSIS * last}"
