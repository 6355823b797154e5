"""The command `recall-rank`: the list of its commands, each loaded only when it is called."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Final

import click

from recall_rank.frontends.cli.output.outcome import INTERRUPTED, NOT_WRITTEN, fail

_COMMANDS: Final = {
    "search": "recall_rank.frontends.cli.commands.search",
    "get": "recall_rank.frontends.cli.commands.get",
    "context": "recall_rank.frontends.cli.commands.context",
    "messages": "recall_rank.frontends.cli.commands.messages",
    "sessions": "recall_rank.frontends.cli.commands.sessions",
    "sources": "recall_rank.frontends.cli.commands.sources",
    "refresh": "recall_rank.frontends.cli.commands.refresh",
    "purge": "recall_rank.frontends.cli.commands.purge",
    "forget": "recall_rank.frontends.cli.commands.forget",
    "stats": "recall_rank.frontends.cli.commands.stats",
    "export": "recall_rank.frontends.cli.commands.export",
    "batch": "recall_rank.frontends.cli.commands.batch",
    "evaluate": "recall_rank.frontends.cli.commands.evaluate",
    "mcp": "recall_rank.frontends.cli.commands.mcp",
    "demo": "recall_rank.frontends.cli.commands.demo",
    "completion": "recall_rank.frontends.cli.commands.completion",
}
_ASKING: Final = ("search", "demo")
_WORDS: Final = "recall_rank.words"
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)  # it takes no more


class LazyGroup(click.Group):
    """Knows its commands by name; a command's module is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(_COMMANDS[cmd_name]).command
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_WORDS] = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        words = ctx.meta[_WORDS]
        as_json = "--json" in (words[: words.index("--")] if "--" in words else words)
        try:
            answer: object = super().invoke(ctx)
            sys.stdout.flush()
        except click.FileError as error:
            fail(error.format_message(), NOT_WRITTEN, as_json=as_json)
        except click.UsageError as error:
            told = _with_a_way_out(error)
            if not as_json:
                raise told from error  # click shows the command's usage
            fail(told.format_message(), told.exit_code, as_json=True)
        except BrokenPipeError:
            _discard_stdout()  # the reader has seen enough
            ctx.exit(0)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        return answer


def _with_a_way_out(error: click.UsageError) -> click.UsageError:
    """The error, with what to do where words of a query were taken for an option."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None or error.ctx.command.name not in _ASKING:
        return error
    said = error.format_message().rstrip(".")
    return click.UsageError(f'{said}. Put "--" before a query that begins with a dash.', error.ctx)


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
    """Runs the command line and exits: 0 hits, 1 none, 2 usage, 3 every source failed, 4 the answer was not written."""
    _open_closed_streams()
    try:
        cli(prog_name="recall-rank")
    except OSError as error:
        if error.filename is not None or error.errno not in _FULL:
            raise
        _discard_stdout()
        click.echo(f"recall-rank: the answer could not be written: {error.strerror}", err=True)
        sys.exit(NOT_WRITTEN)


def _open_closed_streams() -> None:
    """A stream that the caller closed takes everything and keeps nothing; its number goes to no file of ours."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
