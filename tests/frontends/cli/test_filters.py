"""The options of a search in the shell, beside those of the library."""

from __future__ import annotations

import click
import pytest

from recall_rank import Options
from recall_rank.frontends.cli.options.filters import filter_options, given_filters


@click.command()
@filter_options
def _command(**filters: object) -> dict[str, object]:
    return given_filters(filters)


def test_what_is_not_said_is_left_to_the_library() -> None:
    assert _command.main([], standalone_mode=False) == {}


@pytest.mark.parametrize(
    "name", ["match", "scope", "group", "type", "role", "results", "offset", "width", "order", "budget_ms"]
)
def test_help_names_what_the_library_takes_where_nothing_is_said(name: str) -> None:
    option = next(each for each in _command.params if each.name == name)
    assert isinstance(option, click.Option)
    assert option.help is not None
    told = option.help.partition("Default: ")[2]
    assert told == f"{getattr(Options(), name):{'g' if name == 'budget_ms' else ''}}."
