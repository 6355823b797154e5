"""The command `completion`: the script with which a shell completes commands and options."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

_SHELLS = ("bash", "zsh", "fish")


@click.command(name="completion", short_help="Print the completion script of bash, zsh or fish.")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell; the shell reads it at its start.

    \b
    bash:  echo 'eval "$(recall-rank completion bash)"' >> ~/.bashrc
    zsh:   echo 'eval "$(recall-rank completion zsh)"' >> ~/.zshrc
    fish:  recall-rank completion fish > ~/.config/fish/completions/recall-rank.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, shell  # noqa: S101 - click has all three
    complete = kind(ctx.find_root().command, {}, "recall-rank", "_RECALL_RANK_COMPLETE")
    click.echo(ShellComplete.source(complete))  # BashComplete.source() would start a bash to read its version
