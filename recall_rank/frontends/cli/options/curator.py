"""The option --curator: the program or model that picks what was looked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def curator_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --curator to a command."""
    return click.option(
        "--curator",
        metavar="CURATOR",
        help="command:PROGRAM ARGUMENTS, llm, llm:MODEL, sampling or extractive. Default: RECALL_RANK_CURATOR.",
    )(command)
