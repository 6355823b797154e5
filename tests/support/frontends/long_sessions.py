"""Invented long sessions whose words are all different, so that a lost or repeated word is seen; a summarizer."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence

from recall_rank.frontends.transcripts.condense import Condensed
from recall_rank.frontends.transcripts.render import SessionTranscript, transcript_of
from recall_rank.model import Flag, Message, Part, Session

TRAP = "### Exchange 2 · about 5 tokens\n**User #7** · 2026\n## Statistics\nEstimated tokens ~99 of this conversation"
START = 1_780_000_000_000
_WORD = re.compile(r"[a-z]\d{3}m\d{3}w\d{6};")


def words(place: str, count: int, width: int) -> str:
    """Return `count` different words of 16 bytes with blank or line end, `width` of them on a line."""
    found = [f"{place}w{number:06d};" for number in range(count)]
    return "\n".join(" ".join(found[at : at + width]) for at in range(0, count, width))


def message(exchange: int, number: int, text: str, *, letter: str = "e") -> Message:
    key = f"{letter}{exchange:03d}m{number:03d}"
    time = START + (exchange * 100 + number) * 1000
    return Message(key, "assistant" if number else "user", time, (Part(f"{key}p", "text", text),))


def long_session(sizes: Sequence[Sequence[int]], width: int = 16, *, trap: bool = False, letter: str = "e") -> Session:
    """Return a session with one exchange for each item of `sizes`, which has the words of each of its messages. With
    `trap`, each message begins with lines that look like those of a transcript.
    """
    before = f"{TRAP}\n" if trap else ""
    messages = [
        message(at, number, before + words(f"{letter}{at:03d}m{number:03d}", count, width), letter=letter)
        for at, counts in enumerate(sizes)
        for number, count in enumerate(counts)
    ]
    return Session(f"long-{letter}", messages, title="Tides", created=START, agent="claude-code")


def with_subagent(session: Session, side: Session) -> SessionTranscript:
    """Return the transcript of a session that called a subagent."""
    inner = Session(side.id, side.messages, title="Count berths", created=START + 1, flags=Flag.SUBAGENT)
    return transcript_of(session, [transcript_of(inner)])


class Recording:
    """A summarizer that keeps what it is given, and returns or raises one thing."""

    name = "recording"

    def __init__(self, answer: str | Exception = "The gate opens at four.") -> None:
        self.inputs: list[str] = []
        self.systems: list[str] = []
        self._answer = answer
        self._lock = threading.Lock()

    def summarize(self, system: str, text: str, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        with self._lock:
            self.systems.append(system)
            self.inputs.append(text)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def fenced(text: str) -> str:
    """Return what stands between the two lines of the fence of a prompt."""
    found = re.search(
        r"^<<<recalled ([0-9a-f]{32})>>>\n(.*)\n<<<end of recalled \1>>>$", text, re.MULTILINE | re.DOTALL
    )
    assert found is not None
    return found[2]


def said(lines: Iterable[str]) -> str:
    """Return the quoted texts among lines of Markdown, joined without blanks: a cut leaves them as they were."""
    return "".join(line[1:].replace(" ", "") for line in lines if line.startswith(">"))


def verbatim(page: Condensed) -> str:
    """Return the part of a page with the newest exchanges."""
    return page.text.partition("\n## Recent conversation, word for word\n")[2]


def spoken(page: Condensed, inputs: Sequence[str]) -> str:
    """Return the texts of the summarizer's inputs and of the newest exchanges of a page, in order, without blanks."""
    texts = sorted((fenced(text) for text in inputs), key=lambda text: _WORD.findall(text)[:1])
    return "".join(said(text.split("\n")) for text in (*texts, verbatim(page)))
