"""The option --limit, which means on every command that lists something how much of it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import click

MOST: Final = 1000  # what the engine returns at once


def limit_option(
    what: str, default: int, *names: str, most: int = MOST
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds --limit and -n to a command: how many of `what` are shown, `default` unless given.

    `names` are further names of the option, and the name of the parameter of the command's function.
    """
    return click.option(
        "--limit",
        "-n",
        *names,
        type=click.IntRange(1, most),
        metavar="N",
        help=f"How many {what} to show. Default: {default}.",
    )
