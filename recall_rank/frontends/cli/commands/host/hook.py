"""The command `hook`: the one command behind the hooks of every host."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.output.console import HITS
from recall_rank.frontends.hosts.events.hook_command import run_hook


@click.command(
    name="hook",
    short_help="Answer an event of a host; hosts call this.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="HOST EVENT")
def hook(words: tuple[str, ...]) -> None:
    """Answer an event of a host, such as `claude-code SessionStart`: the host's JSON on stdin, its answer on stdout.

    Hosts: claude-code, codex, gemini, copilot. Ends with 0 whatever happens, so that no host fails or waits for it;
    what went wrong is one line on stderr.
    """
    run_hook(words)
    raise click.exceptions.Exit(HITS)
