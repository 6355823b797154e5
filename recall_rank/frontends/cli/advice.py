"""Advice for a command or an option that does not exist: the one that was probably meant."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Final

import click

from recall_rank.model.nearest_names import nearest_names

# Words for what an option of another name does, each with that option. Those that the command lacks are not offered.
_OTHER_WORDS: Final = {
    **dict.fromkeys(("--agent", "--source", "--store", "--loader"), "--history"),
    **dict.fromkeys(("--count", "--max", "--top", "--results", "--head"), "--limit"),
    **dict.fromkeys(("--regex", "--fuzzy", "--literal", "--smart", "--exact", "--mode"), "--match"),
    **dict.fromkeys(("--path", "--folder", "--dir", "--cwd"), "--directory"),
    **dict.fromkeys(("--output", "--write"), "--out"),
    **dict.fromkeys(("--exclude", "--without"), "--must-not"),
    **dict.fromkeys(("--sort", "--by-time"), "--order"),
}
_DASHED_WORD: Final = re.compile(r"-[^\W\d]\w{3,}")
_DASH: Final = (
    'Put "--" before a query that begins with a dash, and quote a query that leaves out a word: "rate -redis".'
)


def refused_value(error: click.BadParameter, words: Sequence[str]) -> str:
    """Return the message about the value of an option of a command that takes a query. Where a word of the command line
    may have been meant to be left out of the query, such as -migration, which sets -m, it tells how that is written.
    """
    return f"{error.message.rstrip('.')}. {_DASH}" if any(map(_DASHED_WORD.fullmatch, words)) else error.message


def unknown_command(words: Sequence[str], commands: Iterable[str]) -> str:
    """Return the message about the words of a command line of which the first is no command.

    It offers the command that was probably mistyped, or else the words as a query.
    """
    offers = [["search", *words]]
    near = nearest_names(words[0], commands, 1)
    if near:
        offers.insert(0, [near[0], *words[1:]])
    meant = ", or: ".join(f"recall-rank {shlex.join(offer)}" for offer in offers)
    return f"No such command {words[0]!r}. Did you mean: {meant}"


def unknown_option(error: click.NoSuchOption, *, takes_query: bool) -> str:
    """Return the message about an option that does not exist, with the nearest one of its command, if one is near.

    With `takes_query` it also tells how a query is written that begins with a dash, unless the option has two dashes:
    no word that is left out of a query is written so.
    """
    name = error.option_name
    takes_query = takes_query and not name.startswith("--")
    command = error.ctx.command if error.ctx is not None else None
    known = [each for option in (command.params if command else ()) for each in (*option.opts, *option.secondary_opts)]
    other = _OTHER_WORDS.get(name)
    near = [other] if other in known else nearest_names(name.lstrip("-"), (each.lstrip("-") for each in known), 1)
    meant = [f"--{each.lstrip('-')}" for each in near if len(each.lstrip("-")) > 1]
    said = [f"No such option {name!r}."]
    said += [f"Did you mean {each!r}?" for each in meant]
    return " ".join([*said, *([_DASH] if takes_query else [])])
