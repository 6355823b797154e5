"""The picker without a terminal, driven by Textual's pilot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from recall_rank import Recall, Session
from recall_rank.frontends.cli.browse.app import PickerApp
from recall_rank.frontends.cli.browse.outcome import Outcome, Surroundings
from recall_rank.frontends.cli.browse.state import SearchState
from recall_rank.frontends.demo import NOW
from recall_rank.frontends.demo.generate import history
from recall_rank.loaders import open_sources


class HeadlessPicker(PickerApp):
    """A picker whose pager may be called although there is no screen to put away."""

    @contextmanager
    def suspend(self) -> Iterator[None]:
        yield


class Desk:
    """A clipboard and a pager that keep what they get."""

    def __init__(self, program: str | None = "xclip") -> None:
        self.program = program
        self.copied: list[str] = []
        self.paged: list[Sequence[str]] = []

    def surroundings(self) -> Surroundings:
        return Surroundings(self._copy, self._page)

    def _copy(self, text: str) -> str | None:
        self.copied.append(text)
        return self.program

    def _page(self, lines: Sequence[str]) -> str:
        self.paged.append(lines)
        return ""


class Driven:
    """A running picker and what a person sees of it."""

    def __init__(self, app: PickerApp, pilot: Pilot[Outcome]) -> None:
        self.app = app
        self.pilot = pilot

    async def until(self, is_so: Callable[[], object], seconds: float = 20.0) -> None:
        """Wait until something is so; fail with the screen when it does not become so."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not is_so():
            if loop.time() > end:
                raise AssertionError("not so:\n" + "\n".join(self.rows()))
            await self.pilot.pause(0.01)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Type a query and wait for its answer."""
        await self.pilot.press(*("space" if letter == " " else letter for letter in text))
        await self.answered(text)

    async def answered(self, query: str | None = None) -> None:
        """Wait until the list answers the present state in full, also on a busy machine, and the preview belongs to the
        selected entry.
        """
        app = self.app

        def is_shown() -> bool:
            found, selected = app.found, app.hit_list.selected
            if found is None or found.is_cut or found.state != app.state:
                return False
            if query is not None and found.state.query != query:
                return False
            if selected is None:
                return True
            shown = app.preview
            return shown is not None and shown.entry == selected and shown.columns == app.pane.columns

        await self.until(is_shown)

    def rows(self) -> list[str]:
        """The rows of the screen, as text without the blanks at their ends."""
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    def shows(self, text: str) -> bool:
        return any(text in row for row in self.rows())

    @property
    def status(self) -> str:
        return self.rows()[1]

    @property
    def ids(self) -> list[str]:
        return [entry.session_id for entry in self.app.hit_list.entries]


@asynccontextmanager
async def open_picker(
    recall: Recall,
    *,
    query: str = "",
    size: tuple[int, int] = (80, 24),
    picks: bool = False,
    desk: Desk | None = None,
    redact: bool = False,
) -> AsyncIterator[Driven]:
    """A picker over `recall`, whose first answer is shown."""
    app = HeadlessPicker(
        recall,
        SearchState(query, redact=redact),
        (desk or Desk()).surroundings(),
        picks=picks,
        now=NOW,
        theme="ansi-dark",
    )
    async with app.run_test(size=size) as pilot:
        driven = Driven(app, pilot)
        await driven.answered()
        yield driven


def drive(test: Coroutine[Any, Any, None]) -> None:
    """Run a test to its end."""
    asyncio.run(test)


def demo_recall(folder: Path) -> Recall:
    """A Recall over the demo history, with its index in memory."""
    path = folder / "demo.jsonl"
    path.write_text(history(), encoding="utf-8")
    return Recall(open_sources(path), None)


def write_history(path: Path, sessions: Iterable[Session]) -> None:
    """Write a history file with these sessions."""
    from recall_rank.frontends.cli.output.export_formats import history_lines
    from recall_rank.model.serialize import json_line

    lines = (json_line(entry) + b"\n" for session in sessions for entry in history_lines(session))
    path.write_bytes(b"".join(lines))


def recall_of(folder: Path, *sessions: Session, cache: Path | None = None) -> Recall:
    """A Recall over a history file with these sessions."""
    path = folder / "history.jsonl"
    write_history(path, sessions)
    return Recall(open_sources(path), cache)
