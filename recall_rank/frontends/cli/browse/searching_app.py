"""The screen of the picker: a query, its hits and a preview. Searches and previews are made in threads of their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Container, Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from recall_rank.frontends.cli.browse.entries import ListEntry, index_of
from recall_rank.frontends.cli.browse.keys import LIST_KEYS, QUERY_KEYS, footer
from recall_rank.frontends.cli.browse.latest_worker import LatestWorker
from recall_rank.frontends.cli.browse.outcome import Outcome, Surroundings
from recall_rank.frontends.cli.browse.preview import Preview, PreviewMatches, preview, session_matches
from recall_rank.frontends.cli.browse.search import ListAnswer, find, has_index
from recall_rank.frontends.cli.browse.state import (
    KEY_BUDGET_MS,
    MOST,
    WHOLE_BUDGET_MS,
    SearchState,
)
from recall_rank.frontends.cli.browse.widgets import HitList, PreviewPane, QueryLine, TextRow
from recall_rank.frontends.cli.output.sources_hint import sources_command
from recall_rank.frontends.display_text import one_line
from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    import threading

    from recall_rank.recall import Recall

REST_SECONDS: Final = 0.15  # without a key, after which a search that the budget cut is made in full
PREVIEW_SECONDS: Final = 0.03  # without a new selection, after which the preview follows
REFRESH_SECONDS: Final = 4.0  # between two looks for what the agents have written meanwhile
BESIDE: Final = 110  # columns from which the preview stands beside the list
LOW: Final = 9  # rows below which there is no preview


class Delivered(Message):
    """A value that a thread has made, with the function that takes it in the thread of the screen."""

    def __init__(self, take: Callable[[Any], None], value: Any) -> None:
        super().__init__()
        self.take = take
        self.value = value


def _typed_text(event: events.Event) -> str:
    """Return the text that an event types; "" for any other event."""
    if isinstance(event, events.Paste):
        return " ".join(event.text.splitlines())
    return event.character or "" if isinstance(event, events.Key) and event.is_printable else ""


class SearchingApp(App[Outcome]):
    """A Textual application that searches while a person types, and shows the hits with a preview of the selected one.

    A history is only read. PickerApp adds what the keys do.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "recall-rank"
    CSS = """
    Screen { layout: vertical; }
    #top { height: 1; }
    #prompt { width: 2; }
    QueryLine, QueryLine:focus { border: none; height: 1; padding: 0; width: 1fr; background: ansi_default; }
    #body { height: 1fr; }
    HitList { height: 2fr; min-height: 1; }
    #shown { height: 3fr; }
    PreviewPane { height: 1fr; }
    .-beside #body { layout: horizontal; }
    .-beside HitList { width: 5fr; height: 1fr; }
    .-beside #shown { width: 6fr; height: 1fr; border-left: solid ansi_bright_black; }
    .-low #shown { display: none; }
    """

    def __init__(
        self,
        recall: Recall,
        state: SearchState,
        surroundings: Surroundings,
        *,
        picks: bool = False,
        now: int | None = None,
        theme: str = "ansi-dark",
    ) -> None:
        """Search `recall`, beginning with `state`. With `picks`, Enter ends with the choice in place of reopening it.
        `now`, in epoch milliseconds, is fixed for tests and pictures; None is the time of the day.
        """
        super().__init__()
        self._sources = sources_command()  # of the command that runs the picker, which other threads do not see
        self.HORIZONTAL_BREAKPOINTS = [(0, "-stacked"), (BESIDE, "-beside")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high")]
        self.recall = recall
        self.state = state
        self.surroundings = surroundings
        self.picks = picks
        self.found: ListAnswer | None = None
        self.preview: Preview | None = None
        self._fixed_now = now
        self._wanted_key: tuple[str, str, str] | None = None  # of the entry that stays selected in the next answer
        self._when_found: list[Callable[[], None]] = []  # what keys do that came before the answer
        self._progress = ""
        self._told = ""
        self._unread: list[str] = []  # the sources that could not be read, and why
        self._is_refreshing = False
        self._is_ready = False  # whether something can be searched
        self._searcher: LatestWorker[ListAnswer] = LatestWorker("search", self._from_thread(self._show), self._fail)
        self._previewer: LatestWorker[Preview | None] = LatestWorker(
            "preview", self._from_thread(self._show_preview), self._fail
        )
        self._matches: tuple[str, SearchState, ListAnswer | None, PreviewMatches] | None = None
        self.theme = theme

    # --- building the screen ----------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        with Horizontal(id="top"):
            yield Static(Text("> "), id="prompt")
            yield QueryLine(self.state.query, id="query", compact=True, select_on_focus=False)
        yield TextRow(id="status")
        with Container(id="body"):
            yield HitList(self.now, id="list")
            with Container(id="shown"):
                yield TextRow(id="heading")
                yield PreviewPane(id="preview")
        yield TextRow(id="keys")

    def on_mount(self) -> None:
        self.query_line.focus()
        self._tell_keys()
        self.run_worker(self._open, thread=True, group="open", exit_on_error=False)
        self.set_interval(REFRESH_SECONDS, self._look_for_news)
        self._rest = self.set_timer(REST_SECONDS, self._search_whole, pause=True)

    def on_unmount(self) -> None:
        self._searcher.close()
        self._previewer.close()

    @property
    def now(self) -> int:
        """The time from which ages are counted, in epoch milliseconds."""
        return int(time.time() * 1000) if self._fixed_now is None else self._fixed_now

    @property
    def query_line(self) -> QueryLine:
        """The line in which the query is typed."""
        return self.query_one("#query", QueryLine)

    @property
    def hit_list(self) -> HitList:
        """The list of entries."""
        return self.query_one("#list", HitList)

    @property
    def pane(self) -> PreviewPane:
        """The preview."""
        return self.query_one("#preview", PreviewPane)

    # --- searching --------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        """Read the histories, in a thread. What the cache has can be searched at once."""
        if has_index(self.recall.folder):
            self._from_thread(self._searchable)(None)
        try:
            reports = self.recall.prepare(self._advance, soon=lambda: self._from_thread(self._searchable)(None))
        except Exception as error:  # noqa: BLE001 - the picker shows it; nobody else can
            self._fail(error)
        else:
            unread = [f"not read: {report.agent}: {error}" for report in reports for error in report.errors]
            self._from_thread(self._opened)(unread)

    def _advance(self, stage: str, done: int, total: int | None) -> None:
        """Take the progress of reading, in the thread that reads."""
        said = f"{stage} {done:,}" + (f" of {total:,}" if total else "")
        if not self._progress or done == total or done % 16 == 0:
            self._from_thread(self._show_progress)(said)
        self._progress = said

    def _show_progress(self, said: str) -> None:
        self._progress = said
        self._tell_status()

    def _searchable(self, _: None) -> None:
        self._is_ready = True
        self._search()

    def _opened(self, unread: list[str]) -> None:
        self._progress = ""
        self._unread = unread
        self._searchable(None)

    def _search(self, *, budget_ms: float = KEY_BUDGET_MS) -> None:
        """Begin the search for the present state. Returns at once; the answer of the newest search is shown."""
        if self._is_ready:
            self._searcher.ask(partial(self._find, self.state, budget_ms))

    def _find(self, state: SearchState, budget_ms: float, cancel: threading.Event) -> ListAnswer:
        return find(self.recall, state, cancel, budget_ms=budget_ms, now=self.now, sources=self._sources)

    def _search_whole(self) -> None:
        self._search(budget_ms=WHOLE_BUDGET_MS)

    def _change(self, state: SearchState, *, keep: bool = True) -> None:
        """Search for another state; with `keep` the selected entry stays selected where the answer has it."""
        self.state = state
        self._when_found = []
        selected = self.hit_list.selected
        self._wanted_key = selected.key if keep and selected is not None else None
        self._told = ""
        self._rest.stop()
        self._search()

    def _show(self, found: ListAnswer) -> None:
        self.found = found
        hits = self.hit_list
        hits.now = self.now
        hits.show(found.entries, index_of(found.entries, self._wanted_key))
        self._tell_status()
        self._select()
        if self._is_answered:
            acts, self._when_found = self._when_found, []
            screens = len(self.screen_stack)
            for act in acts:
                if len(self.screen_stack) == screens:  # the one before has not asked anything
                    act()
        if found.is_cut:
            self._rest.stop()
            self._rest = self.set_timer(REST_SECONDS, self._search_whole)

    def _fail(self, error: Exception) -> None:
        """Show an error of a thread."""
        reason = error.strerror if isinstance(error, OSError) else None  # a path would push it off the line
        self._from_thread(self._tell)(reason or error_text(error))

    def _from_thread(self, take: Callable[[Any], None]) -> Callable[[Any], None]:
        """Return a function that hands a value to `take` in the thread of the screen, and returns at once."""
        return lambda value: cast("None", self.post_message(Delivered(take, value)))

    @on(Delivered)
    def _take(self, event: Delivered) -> None:
        if self.is_running:  # else the picker ends, and its widgets go one by one
            event.take(event.value)

    async def on_event(self, event: events.Event) -> None:
        """Take what is typed into the query at once: Textual would hand it on, and a key that follows would overtake
        it.
        """
        text = "" if event.is_forwarded else _typed_text(event)
        if text and self.focused is self.query_line:
            self.query_line.put(text)
            self._take_query()
        else:
            await super().on_event(event)

    @on(Input.Changed, "#query")
    def _take_query(self) -> None:
        if self.query_line.value != self.state.query:
            self._change(self.state.asking(self.query_line.value), keep=False)

    @property
    def _is_answered(self) -> bool:
        """Whether the list answers the present state; not, where the budget ended before anything was found."""
        found = self.found
        return found is not None and found.state == self.state and not (found.is_cut and not found.entries)

    def _on_answer(self, act: Callable[[], None]) -> None:
        """Do something with the selected entry: at once, or when the list answers what was typed before."""
        self._take_query()
        if self._is_answered:
            act()
        else:
            self._when_found.append(act)

    def _look_for_news(self) -> None:
        """Look for what the agents have written meanwhile, unless the index is in memory or a look is under way."""
        if self._is_ready and not self._progress and not self._is_refreshing and self.recall.folder is not None:
            self._is_refreshing = True
            self.run_worker(self._refresh, thread=True, group="refresh", exit_on_error=False)

    def _refresh(self) -> None:
        try:
            report = self.recall.refresh()
        except Exception as error:  # noqa: BLE001 - the search goes on with the older index
            self._fail(error)
        else:
            if report.changed:
                self._from_thread(self._refreshed)(None)
        finally:
            self._is_refreshing = False

    def _refreshed(self, _: None) -> None:
        selected = self.hit_list.selected
        self._wanted_key = selected.key if selected is not None else None
        self._search()

    # --- the preview ------------------------------------------------------------------------------------------------

    def _select(self) -> None:
        """Let the preview follow the selected entry."""
        entry = self.hit_list.selected
        if entry is None:
            self._previewer.ask(lambda _: None)
            return
        self._previewer.ask(partial(self._preview_of, entry, self.state, self.found, None, self.pane.columns))

    def _preview_of(
        self,
        entry: ListEntry,
        state: SearchState,
        found: ListAnswer | None,
        place: int | None,
        columns: int,
        cancel: threading.Event,
    ) -> Preview | None:
        """Return the preview of the message at `place`, or of the message of the entry, in a thread."""
        if cancel.wait(PREVIEW_SECONDS):
            return None  # another entry is selected already: nobody gets this answer
        kept = self._matches
        if kept is not None and kept[0] == entry.session_id and kept[1] == state and kept[2] is found:
            matches: PreviewMatches | None = kept[3]
        else:
            matches = session_matches(self.recall, entry.session_id, state, cancel, self.now)
        if matches is None or not matches.session.messages:
            return None
        self._matches = (entry.session_id, state, found, matches)
        return preview(
            matches, entry, matches.place_of(entry.message_id) if place is None else place, columns, self.now
        )

    def _show_preview(self, shown: Preview | None) -> None:
        self.preview = shown
        if shown is None:
            self.pane.show((), 0, 0)
            self.query_one("#heading", TextRow).show([])
            return
        self.pane.show(shown.rows, shown.top, shown.match)
        if shown.columns != self.pane.columns:  # the screen was laid out anew while it was made
            self._preview_at(shown.place)
        title = one_line(shown.matches.session.title or shown.entry.session_id) or "untitled"
        self.query_one("#heading", TextRow).show([(shown.heading, "green"), (" · ", "dim"), (title, "bold")])

    @on(PreviewPane.Resized)
    def _wrap_again(self) -> None:
        self._tell_keys()
        if self.preview is not None:
            self._preview_at(self.preview.place)

    def _preview_at(self, place: int) -> None:
        shown = self.preview
        if shown is not None:
            self._previewer.ask(
                partial(self._preview_of, shown.entry, self.state, self.found, place, self.pane.columns)
            )

    @on(HitList.Moved)
    def _moved(self) -> None:
        self._told = ""
        self._tell_status()
        self._select()
        found = self.found
        is_last = found is not None and self.hit_list.cursor >= len(found.entries) - 1
        if found is not None and is_last and found.has_more and self.state.limit < MOST:
            self._change(self.state.longer())

    # --- what the rows say ------------------------------------------------------------------------------------------

    def _tell(self, said: str) -> None:
        """Show a sentence in the status row until the next search or selection."""
        self._told = one_line(said)
        self._tell_status()

    def _tell_status(self) -> None:
        found, marked = self.found, len(self.hit_list.marked)
        line: list[tuple[str, str]] = []
        if self._told:
            line.append((self._told, "bold"))
        elif self._progress:
            line.append((f"reading the histories: {one_line(self._progress)}", "yellow"))
        elif found is not None:
            line.append((found.figures, "green"))
        else:
            line.append(("reading the histories", "yellow"))
        if marked:
            line.append((f" · {marked:,} marked", "bold"))
        line += [(f" · {one_line(said)}", "cyan") for said in self.state.filters]
        if found is not None and not self._told:
            line += [(f" · {remark}", "yellow") for remark in found.remarks or map(one_line, self._unread[:1])]
        self.query_one("#status", TextRow).show(line)

    def _tell_keys(self) -> None:
        keys = QUERY_KEYS if self.focused is self.query_line else LIST_KEYS
        self.query_one("#keys", TextRow).show([(footer(keys, self.size.width, picks=self.picks), "dim")])

    def on_descendant_focus(self, _: events.DescendantFocus) -> None:
        self._tell_keys()
