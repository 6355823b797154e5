"""The picker as a Textual application: what its keys do with the screen, the hits and their sessions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Literal

from textual import on
from textual.binding import Binding, BindingType

from recall_rank.frontends.cli.browse.entries import ListEntry
from recall_rank.frontends.cli.browse.export import ExportError, export_sessions, file_name
from recall_rank.frontends.cli.browse.keys import EVERYWHERE
from recall_rank.frontends.cli.browse.outcome import Picked, Reopening, command_of
from recall_rank.frontends.cli.browse.screens import ChoiceScreen, ConfirmScreen, HelpScreen, PathScreen
from recall_rank.frontends.cli.browse.search import choices_of
from recall_rank.frontends.cli.browse.searching_app import SearchingApp
from recall_rank.frontends.cli.browse.state import KINDS, ROLES, TIMES, Filter
from recall_rank.frontends.cli.browse.widgets import HitList
from recall_rank.frontends.cli.output.clipboard import MOST as MOST_COPIED
from recall_rank.frontends.cli.output.copied_text import copied_text
from recall_rank.frontends.display_text import counted, escaped, unsafe_in_lines
from recall_rank.frontends.redaction.redact import redacted
from recall_rank.frontends.redaction.redacted_answers import session_without_secrets
from recall_rank.frontends.transcripts.reopen import why_not_reopened


class PickerApp(SearchingApp):
    """The picker of `recall-rank browse`. It ends with an Outcome."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key.name, key.action, key.does, show=False, priority=True) for key in EVERYWHERE
    ]

    def action_to_list(self) -> None:
        """Go from the query to the list."""
        self._take_query()
        if self.hit_list.entries or not self._is_answered:
            self.screen.set_focus(self.hit_list)

    def action_to_preview(self) -> None:
        """Go to the preview; to the query where there is none."""
        self.screen.set_focus(self.pane if self.pane.region.height else self.query_line)

    def action_to_query(self) -> None:
        """Go to the query."""
        self.screen.set_focus(self.query_line)

    def action_leave_query(self) -> None:
        """Clear the query; quit where it is empty."""
        if self.query_line.value:
            self.query_line.value = ""
        else:
            self.exit(None)

    def action_leave(self) -> None:
        """Quit without a choice."""
        self.exit(None)

    def action_move(self, by: int) -> None:
        """Select the entry `by` rows further; go to the query from above the first one."""
        hits = self.hit_list
        if by < 0 and hits.cursor == 0:
            self.action_to_query()
        else:
            hits.move(hits.cursor + by)

    def action_move_page(self, by: int) -> None:
        """Select the entry a screen further."""
        hits = self.hit_list
        hits.move(hits.cursor + by * max(hits.size.height - 1, 1))

    def action_move_to_end(self, by: int) -> None:
        """Select the last entry, or the first one for a negative `by`."""
        self.hit_list.move(len(self.hit_list.entries) if by > 0 else 0)

    def action_scroll_preview(self, by: int) -> None:
        """Scroll the preview by three rows."""
        self.pane.scroll_relative(y=3 * by, animate=False)

    def action_mark(self) -> None:
        """Mark the selected entry, or take its mark away, and go to the next one."""
        self._on_answer(self._mark)

    def _mark(self) -> None:
        hits = self.hit_list
        hits.toggle_mark()
        hits.move(hits.cursor + 1)
        self._tell_status()

    def action_next_match(self, by: int) -> None:
        """Show the next match in the session, or the one before."""
        shown = self.preview
        if shown is None:
            return
        place = shown.matches.step(shown.place, by)
        if place is None:
            self._tell("this is the last match in the session" if by > 0 else "this is the first match in the session")
        else:
            self._tell("")
            self._preview_at(place)

    def action_switch(self, name: Literal["group", "order", "match"]) -> None:
        """Set a switch to its next value."""
        self._change(self.state.switched(name))
        self._tell_status()

    def action_clear_filters(self) -> None:
        """Take all filters away."""
        self._change(self.state.cleared())
        self._tell_status()

    def action_choose(self, name: Filter) -> None:
        """Let a person choose the value of a filter."""
        values: Sequence[tuple[str, str]]
        if name in ("agent", "project"):
            values = [(value, value) for value in choices_of(self.recall, name)]
        elif name == "last":
            values = list(TIMES.items())
        else:
            values = [(value, value) for value in (ROLES if name == "role" else KINDS)]

        def filter_by(value: str | None) -> None:
            if value is not None:
                self._change(self.state.filtered(name, value))
                self._tell_status()

        self.push_screen(ChoiceScreen("time" if name == "last" else name, values, getattr(self.state, name)), filter_by)

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(HelpScreen(picks=self.picks))

    @on(HitList.Chosen)
    def action_accept(self) -> None:
        """Print the choice, or ask whether the selected session shall be reopened."""
        self._on_answer(self._accept)

    def _accept(self) -> None:
        entry = self.hit_list.selected
        if entry is None:
            return
        if self.picks:
            self.exit(Picked(tuple(self.hit_list.marked.values()) or (entry,)))
            return
        try:
            session = self.recall.session(entry.session_id)
        except LookupError as error:
            self._tell(str(error.args[0]))
            return
        command = command_of(session)
        if command is None:
            self._tell(f"cannot reopen: {why_not_reopened(session)}")
            return

        def reopen(confirmed: bool | None) -> None:
            if confirmed:
                self.exit(Reopening(command))

        self.push_screen(ConfirmScreen(command.line), reopen)

    def action_copy(self) -> None:
        """Copy the text of the selected hit, or of all that are marked."""
        self._on_answer(self._begin_copy)

    def _begin_copy(self) -> None:
        if entries := self._chosen():
            self._tell("reading what is copied")
            self.run_worker(partial(self._copy, entries), thread=True, group="copy", exit_on_error=False)

    def _copy(self, entries: Sequence[ListEntry]) -> None:
        try:
            text = "\n\n".join(filter(None, map(self._text_of, entries)))
        except LookupError as error:
            self._fail(Exception(str(error.args[0])))
            return
        except OSError as error:
            self._fail(error)
            return
        text = unsafe_in_lines().sub(escaped, redacted(text) if self.state.redact else text)
        if not text:
            self._from_thread(self._tell)("there is no text to copy")
            return
        through = self.surroundings.copy(text)
        self._from_thread(self._copied)((text, through))

    def _text_of(self, entry: ListEntry) -> str:
        """Return the text of a hit; of an entry that no query found the title."""
        if not entry.message_id:
            return self.recall.session(entry.session_id).title or entry.session_id
        return copied_text(self.recall.get(entry.session_id, entry.message_id).message, entry.part_id)

    def _copied(self, copied: tuple[str, str | None]) -> None:
        text, through = copied
        size = len(text.encode("utf-8", "replace"))
        if through is None:
            if size > MOST_COPIED:
                self._tell(f"{size:,} bytes are more than terminals take ({MOST_COPIED:,}): press e to export")
                return
            self.copy_to_clipboard(text)
        self._tell(f"copied through {through or 'the terminal'}: {counted(len(text), 'character', 'characters')}")

    def action_open(self) -> None:
        """Open the whole transcript in the pager."""
        self._on_answer(self._open_selected)

    def _open_selected(self) -> None:
        entry = self.hit_list.selected
        if entry is not None:
            self._tell("reading the session")
            self.run_worker(partial(self._read, entry), thread=True, group="open", exit_on_error=False)

    def _read(self, entry: ListEntry) -> None:
        from recall_rank.frontends.transcripts.gather import read_transcript
        from recall_rank.frontends.transcripts.homes import own_homes
        from recall_rank.frontends.transcripts.render import transcript_lines

        try:
            changed = session_without_secrets if self.state.redact else None
            read = read_transcript(self.recall, self.recall.session(entry.session_id), changed=changed)
        except LookupError as error:
            self._fail(Exception(str(error.args[0])))
        except OSError as error:
            self._fail(error)
        else:
            self._from_thread(self._page)(list(transcript_lines(read, own_homes())))

    def _page(self, lines: list[str]) -> None:
        with self.suspend():
            said = self.surroundings.page(lines)
        self._tell(said)

    def action_export(self) -> None:
        """Ask for a name, and export the selected session or all that are marked."""
        self._on_answer(self._ask_for_name)

    def _ask_for_name(self) -> None:
        entries = self._chosen()
        ids = list(dict.fromkeys(entry.session_id for entry in entries))
        if not ids:
            return
        if len(ids) == 1:
            question = "Export to this file (.md, .html or .jsonl); Esc goes back"
            asked = PathScreen(question, file_name(ids[0]))
        else:
            asked = PathScreen(f"Export {len(ids):,} sessions into this folder; Esc goes back", "sessions")

        def write(named: str | None) -> None:
            if named:
                self._tell("writing")
                self.run_worker(partial(self._export, ids, named), thread=True, group="export", exit_on_error=False)

        self.push_screen(asked, write)

    def _export(self, ids: Sequence[str], named: str) -> None:
        try:
            self._from_thread(self._tell)(export_sessions(self.recall, ids, named, redact=self.state.redact))
        except ExportError as error:
            self._fail(error)

    def _chosen(self) -> tuple[ListEntry, ...]:
        """Return the marked entries, else the selected one."""
        selected = self.hit_list.selected
        return tuple(self.hit_list.marked.values()) or (() if selected is None else (selected,))
