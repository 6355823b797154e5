"""The options that say how an answer is shown: --color, --no-pager, and the forms --oneline, --tsv and -q."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import click

from recall_rank.frontends.cli.output.console import USAGE, fail
from recall_rank.frontends.cli.output.display import FORM, META, QUIET

Form = Literal["lines", "oneline", "tsv", "ids", "json"]
_FORMS: Final = {"as_json": "--json", "oneline": "--oneline", "tsv": "--tsv", "ids": "--quiet"}


def display_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --color and --no-pager to a command; given_display() returns what they say."""
    color = click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), expose_value=False, callback=_note(META, "color"),
        help="Colours. Default: as the settings say, else auto: on a terminal unless NO_COLOR is set.",
    )  # fmt: skip
    pager = click.option(
        "--no-pager", is_flag=True, expose_value=False, callback=_note(META, "no_pager"),
        help="Do not start a pager for an answer that is longer than the screen.",
    )  # fmt: skip
    return color(pager(command))


def form_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --oneline, --tsv and -q to a command that has --json; given_form() returns the form that they choose."""
    for option in reversed(
        (
            click.option(
                "--oneline", is_flag=True, expose_value=False, callback=_note(FORM, "oneline"),
                help="Print one line for each.",
            ),
            click.option(
                "--tsv", is_flag=True, expose_value=False, callback=_note(FORM, "tsv"),
                help="Print a line of columns with tabs between them for each, for other programs.",
            ),
            click.option(
                "--quiet", "-q", is_flag=True, expose_value=False, callback=_note(FORM, QUIET),
                help="Print only ids, and no notes.",
            ),
        )
    ):  # fmt: skip
        command = option(command)
    return command


def given_form(*, as_json: bool) -> Form:
    """Return the form in which the running command prints its answer. Several at once end it as a usage error."""
    chosen = [*(["as_json"] if as_json else []), *click.get_current_context().meta.get(FORM, {})]
    if len(chosen) > 1:
        fail(f"{' and '.join(_FORMS[name] for name in chosen)} exclude each other", USAGE, as_json=as_json)
    names: dict[str, Form] = {"as_json": "json", "oneline": "oneline", "tsv": "tsv", "ids": "ids"}
    return names[chosen[0]] if chosen else "lines"


def _note(place: str, name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Return a click callback that stores the value of an option under `name` in the context of the command."""

    def note(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            context.meta.setdefault(place, {})[name] = value

    return note
