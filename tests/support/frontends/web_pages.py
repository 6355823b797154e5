"""Fictional histories for the pages, a client that is let in, and a server in a thread."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any

import uvicorn
from starlette.testclient import TestClient

from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.web.app import web_application
from recall_rank.frontends.web.guard import TOKEN
from recall_rank.frontends.web.serve import server_config
from recall_rank.loaders import open_source
from recall_rank.model import BaseSource, Message, Part, Reading, Session, Unit
from recall_rank.recall import Recall

TOKEN_VALUE = "token-of-the-tests"
HOST = "http://127.0.0.1:7391"
NOW = 1_780_000_000_000


class HeldSource(BaseSource):
    """A source of sessions that a test made."""

    name = "held"
    location = "/held"

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._sessions = sessions

    def units(self) -> list[Unit]:
        return [Unit("all", self.location)]

    def signature(self, unit: Unit) -> bytes:
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        return Reading(tuple(self._sessions))


def recall_of(*sessions: Session) -> Recall:
    """A Recall over sessions that a test made, indexed in memory."""
    recall = Recall([HeldSource(sessions)])
    recall.prepare()
    return recall


def demo_recall(folder: Any) -> Recall:
    """A Recall over the demo's history, written into a folder."""
    path = folder / "history.jsonl"
    path.write_text(history(), encoding="utf-8")
    recall = Recall([open_source(path)])
    recall.prepare()
    return recall


def long_session(messages: int, *, every: int = 50, session_id: str = "long") -> Session:
    """A session in which each message of number n * `every` names the lighthouse, and each third calls a tool."""

    def said(number: int) -> Message:
        word = "the lighthouse blinks" if number % every == 0 else "the ferry waits"
        text = Part(
            f"p{number}", "text", f"{word}, line {number}\n\n```python\ndef berth(n):\n    return n + {number}\n```"
        )
        call = Part(f"t{number}", "tool", tool="bash", input={"command": f"ls -l /srv/{number}"}, output="ok\n" * 4)
        parts = (text, call) if number % 3 == 0 else (text,)
        return Message(f"m{number}", "assistant" if number % 2 else "user", NOW + number * 1000, parts)

    said_all = tuple(map(said, range(1, messages + 1)))
    return Session(session_id, said_all, "A long watch", "/srv/harbor", updated=NOW + messages * 1000, agent="opencode")


def client_of(recall: Recall, *, let_in: bool = True, **options: Any) -> TestClient:
    """A client of the pages, with the cookie that the first address sets."""
    client = TestClient(web_application(recall, TOKEN_VALUE, **options), base_url=HOST)
    if let_in:
        assert client.get(f"/?{TOKEN}={TOKEN_VALUE}").status_code == 200
    return client


@contextmanager
def served(recall: Recall, **options: Any) -> Iterator[str]:
    """Serve the pages from a thread; gives the first address."""
    with serving(web_application(recall, TOKEN_VALUE, **options)) as port:
        yield f"http://127.0.0.1:{port}/?{TOKEN}={TOKEN_VALUE}"


@contextmanager
def serving(app: object) -> Iterator[int]:
    """Serve an application from a thread; gives its port."""
    config = server_config(app, 0)
    server = uvicorn.Server(config)
    bound = config.bind_socket()
    thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()


def wait_until(holds: Callable[[], bool], seconds: float = 20) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag in ("td", "th", "tr"):
            self.text += " "

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every element of a name."""
        return [attributes for name, attributes in self.found if name == tag]

    @property
    def words(self) -> str:
        """The text with its blanks collapsed."""
        return re.sub(r"\s+", " ", self.text)
