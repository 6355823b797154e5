"""The command `completion`: the script with which a shell completes commands and options."""

from __future__ import annotations

import click

from recall_rank.frontends.cli.shell_scripts import SHELLS, completion_script


@click.command(name="completion", short_help="Print the completion script of bash, zsh or fish.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell; the shell reads it at its start.

    \b
    bash:  echo 'eval "$(recall-rank completion bash)"' >> ~/.bashrc
    zsh:   echo 'eval "$(recall-rank completion zsh)"' >> ~/.zshrc
    fish:  mkdir -p ~/.config/fish/completions
           recall-rank completion fish > ~/.config/fish/completions/recall-rank.fish
    """
    click.echo(completion_script(shell, ctx.find_root().command, "recall-rank", "_RECALL_RANK_COMPLETE"), nl=False)
