"""The completion scripts complete commands and options."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from recall_rank.frontends.cli.main import cli
from tests.frontends.conftest import Run


@pytest.mark.parametrize(("shell", "words"), [("bash", "complete -o"), ("zsh", "#compdef"), ("fish", "complete")])
def test_each_shell_has_a_script(run: Run, shell: str, words: str) -> None:
    result = run("completion", shell)
    assert result.exit_code == 0
    assert words in result.stdout
    assert f"_RECALL_RANK_COMPLETE={shell}_complete" in result.stdout


def test_other_shells_are_a_usage_error(run: Run) -> None:
    assert run("completion", "tcsh").exit_code == 2


@pytest.mark.parametrize(
    ("words", "begun", "completed"),
    [
        ([], "st", "stats"),
        (["search"], "--mat", "--match"),
        (["export"], "--fo", "--format"),
        (["completion"], "z", "zsh"),
        (["help"], "se", "search"),
    ],
)
def test_commands_and_options_are_completed(words: list[str], begun: str, completed: str) -> None:
    complete = ShellComplete(cli, {}, "recall-rank", "_RECALL_RANK_COMPLETE")
    assert completed in [item.value for item in complete.get_completions(words, begun)]
