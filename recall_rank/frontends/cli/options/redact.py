"""The option --redact of every command that shows recalled text, whose default the settings may change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def redact_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --redact and --no-redact to a command; its function gets whether keys and passwords are replaced."""
    return click.option(
        "--redact/--no-redact",
        default=None,
        is_eager=True,  # settings that cannot be read end the command before another option opens a file
        callback=_or_setting,
        help="Replace keys and passwords in what is shown. Default: as the settings say, else no.",
    )(command)


def _or_setting(context: click.Context, _: click.Parameter, value: bool | None) -> bool:
    if value is not None or context.resilient_parsing:
        return bool(value)
    from recall_rank.histories.settings import settings

    try:
        return bool(settings().defaults.redact)
    except ValueError as error:
        raise click.ClickException(str(error)) from error  # of the settings, not of this option
