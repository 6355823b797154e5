"""The command `recall-rank`: the list of its commands, each loaded only when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Final

import click

from recall_rank.frontends.outcome import INTERRUPTED

_COMMANDS: Final = {
    "search": "recall_rank.frontends.cli_search",
    "get": "recall_rank.frontends.cli_get",
    "context": "recall_rank.frontends.cli_context",
    "messages": "recall_rank.frontends.cli_messages",
    "sessions": "recall_rank.frontends.cli_sessions",
    "sources": "recall_rank.frontends.cli_sources",
    "refresh": "recall_rank.frontends.cli_refresh",
    "purge": "recall_rank.frontends.cli_purge",
    "forget": "recall_rank.frontends.cli_forget",
    "stats": "recall_rank.frontends.cli_stats",
    "export": "recall_rank.frontends.cli_export",
    "batch": "recall_rank.frontends.cli_batch",
    "evaluate": "recall_rank.frontends.cli_evaluate",
    "mcp": "recall_rank.frontends.cli_mcp",
    "demo": "recall_rank.frontends.cli_demo",
    "completion": "recall_rank.frontends.cli_completion",
}


class LazyGroup(click.Group):
    """Knows its commands by name; a command's module is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(_COMMANDS[cmd_name]).command
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            answer: object = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_stdout()  # the reader has seen enough
            ctx.exit(0)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        return answer


def _discard_stdout() -> None:
    """What is still buffered goes nowhere, so that it does not fail again when the interpreter exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="recall-rank", prog_name="recall-rank")
def cli() -> None:
    """Find what coding agents did before: words, half-remembered words, misspelt identifiers, error lines.

    Reads the agents' own histories and never changes them.
    """
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")  # a terminal without UTF-8 still shows an answer


def main() -> None:
    """Runs the command line and exits: 0 hits, 1 none, 2 usage, 3 every source failed."""
    cli(prog_name="recall-rank")
