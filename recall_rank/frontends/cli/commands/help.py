"""The command `help`: the help of the program, or of one of its commands."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.advice import unknown_command
from recall_rank.frontends.cli.options.completions import complete_commands


@click.command(name="help", short_help="Explain the program, or one command of it.")
@click.argument("command", required=False, shell_complete=complete_commands)
@click.pass_context
def show_help(ctx: click.Context, command: str | None) -> None:
    """Explain the program, or one COMMAND of it, as --help does."""
    whole = ctx.find_root()
    if command is None:
        click.echo(whole.get_help())
        return
    group = whole.command
    assert isinstance(group, click.Group)  # noqa: S101 - this is one of its commands
    found = group.get_command(whole, command)
    if found is None:
        raise click.UsageError(unknown_command([command], group.list_commands(whole)), whole)
    click.echo(found.get_help(click.Context(found, whole, info_name=command)))
