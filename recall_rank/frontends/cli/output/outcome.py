"""How a command ends: its exit codes, and an error as text for people or JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from recall_rank.frontends.cli.output.terminal import escape, safe_json

if TYPE_CHECKING:
    from recall_rank.model import SourceReport

HITS: Final = 0
NO_HITS: Final = 1
USAGE: Final = 2
ALL_SOURCES_FAILED: Final = 3
NOT_WRITTEN: Final = 4
SCHEMA_VERSION: Final = 1  # of what --json prints: higher once a name goes or means something else, not for new ones
INTERRUPTED: Final = 130  # what a shell reports for a program ended by Ctrl-C


def fail(message: str, code: int, *, as_json: bool) -> NoReturn:
    """Ends the command: the message goes to stderr, or to stdout as {"ok": false, ...} when JSON was asked for."""
    if as_json:
        from recall_rank.model.serialize import error_to_dict

        print_json(error_to_dict(message))
    else:
        click.echo(f"recall-rank: {escape_lines(message)}", err=True)
    raise click.exceptions.Exit(code)


def print_json(value: Mapping[str, Any]) -> None:
    """One line of JSON on stdout, harmless on a terminal, with the version of what its names mean."""
    import orjson

    click.echo(safe_json(orjson.dumps({**value, "schema_version": SCHEMA_VERSION})))


def every_source_failed(reports: Sequence[SourceReport]) -> bool:
    """Nothing could be read although there was something to read."""
    return bool(reports) and all(report.failed for report in reports)


def escape_lines(message: str) -> str:
    """The message with its own line ends kept and everything else a terminal could act on escaped."""
    return "\n".join(escape(line) for line in message.split("\n"))
