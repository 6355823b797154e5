"""The command `recall-rank`: a group of commands that are imported when they are called, and error handling."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Final

import click

from recall_rank.frontends.cli.output.console import INTERRUPTED, NOT_WRITTEN, fail

_COMMANDS: Final = {  # name -> module and attribute
    "search": "search:search",
    "get": "transcripts:get",
    "context": "transcripts:context",
    "messages": "transcripts:messages",
    "sessions": "transcripts:sessions",
    "sources": "sources:sources",
    "refresh": "cache:refresh",
    "purge": "cache:purge",
    "forget": "cache:forget",
    "stats": "stats:stats",
    "export": "export:export",
    "batch": "batch:batch",
    "evaluate": "evaluate:evaluate",
    "mcp": "mcp:mcp",
    "demo": "search:demo",
    "completion": "completion:completion",
}
_TAKES_QUERY: Final = ("search", "demo")
_WORDS: Final = "recall_rank.words"  # in the context: the words of the command line
_NOT_WRITABLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)


class LazyGroup(click.Group):
    """A click group that imports the module of a command when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name].partition(":")
        commands = importlib.import_module(f"recall_rank.frontends.cli.commands.{module}")
        command: click.Command = getattr(commands, attribute)
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
            told = _with_advice(error)
            if not as_json:
                raise told from error  # click shows the command's usage
            fail(told.format_message(), told.exit_code, as_json=True)
        except BrokenPipeError:
            _discard_stdout()  # the reader has closed the pipe
            ctx.exit(0)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        return answer


def _with_advice(error: click.UsageError) -> click.UsageError:
    """Return the usage error; if a word of a query was parsed as an option, its message also tells how to pass it."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None or error.ctx.command.name not in _TAKES_QUERY:
        return error
    said = error.format_message().rstrip(".")
    return click.UsageError(f'{said}. Put "--" before a query that begins with a dash.', error.ctx)


def _discard_stdout() -> None:
    """Redirect stdout to the null device, so that flushing its buffer at exit does not fail a second time."""
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
            reconfigure(errors="backslashreplace")  # a terminal without UTF-8 shows escapes instead of failing


def main() -> None:
    """Run the command line and exit: 0 hits, 1 no hits, 2 usage error, 3 every source failed, 4 output not written."""
    _open_closed_streams()
    try:
        cli(prog_name="recall-rank")
    except OSError as error:
        if error.filename is not None or error.errno not in _NOT_WRITABLE:
            raise
        _discard_stdout()
        click.echo(f"recall-rank: the answer could not be written: {error.strerror}", err=True)
        sys.exit(NOT_WRITTEN)


def _open_closed_streams() -> None:
    """Open the null device for each of stdin, stdout and stderr that is closed.

    Otherwise a file that is opened later would get its descriptor and receive output.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
