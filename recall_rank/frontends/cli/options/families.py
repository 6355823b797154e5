"""The option --tools of commands that offer families of tools to an agent."""

from __future__ import annotations

import click

from recall_rank.frontends.tools.families import tools_of


def named_families(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Return the families of tools that --tools names, each once; none without it. Raises click.BadParameter for an
    unknown one.
    """
    named = tuple(dict.fromkeys(each.strip() for each in (value or "").split(",") if each.strip()))
    try:
        if value is not None:
            tools_of(named)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return named
