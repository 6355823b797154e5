"""The command `recall-rank`: a group of commands that are imported when they are called."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, Final

import click

from recall_rank.frontends.cli.advice import refused_value, unknown_command, unknown_option
from recall_rank.frontends.cli.endings import exit_status
from recall_rank.frontends.cli.output.console import HITS, USAGE

_COMMANDS: Final = {  # name -> module and attribute
    "search": "search:search",
    "browse": "hits.browse:browse",
    "session-search": "session_search:session_search",
    "ask": "ask:ask",
    "get": "transcripts:get",
    "context": "transcripts:context",
    "open": "hits.open:open_session",
    "copy": "hits.copy:copy",
    "reopen": "hits.reopen:reopen_session",
    "messages": "transcripts:messages",
    "sessions": "transcripts:sessions",
    "chain": "chain:chain",
    "sources": "sources:sources",
    "refresh": "cache.refresh:refresh",
    "build": "cache.build:build",
    "push": "machines.push:push",
    "pull": "machines.pull:pull",
    "embed": "cache.embed:embed",
    "purge": "cache.purge:purge",
    "forget": "cache.forget:forget",
    "web": "web.web:web",
    "stats": "stats:stats",
    "export": "export:export",
    "transcript": "transcript:transcript",
    "compact": "compact:compact",
    "hook": "host.hook:hook",
    "condense": "condense:condense",
    "compress": "compress:compress",
    "notes": "notes:notes",
    "batch": "batch:batch",
    "evaluate": "evaluate:evaluate",
    "mcp": "mcp:mcp",
    "install": "setup.hosts:install",
    "uninstall": "setup.hosts:uninstall",
    "hosts": "setup.hosts:hosts",
    "demo": "search:demo",
    "completion": "completion:completion",
    "help": "help:show_help",
}
_TAKES_QUERY: Final = ("search", "browse", "session-search", "ask", "demo")
_PROGRAM: Final = "recall-rank"
_COMPLETE: Final = "_RECALL_RANK_COMPLETE"  # set by the script of the command `completion`
_LIMITS: Final = "RECALL_RANK_LIMITS"  # what loaders.limits reads
_EPILOG: Final = """Ends with 0 when there are hits or the command is done, 1 when there are no hits, 2 for wrong usage,
3 when no history could be read or what was read so far has no hits, 4 when the answer could not be written, 5 when no
session or message has the id that was given, 6 when memory is short, 7 for an error of this program, 8 when the curator
of ask failed or condense has no summary, 129 when the terminal of browse has vanished, 130 when interrupted.

\b
Begin with:
  recall-rank browse            look for sessions while you type
  recall-rank search WORDS...   every history on this machine
  recall-rank get 1             the first hit in full; also context 1, open 1
  recall-rank demo              an invented history, to try it
"""


class LazyGroup(click.Group):
    """A click group that imports the module of a command when the command is called."""

    hint = ""  # shown below the help

    def get_help(self, ctx: click.Context) -> str:
        return super().get_help(ctx) + self.hint

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name].partition(":")
        commands = importlib.import_module(f"recall_rank.frontends.cli.commands.{module}")
        command: click.Command = getattr(commands, attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(unknown_command(args, _COMMANDS), ctx)
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and exit with one of the statuses that `--help` lists. click's own main() would exit with
        1 for several errors, which here means that a search has no hits.
        """
        words = list(sys.argv[1:] if args is None else args)
        program = prog_name or _PROGRAM
        asked = os.environ.get(complete_var or _COMPLETE)
        if asked:
            from click.shell_completion import shell_complete

            from recall_rank.frontends.cli.shell_scripts import register_shells

            register_shells()
            sys.exit(USAGE if shell_complete(self, extra, program, complete_var or _COMPLETE, asked) else HITS)
        as_json = "--json" in (words[: words.index("--")] if "--" in words else words)
        sys.exit(exit_status(lambda: self._run(program, words, extra), as_json=as_json))

    def _run(self, program: str, words: list[str], extra: dict[str, Any]) -> None:
        self.hint = ""
        if not words and _has_terminals():
            from recall_rank.frontends.cli.commands.hits.browse import INSTALL, has_textual, is_able

            if has_textual() and is_able():
                words = ["browse"]
            elif is_able():
                self.hint = f"\n\nTo look for sessions while you type, install the extra tui: {INSTALL}"
        if _LIMITS in os.environ:
            from recall_rank.loaders.limits import limits

            try:
                limits()
            except ValueError as error:  # each source would report it as an error of its own
                raise click.ClickException(str(error)) from error
        try:
            with self.make_context(program, list(words), **extra) as ctx:
                self.invoke(ctx)
        except click.NoSuchOption as error:
            raise click.UsageError(unknown_option(error, takes_query=_of_query(error)), error.ctx) from error
        except click.BadParameter as error:
            if isinstance(error, click.MissingParameter) or not _of_query(error):
                raise
            told = refused_value(error, words)
            raise click.BadParameter(told, error.ctx, error.param, error.param_hint) from error


def _has_terminals() -> bool:
    """Return whether a person sits in front of stdin, stdout and stderr."""
    return all(os.isatty(descriptor) for descriptor in (0, 1, 2))


def _of_query(error: click.UsageError) -> bool:
    return error.ctx is not None and error.ctx.command.name in _TAKES_QUERY


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EPILOG)
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
    """Run the command line of this process and exit with one of the statuses that `--help` lists."""
    _open_closed_streams()
    cli(prog_name=_PROGRAM)


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
