"""The filter options of `search` agree with the options of the library."""

from __future__ import annotations

import click
import pytest

from recall_rank import Options
from recall_rank.frontends.cli.options.filters import filter_options, given_filters


@click.command()
@filter_options
def _command(**filters: object) -> dict[str, object]:
    return given_filters(filters)


def test_filters_that_are_not_given_keep_the_defaults_of_the_library() -> None:
    assert _command.main([], standalone_mode=False) == {}


@pytest.mark.parametrize(
    "name", ["match", "scope", "group", "type", "role", "results", "offset", "width", "order", "budget_ms"]
)
def test_help_names_the_defaults_of_the_library(name: str) -> None:
    option = next(each for each in _command.params if each.name == name)
    assert isinstance(option, click.Option)
    assert option.help is not None
    told = option.help.partition("Default: ")[2]
    assert told == f"{getattr(Options(), name):{'g' if name == 'budget_ms' else ''}}."
