"""Styled lines on stdout: colour where a person is looking, plain text everywhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from recall_rank.frontends.cli.output.human import Line


def paint(lines: Iterable[Line], stream: TextIO | None = None, *, colour: bool | None = None) -> None:
    """Writes the lines. Colour follows the stream being a terminal and NO_COLOR unless said otherwise."""
    stream = stream or sys.stdout
    if colour is None:
        colour = stream.isatty() and not os.environ.get("NO_COLOR")
    if not colour:
        for line in lines:
            click.echo("".join(text for text, _ in line), file=stream)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True)
