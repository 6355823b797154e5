"""The command that lists the sources of the running command, as the notes that count what it would tell name it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from recall_rank.model import SourceReport

CACHE: Final = "recall_rank.histories.cache"  # where the options of the cache of a command are kept in its context


def sources_command() -> str:
    """Return the command that tells everything of the histories which the running command reads: `recall-rank sources`
    with its options of histories and cache.
    """
    context = click.get_current_context(silent=True)
    words = ["recall-rank", "sources"]
    if context is not None:
        given = context.meta.get(CACHE, {})
        named = (("--history", context.params.get("histories") or ()), ("--ignore", given.get("ignore") or ()))
        words += [word for option, values in named for value in values for word in (option, str(value))]
        words += ["--cache", str(given["cache"])] if given.get("cache") else []
        words += ["--no-cache"] if given.get("no_cache") else []
    return shlex.join(words)


def with_sources_command(
    warnings: Iterable[str], reports: Sequence[SourceReport], command: str | None = None
) -> list[str]:
    """Return the warnings of an answer with the note that counts what there is to say of its sources, if it is among
    them, naming `command`, by default sources_command().
    """
    from recall_rank.histories.source_reports import note_on_sources

    note = note_on_sources(reports)
    named = note_on_sources(reports, command or sources_command()) or ""
    return [named if text == note else text for text in warnings]
