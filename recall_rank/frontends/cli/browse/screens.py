"""The screens that stand over the picker: a question, a choice, a file name, the keys.

Text in them comes from histories or from a person, and is shown as it is: markup in it is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from recall_rank.frontends.cli.browse.keys import help_lines
from recall_rank.frontends.cli.browse.state import ANY
from recall_rank.frontends.display_text import escape, one_line

_FRAME: Final = """
{name} {{ align: center middle; }}
{name} > .box {{ width: 90%; max-width: 100; height: auto; max-height: 90%; border: solid; padding: 0 1; }}
"""


class ConfirmScreen(ModalScreen[bool]):
    """Shows a command and asks whether it shall be run."""

    CSS = _FRAME.format(name="ConfirmScreen")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,y", "answer(True)", show=False, priority=True),
        Binding("escape,n,q", "answer(False)", show=False, priority=True),
    ]

    def __init__(self, command: str) -> None:
        super().__init__()
        self.command = command

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(Text(escape(self.command)), id="command")
            yield Static(Text("\nEnter runs it and ends the picker, Esc goes back."))

    def action_answer(self, answer: bool) -> None:
        """Close the screen with the answer."""
        self.dismiss(answer)


class ChoiceScreen(ModalScreen[str | None]):
    """Lets a person choose one of several values, or any; None when nothing was chosen."""

    CSS = (
        _FRAME.format(name="ChoiceScreen") + "ChoiceScreen OptionList { height: auto; max-height: 100%; border: none; }"
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", show=False, priority=True)]

    def __init__(self, name: str, values: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer `values`, pairs of a value and its name for people; `chosen` is the present one."""
        super().__init__()
        self.values = [(ANY, f"any {name}"), *values]
        self.chosen = chosen

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield OptionList(*(Option(Text(one_line(shown))) for _, shown in self.values))

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        values = [value for value, _ in self.values]
        options.highlighted = values.index(self.chosen) if self.chosen in values else 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.values[event.option_index][0])

    def on_key(self, event: events.Key) -> None:
        """Go to the next value that begins with a typed letter."""
        options = self.query_one(OptionList)
        if not event.is_printable or event.character is None or event.character == "q":
            return
        at = options.highlighted or 0
        order = [*range(at + 1, len(self.values)), *range(at + 1)]
        letter = event.character.casefold()
        options.highlighted = next((n for n in order if self.values[n][1].casefold().startswith(letter)), at)
        event.stop()

    def action_leave(self) -> None:
        """Close the screen without a choice."""
        self.dismiss(None)


class PathScreen(ModalScreen[str | None]):
    """Asks for the file or folder of an export; None when nothing shall be written."""

    CSS = _FRAME.format(name="PathScreen")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False, priority=True)]

    def __init__(self, question: str, suggested: str) -> None:
        super().__init__()
        self.question = question
        self.suggested = suggested

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(Text(self.question))
            yield Input(self.suggested, compact=True, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip() or None)

    def action_leave(self) -> None:
        """Close the screen without a name."""
        self.dismiss(None)


class HelpScreen(ModalScreen[None]):
    """Shows all keys and the operators of a query."""

    CSS = _FRAME.format(name="HelpScreen")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "leave", show=False, priority=True)
    ]

    def __init__(self, *, picks: bool) -> None:
        super().__init__()
        self.picks = picks

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="box"):
            yield Static(Text("\n".join(help_lines(picks=self.picks))))

    def action_leave(self) -> None:
        """Close the screen."""
        self.dismiss(None)
